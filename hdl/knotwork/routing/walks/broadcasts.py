"""The ways of the copies of broadcasts, found by following the rule."""

from typing import NamedTuple

import numpy as np

from ...topology import Topology
from ..routing_rule import RoutingRule
from ..rules import BroadcastRule


class Tree(NamedTuple):
    """Where the copies of one broadcast go, if every copy takes one step per link.

    Members
    -------
    arrival : ndarray
        Step in which each node has it first, int32: 0 at the source, -1 for never.
    parent : ndarray
        Node from which that copy came, int32; -1 for none.
    label : ndarray
        Label that it came with, int64; 0 at the source.
    duplicates : int
        Copies to a node that had one, the source included.
    """

    arrival: np.ndarray
    parent: np.ndarray
    label: np.ndarray
    duplicates: int


def broadcast_tree(
    topology: Topology, rule: BroadcastRule, parameters: np.ndarray, source: int
) -> Tree:
    """Follow the copies of a broadcast from `source`."""
    from ..compiled.calls import broadcast_rule_address
    from .loops import COLUMNS, LABEL, PARENT, ROUTER, follow_copies

    arrival = np.full(topology.nodes, -1, np.int32)
    copies = np.empty((topology.nodes, COLUMNS), np.int64)
    count, duplicates = follow_copies(
        broadcast_rule_address(rule),
        np.ascontiguousarray(parameters, np.int64),
        np.ascontiguousarray(topology.neighbours),
        np.ascontiguousarray(topology.peer_ports),
        source,
        arrival,
        copies,
    )
    parent, label = np.full(topology.nodes, -1, np.int32), np.zeros(topology.nodes, np.int64)
    reached = copies[1:count]
    parent[reached[:, ROUTER]] = copies[reached[:, PARENT], ROUTER]
    label[reached[:, ROUTER]] = reached[:, LABEL]
    return Tree(arrival, parent, label, duplicates)


def walk_broadcasts(
    routing: RoutingRule,
    groups: np.ndarray,
    marks: np.ndarray,
    turns: np.ndarray,
    sources: np.ndarray,
) -> None:
    """Follow the broadcasts of all `sources` of a routing.

    Parameters
    ----------
    routing : RoutingRule
        With a broadcast.
    groups : ndarray
        Group of each router, int 0...
    marks : ndarray
        Dependencies as in `all_pairs.Walks`; those of the copies are added.
    turns : ndarray
        bool of shape (groups, ports, classes, ports, classes); turns of the copies are added.
    sources : ndarray
        Nodes, int.

    Raises
    ------
    ValueError
        A router gets a second copy.
    """
    from ..compiled.calls import broadcast_rule_address
    from .loops import mark_broadcasts

    topology, broadcast = routing.topology, routing.broadcast
    assert broadcast is not None
    twice = mark_broadcasts(
        broadcast_rule_address(broadcast.rule),
        np.ascontiguousarray(routing.parameters, np.int64),
        np.ascontiguousarray(topology.neighbours),
        np.ascontiguousarray(topology.peer_ports),
        groups,
        sources,
        marks,
        turns,
    )
    if twice >= 0:
        raise ValueError(
            f"broadcast={broadcast.name}: a router must get one copy, not two of that of node "
            f"{twice}"
        )
