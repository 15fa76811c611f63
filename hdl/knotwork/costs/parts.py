"""What stands beside the routers: interfaces of nodes, choosers of links, controllers."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..estimates.networks import choosers
from ..monitoring import network_probes
from ..network import Network
from .pieces import Sizes, pointer_bits, ram_cells


class Part(NamedTuple):
    """Modules beside the routers that are alike.

    Members
    -------
    role : str
        Name of the module, without the network's.
    number : int
        How many of them a network has.
    pieces : mapping
        Sizes of the pieces of one, by figure.
    """

    role: str
    number: int
    pieces: Mapping[str, Sizes]


def controller(network: Network) -> Part:
    """Controller, which hears all nodes."""
    area = {"fixed": 1, "nodes": network.topology.nodes}
    bits = {"fixed": 1, "address": network.topology.address_width}
    return Part("controller", 1, {"lut4": area, "dpr": {}, "ff": bits})


def batch_parts(network: Network) -> list[Part]:
    """Controller of batches."""
    return [controller(network)]


def circuit_parts(network: Network) -> list[Part]:
    """Interface of each node, chooser where nodes have several links, and controller."""
    address, data = network.topology.address_width, network.hardware.data_width
    longest = network.longest_packet or 1
    area = {
        "fixed": 1,
        "data": data,
        "address": address,
        "pointers": pointer_bits(2 * longest),
        "ends": network.hardware.ends_early,
    }
    stored = ram_cells(data + 1, 2 * longest)
    given = ram_cells(data + 1 + address * network.has_source, 2 * longest)
    interface = {"lut4": area, "dpr": {"cells": stored + given}, "ff": area}
    parts = [Part("interface", network.topology.nodes, interface), controller(network)]
    if choosers(network):
        chosen = {"fixed": 1, "data": data}
        parts.append(Part("chooser", choosers(network), {"lut4": chosen, "dpr": {}, "ff": chosen}))
    return parts


def packet_parts(network: Network) -> list[Part]:
    """Controller of loaded tables, and monitor."""
    parts: list[Part] = []
    if network.loads_tables:
        address = network.topology.address_width
        area = {"fixed": 1, "lost": network.topology.routers * 2 * address}  # of one of the routers
        bits = {"fixed": 1, "address": address}
        parts.append(Part("controller", 1, {"lut4": area, "dpr": {}, "ff": bits}))
    if network.hardware.is_monitored:
        parts.append(monitor(network))
    return parts


def monitor(network: Network) -> Part:
    """Counters, two of each channel and one of each node, and watchdog."""
    channels, hardware = network_probes(network).channels, network.hardware
    events = (2 * channels + network.topology.nodes) * hardware.has_counters
    area = {
        "counters": events > 0,
        "bits of events": events * events.bit_length(),
        "watched channels": channels * (hardware.watchdog_bound > 0),
    }
    # The bus reads a copy of the totals.
    totals = 2 * ram_cells(_TOTAL, events) if events else 0
    return Part("monitor", 1, {"lut4": area, "dpr": {"cells": totals}, "ff": area})


_TOTAL = 32
"""Bits of a total."""


def link_registers(network: Network) -> int:
    """Flip-flops along the links that take several cycles: flits ahead, credits back."""
    flit = network.hardware.data_width + 1 + 2 * network.topology.address_width
    flit += 5 * network.has_parity + network.has_broadcast + network.has_multicast
    wires = flit + 2 * network.virtual_channels
    return wires * sum(network.latency(*place) - 1 for place in network.long_links)


PARTS: Mapping[str, Callable[[Network], list[Part]]] = {
    "batch": batch_parts,
    "circuit": circuit_parts,
    "packet": packet_parts,
}
"""Parts by router class; routers of the others have their nodes' interfaces within."""
