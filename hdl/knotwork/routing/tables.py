"""All pairs at once: loops over a routing's rule, compiled by Numba."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import njit

from .base import Routing, Rule


def first_hops(routing: Routing) -> np.ndarray:
    """Next router for every (router, destination), int32 (nodes, nodes), -1 on the diagonal."""
    nodes = routing.topology.nodes
    table = np.empty((nodes, nodes), np.int32)
    _filler(routing.rule)(routing.parameters, routing.topology.neighbours, table)
    return table


@cache
def _filler(rule: Rule) -> Callable[..., None]:
    compiled: Any = rule

    @njit
    def fill(parameters, neighbours, table):
        for router in range(len(table)):
            for destination in range(len(table)):
                port, _ = compiled(parameters, router, 0, 0, destination)
                table[router, destination] = neighbours[router, port]

    return fill


def dependencies(routing: Routing) -> np.ndarray:
    """Channel dependencies of all packets between all pairs of nodes.

    A walk follows each packet's channels and stops where an earlier walk to the same destination
    has been, so the time grows with nodes x channels.

    Returns
    -------
    ndarray
        bool of shape (channels, ports, classes): a packet in that channel can wait for the next
        router's output (port, class). Channel (router * ports + port) * classes + class is the
        link from that port of that router.

    Raises
    ------
    ValueError
        The rule names a port without a link.
    """
    neighbours = routing.topology.neighbours
    routers, ports = neighbours.shape
    marks = np.zeros((routers * ports * routing.classes, ports, routing.classes), np.bool_)
    peers = np.ascontiguousarray(routing.topology.peer_ports)
    router, port = _marker(routing.rule)(
        routing.parameters, neighbours, peers, routing.classes, marks
    )
    if router >= 0:
        raise ValueError(
            f"routing={routing.name}: a port must have a link, not {routing.topology.ports[port]} "
            f"of router {router}"
        )
    return marks


@cache
def _marker(rule: Rule) -> Callable[..., tuple[int, int]]:
    compiled: Any = rule

    @njit
    def mark(parameters, neighbours, peer_ports, classes, marks):
        routers, ports = neighbours.shape
        visited = np.full(routers * ports * classes, -1, np.int64)
        for destination in range(routers):
            for source in range(routers):
                router, port, vc_class, channel = source, 0, 0, -1
                while True:
                    output, vc_class = compiled(parameters, router, port, vc_class, destination)
                    if output == 0:
                        break
                    if neighbours[router, output] < 0:
                        return router, output
                    if channel >= 0:
                        marks[channel, output, vc_class] = True
                    channel = (router * ports + output) * classes + vc_class
                    if visited[channel] == destination:
                        break
                    visited[channel] = destination
                    port = peer_ports[router, output]
                    router = neighbours[router, output]
        return -1, -1

    return mark
