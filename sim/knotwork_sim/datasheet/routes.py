"""Routes of a datasheet, packed as text that the page reads."""

import zlib
from base64 import b64encode
from typing import NamedTuple

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.compiled.rule_check import States, compiled_calls

from .tables import Data


def packed(numbers: np.ndarray | bytes) -> str:
    """Bytes of an array, by zlib and then base64; the page unpacks them itself."""
    return b64encode(zlib.compress(bytes(numbers), 9)).decode()


MOST_PATHS = 128
"""Nodes up to which every pair has its path."""
MOST_TABLED = 1024
"""Nodes up to which there is a table."""
MOST_BYTES = 700_000
"""Letters of a table at most."""
_BYTE = 256


def routes(network: Network, words: str) -> Data:
    """Ways of all packets.

    Raises
    ------
    ConfigurationError
        The network is too large for them, or its packets have no ways of their own.
    """
    command = f"knotwork route {words}"
    topology = network.topology
    if topology.nodes <= MOST_PATHS and len(topology.ports) < _BYTE:
        return {"command": command, "kind": "paths", "paths": packed(_paths(network))}
    if network.routing.settled is not None or topology.nodes > MOST_TABLED:
        raise ConfigurationError(
            f"{network.name}: nodes must be at most {_limit(network)} for a page with all routes, "
            f"not {topology.nodes}; {command} SRC DST shows one"
        )
    if len(topology.ports) * network.virtual_channels >= _BYTE:
        raise ConfigurationError(
            f"{network.name}: channels of a router must be fewer than {_BYTE} for a page with all "
            f"routes, not {len(topology.ports) * network.virtual_channels}"
        )
    table = route_table(network)
    letters = {
        "cells": packed(table.cells),
        "states": packed(table.states.astype("<u4")),
        "symbols": packed(table.symbols),
        "lanes": packed(_lanes(network)) if network.routing.lanes > 1 else "",
    }
    if (size := sum(map(len, letters.values()))) > MOST_BYTES:
        raise ConfigurationError(
            f"{network.name}: a table of all routes must have at most {MOST_BYTES} characters for "
            f"a page, not {size}; {command} SRC DST shows one"
        )
    return {"command": command, "kind": "table", "classes": network.routing.classes, **letters}


def _limit(network: Network) -> int:
    return MOST_PATHS if network.routing.settled is not None else MOST_TABLED


def _paths(network: Network) -> bytes:
    """Path of each pair, sources in turn: its hops, and output port and channel of each.

    The ejection is the last hop. A pair that may not send to each other has no hop.
    """
    topology, routing = network.topology, network.routing
    found = bytearray()
    for source in range(topology.nodes):
        for destination in range(topology.nodes):
            if not topology.may_send(source, destination):
                found.append(0)
                continue
            hops = routing.hops(source, destination)
            if len(hops) >= _BYTE:
                raise ConfigurationError(
                    f"{network.name}: hops of a path must be fewer than {_BYTE} for a page, not "
                    f"{len(hops)}"
                )
            found.append(len(hops))
            for hop in hops:
                found += bytes((hop.port, hop.virtual_channel))
    return bytes(found)


class RouteTable(NamedTuple):
    """Outputs by router and destination.

    Members
    -------
    cells : ndarray
        Output port * classes + class by which most packets leave, uint8 of (routers, nodes).
    states : ndarray
        Numbers of the states in which they leave by another, rising: ((router * ports + input
        port) * classes + class) * nodes + destination.
    symbols : ndarray
        Outputs there, uint8.
    """

    cells: np.ndarray
    states: np.ndarray
    symbols: np.ndarray


def route_table(network: Network) -> RouteTable:
    """Outputs that the packets of all pairs take."""
    topology, routing = network.topology, network.routing
    nodes, classes, ports = topology.nodes, routing.classes, len(topology.ports)
    met, symbols = _met_states(network)
    router, destination = met // nodes // classes // ports, met % nodes
    cell = router * nodes + destination
    cells = np.zeros(topology.routers * nodes, np.uint8)
    most = np.zeros(topology.routers * nodes, np.int32)
    for symbol in np.unique(symbols):
        counts = np.bincount(cell[symbols == symbol], minlength=len(cells))
        better = counts > most
        cells[better], most[better] = symbol, counts[better]
    other = symbols != cells[cell]
    return RouteTable(cells.reshape(-1, nodes), met[other], symbols[other])


def _met_states(network: Network) -> tuple[np.ndarray, np.ndarray]:
    """States that packets of all pairs meet, rising, and output port * classes + class in each."""
    topology, routing = network.topology, network.routing
    nodes, classes, ports = topology.nodes, routing.classes, len(topology.ports)
    ask = compiled_calls(*routing.compiled_rule)
    neighbours, peers = topology.neighbours, topology.peer_ports
    places = topology.node_ports_table.astype(np.int64)
    destination = np.arange(nodes)

    def numbered(router, port, vc_class, destination):
        return ((router * ports + port) * classes + vc_class) * nodes + destination

    source = np.repeat(np.arange(nodes), nodes)
    front = numbered(places[0][source], places[1][source], 0, np.tile(destination, nodes))
    met, symbols = [], []
    seen = np.zeros(topology.routers * ports * classes * nodes, np.bool_)
    while len(front := np.unique(front[~seen[front]])):
        seen[front] = True
        state, end = np.divmod(front, nodes)
        router, state = np.divmod(state, ports * classes)
        port, vc_class = np.divmod(state, classes)
        outputs, out_classes = ask(States(router, port, vc_class, end))
        met.append(front)
        symbols.append((outputs * classes + out_classes).astype(np.uint8))
        moving = ~topology.is_local(outputs)
        at, port = router[moving], outputs[moving]
        front = numbered(neighbours[at, port], peers[at, port], out_classes[moving], end[moving])
    order = np.argsort(every := np.concatenate(met))
    return every[order], np.concatenate(symbols)[order]


def _lanes(network: Network) -> np.ndarray:
    """Lane of each pair, uint8."""
    topology, routing = network.topology, network.routing
    addresses = list(map(topology.address, range(topology.nodes)))
    # By address, as the hardware decides; `lane_of` takes single numbers.
    return np.array([[routing.lane_of(a, b) for b in addresses] for a in addresses], np.uint8)
