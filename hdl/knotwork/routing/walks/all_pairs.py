"""Walks of the packets of all pairs of nodes: first hops, lengths, turns, dependencies."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...progress import progress
from ..routing_rule import RoutingRule
from ..rules import Turn
from .broadcasts import walk_broadcasts

_ENDS_A_CALL = 64
"""Destinations to which a compiled loop walks before Python may show progress or be interrupted."""


def first_hops(routing: RoutingRule) -> np.ndarray:
    """Next router for every (source, destination), int32; -1 where both are at one router."""
    from .loops import fill_first_hops

    topology = routing.topology
    table = np.empty((topology.nodes, topology.nodes), np.int32)
    fill_first_hops(*routing.loop_rule, topology.neighbours, topology.node_ports_table, table)
    return table


class Walks(NamedTuple):
    """What the packets of all pairs of nodes do, blocked ones that escape included.

    Members
    -------
    dependencies : ndarray
        bool of shape (channels, ports, classes): a packet in that channel can wait for the next
        router's output (port, class). Channel (router * ports + port) * classes + class is the
        link from that port of that router.
    turns : list of set
        Turns between classes that packets to one node take, by group.
    broadcast_turns : list of set
        Those that copies of a broadcast take.
    """

    dependencies: np.ndarray
    turns: list[set[Turn]]
    broadcast_turns: list[set[Turn]]


def walk_all(
    routing: RoutingRule, groups: np.ndarray, destinations: np.ndarray | None = None
) -> Walks:
    """Walk the packets of all pairs of nodes, or those to some destinations; and all broadcasts.

    A walk stops where an earlier walk to the same destination has been, so the time grows with
    destinations x channels.

    Parameters
    ----------
    routing : RoutingRule
        Routing whose rule is followed.
    groups : ndarray
        Group of each router, int 0.., for which turns are collected.
    destinations : ndarray or None
        Nodes, int; None for all, with all numbers that their sources may write.

    Raises
    ------
    ValueError
        The rule names a port without a link, or another class where the escape class was asked.
    """
    from .loops import LEAVES_ESCAPE, NO_LINK, mark_walks

    topology, neighbours = routing.topology, routing.topology.neighbours
    routers, ports = neighbours.shape
    classes, escape = routing.classes, routing.escape_class
    marks = np.zeros((routers * ports * classes, ports, classes), np.bool_)
    turns = np.zeros((int(groups.max()) + 1, ports, classes, ports, classes), np.bool_)
    ends = np.arange(routing.labels) if destinations is None else destinations
    visited = np.full(len(marks), -1, np.int64)
    stack = np.empty(len(marks) + 1, np.int64)
    router, port, fault = -1, -1, 0
    with progress(f"walking all pairs of {routers} routers", total=len(ends)) as advance:
        for first in range(0, len(ends), _ENDS_A_CALL):
            router, port, fault = mark_walks(
                *routing.loop_rule,
                neighbours,
                np.ascontiguousarray(topology.peer_ports),
                topology.node_ports_table,
                topology.local_ports,
                groups,
                np.array(routing.injection_classes),
                np.array(routing.other_ways, np.int64),
                -1 if escape is None else escape,
                routing.written_marks,
                ends[first : first + _ENDS_A_CALL],
                marks,
                turns,
                visited,
                stack,
            )
            if fault:
                break
            advance(_ENDS_A_CALL)
    if fault == LEAVES_ESCAPE:
        raise ValueError(f"routing={routing.name}: a packet must not leave the escape class")
    if fault == NO_LINK:
        raise ValueError(
            f"routing={routing.name}: a port must have a link, not {topology.ports[port]} "
            f"of router {router}"
        )
    of_copies = np.zeros_like(turns)
    if routing.broadcast is not None:
        walk_broadcasts(routing, groups, marks, of_copies, np.arange(topology.nodes))
    return Walks(marks, _sets(turns), _sets(of_copies))


def _sets(turns: np.ndarray) -> list[set[Turn]]:
    """Turns of each group as a set."""
    return [{Turn(*turn) for turn in np.argwhere(group).tolist()} for group in turns]


@dataclass(frozen=True)
class WalkLengths:
    """Lengths of the walks between ordered pairs of distinct nodes, in hops between routers.

    Members
    -------
    mean : float
        Their mean.
    max : int
        The longest.
    nonminimal : int
        Pairs of which a walk is longer than their distance.
    """

    mean: float
    max: int
    nonminimal: int


def summary(lengths: np.ndarray, distances: np.ndarray) -> WalkLengths:
    """Summary of `Routing.walk_lengths`, compared with the distances of the same pairs."""
    nodes = len(lengths)
    draws = lengths.shape[1] // nodes
    is_longer = lengths > np.tile(distances, draws)
    return WalkLengths(
        mean=int(lengths.sum()) / max(nodes * (nodes - 1) * draws, 1),
        max=int(lengths.max()),
        nonminimal=int(is_longer.reshape(nodes, draws, nodes).any(axis=1).sum()),
    )


def walk_lengths(routing: RoutingRule) -> np.ndarray:
    """Hops of the walk for every source, drawn number and destination.

    int32 (nodes, draws * nodes): a column is ``destination + nodes * number``.

    Raises
    ------
    ConfigurationError
        The rule never arrives.
    """
    from .loops import measure_walks

    nodes = routing.topology.nodes
    lengths = np.zeros((nodes, nodes * routing.draws), np.int32)
    peers = np.ascontiguousarray(routing.topology.peer_ports)
    source, label = measure_walks(
        *routing.loop_rule,
        routing.topology.neighbours,
        peers,
        routing.topology.node_ports_table,
        routing.topology.local_ports,
        routing.classes,
        routing.written_numbers,
        lengths,
    )
    if source >= 0:
        routing.hops(source, label % nodes, label // nodes)  # raises the error
    return lengths
