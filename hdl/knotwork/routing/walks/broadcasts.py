"""The ways of the copies of broadcasts, found by following the rule."""

from typing import NamedTuple

import numpy as np

from ...topology import Topology
from ..compiled.rule_loop import broadcast_loop_rule
from ..routing_rule import RoutingRule
from ..rules import BroadcastRule


class Tree(NamedTuple):
    """Where the copies of one broadcast go, if every copy takes one step per link.

    Members
    -------
    arrival : ndarray
        Step in which each node has it first, int32: 0 at the source and at other nodes of its
        router, -1 for never.
    parent : ndarray
        Node from which that copy came, int32; -1 for none. Of a router with several nodes it is
        the source, or the first one that gets the broadcast.
    label : ndarray
        Label that it came with, int64; 0 at the source.
    duplicates : int
        Copies to a router that had one, the source's included.
    routers, ports : ndarray
        By router, the one that sent it its copy, and by which port, int64; -1 for none.
    """

    arrival: np.ndarray
    parent: np.ndarray
    label: np.ndarray
    duplicates: int
    routers: np.ndarray
    ports: np.ndarray

    def way_to(self, router: int) -> list[tuple[int, int]]:
        """Routers before one on the way of its copy, each with the port by which it sends."""
        way: list[tuple[int, int]] = []
        while self.routers[router] >= 0:
            way.insert(0, (int(self.routers[router]), int(self.ports[router])))
            router = way[0][0]
        return way


def broadcast_tree(
    topology: Topology, rule: BroadcastRule, parameters: np.ndarray, source: int
) -> Tree:
    """Follow the copies of a broadcast from `source`."""
    from .loops import COLUMNS, LABEL, OUTPUT, PARENT, ROUTER, follow_copies

    routers = topology.routers
    steps = np.full(routers, -1, np.int32)
    copies = np.empty((routers, COLUMNS), np.int64)
    count, duplicates = follow_copies(
        *broadcast_loop_rule(topology, rule, parameters),
        np.ascontiguousarray(topology.neighbours),
        np.ascontiguousarray(topology.peer_ports),
        topology.node_ports_table,
        topology.local_ports,
        source,
        steps,
        copies,
    )
    before, output = (np.full(routers, -1, np.int64) for _ in range(2))
    label = np.zeros(routers, np.int64)
    reached = copies[1:count]
    before[reached[:, ROUTER]] = copies[reached[:, PARENT], ROUTER]
    output[reached[:, ROUTER]] = reached[:, OUTPUT]
    label[reached[:, ROUTER]] = reached[:, LABEL]
    # Of each router the node that its copies count as coming from.
    to = np.array(topology.receivers(source))
    at = topology.node_ports_table[0, to]
    sender = np.full(routers + 1, -1, np.int32)  # the last stands for no router
    sender[at[::-1]] = to[::-1]
    own = topology.router_of(source)
    sender[own] = source
    came_from = before.copy()
    came_from[own] = own
    arrival, parent = (np.full(topology.nodes, -1, np.int32) for _ in range(2))
    labels = np.zeros(topology.nodes, np.int64)
    arrival[to], labels[to] = steps[at], label[at]
    parent[to] = np.where(steps[at] >= 0, sender[came_from[at]], -1)
    parent[source] = -1
    return Tree(arrival, parent, labels, duplicates, before, output)


def receivers_of(topology: Topology) -> np.ndarray:
    """Sources whose broadcasts each local port of each router gets: the first one, and the end.

    int64 of shape (routers, local ports, 2); both 0 where there is no node.
    """
    found = np.zeros((*topology.local_nodes.shape, 2), np.int64)
    for router, port in np.argwhere(topology.local_nodes >= 0).tolist():
        senders = topology.receivers(int(topology.local_nodes[router, port]))
        found[router, port] = senders[0], senders[-1] + 1
    return found


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
    from .loops import COLUMNS, mark_broadcasts

    topology, broadcast = routing.topology, routing.broadcast
    assert broadcast is not None
    twice = mark_broadcasts(
        *broadcast_loop_rule(topology, broadcast.rule, routing.parameters),
        np.ascontiguousarray(topology.neighbours),
        np.ascontiguousarray(topology.peer_ports),
        topology.node_ports_table,
        receivers_of(topology),
        groups,
        sources,
        marks,
        turns,
        np.empty(topology.routers, np.int32),
        np.empty((topology.routers, COLUMNS), np.int64),
    )
    if twice >= 0:
        raise ValueError(
            f"broadcast={broadcast.name}: a router must get one copy, not two of that of node "
            f"{twice}"
        )
