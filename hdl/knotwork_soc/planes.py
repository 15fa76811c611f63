"""Planes of a system: networks side by side, so that no kind of packet waits for another."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network, fit_name

from .node import Node
from .payload import Payload

STREAMS, REQUESTS, RESPONSES = "streams", "requests", "responses"
"""Names of the planes: packets of streams; of buses, requests and their responses."""


@dataclass(frozen=True, kw_only=True)
class Plane:
    """A network of a system's packets of one kind.

    Members
    -------
    name : str
        ``streams``, ``requests`` or ``responses``.
    network : Network
        Its network, whose top module planes of equal widths share.
    is_alone : bool
        Whether it is the system's only plane.
    """

    name: str
    network: Network
    is_alone: bool

    def outside(self, name: str) -> str:
        """Name in the system of what only the whole of a plane has: its monitor, its tables."""
        return name if self.is_alone else f"{self.name}_{name}"


def planes_of(
    network: Network, nodes: Sequence[Node], payload: Payload, *, name: str
) -> tuple[Plane, ...]:
    """Planes that these nodes need.

    Parameters
    ----------
    network : Network
        Network of the system.
    nodes : sequence of Node
        Its nodes.
    payload : Payload
        What the data of flits of streams holds.
    name : str
        Name of the system's top module.

    Raises
    ------
    ConfigurationError
        More bits than a flit may have, a network that cannot carry a bus, or in which an initiator
        and a target may not send to each other.
    """
    common = fit_name(f"{name}_network")
    found: list[Plane] = []
    has_buses = any(node.side for node in nodes)
    width = network.hardware.data_width
    if any(node.is_stream for node in nodes):
        module = common
        if has_buses and payload.width != width:
            module = fit_name(f"{name}_streams")
        streams = _widened(network, payload, module)
        found.append(Plane(name=STREAMS, network=streams, is_alone=not has_buses))
    if has_buses:
        _require_carried(network)
        _require_reached(network, nodes)
        inner = network.changed(name=common)
        if found and found[0].network.name == common:
            inner = found[0].network
        found += [Plane(name=each, network=inner, is_alone=False) for each in (REQUESTS, RESPONSES)]
    return tuple(found)


def _widened(network: Network, payload: Payload, name: str) -> Network:
    kind = network.hardware.keys()["data_width"].metadata["kind"]
    if not kind.accepts(payload.width):
        beside = payload.width - payload.data_width
        raise ConfigurationError(
            f"system: data_width, tkeep and user_width must take at most {kind.high} bits of a "
            f"flit, not {payload.data_width} + {beside}"
        )
    return network.changed(name=name, data_width=payload.width)


def _require_carried(network: Network) -> None:
    """Refuse networks that keep no order, have a longest packet, or must be set up first."""
    owner, routing = network.topology.name, network.routing
    if not routing.in_order:
        raise ConfigurationError(
            f"{owner}: a memory-mapped bus must have a network that keeps packets in order, not "
            f"routing={routing.name}, router={network.router_class}"
        )
    if routing.settled is not None or network.longest_packet is not None:
        raise ConfigurationError(
            f"{owner}: a memory-mapped bus must have packet routers, not {network.router_class}"
        )
    if network.loads_tables:
        raise ConfigurationError(
            f"{owner}: a memory-mapped bus must have tables=fixed, not tables=loaded"
        )


def _require_reached(network: Network, nodes: Sequence[Node]) -> None:
    """Refuse an initiator and a target one of which may not send to the other.

    A network whose routers do not all reach each other is refused before any system is made of it.
    """
    topology = network.topology
    initiators = np.array([node.index for node in nodes if node.is_initiator])
    targets = np.array([node.index for node in nodes if node.is_target])
    pairs = initiators[:, None], targets[None, :]
    apart = ~(topology.may_send(*pairs) & topology.may_send(*pairs[::-1]))
    if not apart.any():
        return
    initiator, target = (
        int(numbers[place])
        for numbers, place in zip((initiators, targets), np.argwhere(apart)[0], strict=True)
    )
    receivers = topology.receivers(initiator)
    where = f"with classes={topology.traffic_classes}" if topology.traffic_classes > 1 else "here"
    raise ConfigurationError(
        f"node {target}: a target must be one to which initiator node {initiator} may send, in "
        f"{receivers[0]}..{receivers[-1]} {where}, not {target}"
    )
