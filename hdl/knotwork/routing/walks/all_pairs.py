# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""All pairs at once: loops over a routing's rule, compiled by Numba."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..base import Routing, Turn
from ..broadcast import walk_broadcasts
from ..compiled_rules import call_rule, kept_on_disk, rule_address

NO_LINK, LEAVES_ESCAPE = 1, 2
"""Faults of a rule that a walk meets."""


def first_hops(routing: Routing) -> np.ndarray:
    """Next router for every (router, destination), int32 (nodes, nodes), -1 on the diagonal."""
    nodes = routing.topology.nodes
    table = np.empty((nodes, nodes), np.int32)
    numbers = np.ascontiguousarray(routing.parameters, np.int64)
    _fill(rule_address(routing.rule), numbers, routing.topology.neighbours, table)
    return table


@kept_on_disk(Path(__file__))
def _fill(rule, parameters, neighbours, table):
    for router in range(len(table)):
        for destination in range(len(table)):
            port, _ = call_rule(rule, parameters.ctypes.data, router, 0, 0, destination)
            table[router, destination] = neighbours[router, port]


class Walks(NamedTuple):
    """What the packets of all pairs of nodes do, blocked ones that escape included.

    Members
    -------
    dependencies : ndarray
        bool of shape (channels, ports, classes): a packet in that channel can wait for the next
        router's output (port, class). Channel (router * ports + port) * classes + class is the
        link from that port of that router.
    turns : list of set
        Turns between classes that packets to one node take, by `Routing.router_groups`.
    broadcast_turns : list of set
        Those that copies of a broadcast take.
    """

    dependencies: np.ndarray
    turns: list[set[Turn]]
    broadcast_turns: list[set[Turn]]


def walk_all(routing: Routing, destinations: np.ndarray | None = None) -> Walks:
    """Walk the packets of all pairs of nodes, or those to some destinations; and all broadcasts.

    A walk stops where an earlier walk to the same destination has been, so the time grows with
    destinations x channels.

    Raises
    ------
    ValueError
        The rule names a port without a link, or another class where the escape class was asked.
    """
    neighbours = routing.topology.neighbours
    routers, ports = neighbours.shape
    classes, escape = routing.classes, routing.escape_class
    groups = routing.router_groups
    marks = np.zeros((routers * ports * classes, ports, classes), np.bool_)
    turns = np.zeros((int(groups.max()) + 1, ports, classes, ports, classes), np.bool_)
    router, port, fault = _mark(
        rule_address(routing.rule),
        np.ascontiguousarray(routing.parameters, np.int64),
        neighbours,
        np.ascontiguousarray(routing.topology.peer_ports),
        groups,
        np.array(routing.injection_classes),
        -1 if escape is None else escape,
        np.arange(routers) if destinations is None else destinations,
        marks,
        turns,
    )
    if fault == LEAVES_ESCAPE:
        raise ValueError(f"routing={routing.name}: a packet must not leave the escape class")
    if fault == NO_LINK:
        raise ValueError(
            f"routing={routing.name}: a port must have a link, not {routing.topology.ports[port]} "
            f"of router {router}"
        )
    of_copies = np.zeros_like(turns)
    if routing.broadcast is not None:
        walk_broadcasts(routing, marks, of_copies, np.arange(routers))
    return Walks(marks, _sets(turns), _sets(of_copies))


def _sets(turns: np.ndarray) -> list[set[Turn]]:
    """Turns of each group as a set."""
    return [{Turn(*turn) for turn in np.argwhere(group).tolist()} for group in turns]


@kept_on_disk(Path(__file__))
def _mark(
    rule, parameters, neighbours, peer_ports, groups, starts, escape, destinations, marks, turns
):
    routers, ports = neighbours.shape
    numbers = parameters.ctypes.data
    classes = marks.shape[2]
    visited = np.full(len(marks), -1, np.int64)
    stack = np.empty(len(marks) + 1, np.int64)  # channels reached, -1 for the source's node
    for destination in destinations:
        for start in range(routers * len(starts)):
            source, first_class = start // len(starts), starts[start % len(starts)]
            stack[0], depth = -1, 1
            while depth > 0:
                depth -= 1
                channel = stack[depth]
                router, port, vc_class = source, 0, first_class
                if channel >= 0:
                    link, vc_class = channel // classes, channel % classes
                    port = peer_ports[link // ports, link % ports]
                    router = neighbours[link // ports, link % ports]
                for way in range(2):
                    if way == 1 and (escape < 0 or vc_class == escape):
                        break
                    asked = vc_class if way == 0 else escape
                    output, out_class = call_rule(rule, numbers, router, port, asked, destination)
                    turns[groups[router], port, vc_class, output, out_class] = True
                    if output == 0:
                        break
                    if neighbours[router, output] < 0:
                        return router, output, NO_LINK
                    if asked == escape and out_class != escape:
                        return router, output, LEAVES_ESCAPE
                    if channel >= 0:
                        marks[channel, output, out_class] = True
                    reached = (router * ports + output) * classes + out_class
                    if visited[reached] != destination:
                        visited[reached] = destination
                        stack[depth] = reached
                        depth += 1
    return -1, -1, 0
