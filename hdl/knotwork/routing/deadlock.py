"""Deadlock check: the channel dependence graph of a routing must be acyclic.

References
----------
W. J. Dally and C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection
networks", IEEE Trans. Computers C-36(5), 1987.
"""

from dataclasses import dataclass

import numpy as np
import rustworkx as rx

from ..topology import LOCAL
from ..topology.metrics import port_patterns
from .base import Routing

ENUMERATION_LIMIT = 4096
"""Nodes up to which all pairs are walked; above, the routing's rank is verified."""


@dataclass(frozen=True)
class DeadlockReport:
    """Outcome of a check.

    Members
    -------
    deadlock_free : bool
        Whether no packets can wait for each other in a ring.
    channels : int
        Virtual channels of all links, both directions.
    dependencies : int
        Pairs of channels of which a packet can hold one and wait for the other; an upper bound,
        from the declared turns, where the rank was verified instead of all pairs.
    virtual_channels : int
        Virtual channels a link.
    cycle : list of (int, int, int) or None
        Channels (from, to, virtual channel) of one ring, where there is one.
    reason : str
        What was checked and found.
    """

    deadlock_free: bool
    channels: int
    dependencies: int
    virtual_channels: int
    cycle: list[tuple[int, int, int]] | None
    reason: str


def check_deadlock(routing: Routing, *, enumerate_pairs: bool | None = None) -> DeadlockReport:
    """Decide whether a routing can deadlock.

    Lanes are equal copies without ways between them, so one lane is examined.

    Parameters
    ----------
    routing : Routing
        Topology, rule and virtual channels.
    enumerate_pairs : bool or None
        True walks all pairs, False verifies the rank; None chooses by size.
    """
    if enumerate_pairs is None:
        enumerate_pairs = routing.topology.nodes <= ENUMERATION_LIMIT
    return _check_graph(routing) if enumerate_pairs else _check_rank(routing)


def _channels(routing: Routing) -> int:
    return int((routing.topology.neighbours >= 0).sum()) * routing.virtual_channels


def _check_graph(routing: Routing) -> DeadlockReport:
    from .tables import dependencies

    marks = dependencies(routing)
    neighbours = routing.topology.neighbours
    ports, classes = neighbours.shape[1], routing.classes
    holder, output, vc_class = np.nonzero(marks)
    router, port = np.divmod(holder // classes, ports)
    reached = neighbours[router, port].astype(np.int64)
    wanted = (reached * ports + output) * classes + vc_class
    graph = rx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(range(len(marks)))
    graph.add_edges_from_no_data(list(zip(holder.tolist(), wanted.tolist(), strict=True)))
    edges = [] if rx.is_directed_acyclic_graph(graph) else rx.digraph_find_cycle(graph)
    cycle = []
    for channel, _ in edges:
        router, port = divmod(channel // classes, ports)
        cycle.append((router, int(neighbours[router, port]), channel % classes))
    pairs = f"all {routing.topology.nodes}^2 pairs walked"
    return DeadlockReport(
        deadlock_free=not cycle,
        channels=_channels(routing),
        dependencies=len(holder) * routing.lanes,
        virtual_channels=routing.virtual_channels,
        cycle=cycle or None,
        reason=f"{pairs}: the channel dependence graph "
        + (f"has a cycle of {len(cycle)} channels" if cycle else "is acyclic"),
    )


def _check_rank(routing: Routing) -> DeadlockReport:
    """Verify, for every router and turn, that the output's rank is above the input's."""
    neighbours, peer_ports = routing.topology.neighbours, routing.topology.peer_ports
    declared = routing.rank()
    count, broken = 0, None
    if declared is not None:
        rank = np.broadcast_to(declared, (*neighbours.shape, routing.classes))
        patterns, kind = port_patterns(neighbours)
        for number, pattern in enumerate(patterns):
            members = np.nonzero(kind == number)[0]
            connected = (LOCAL, *(int(p) for p in np.nonzero(pattern)[0]))
            held, held_by = np.empty(0, np.int64), None
            for i, a, o, b in sorted(routing.class_turns(connected)):
                if LOCAL in (i, o):
                    continue
                count += len(members)
                if held_by != (i, a):  # the turns come sorted: many share their input
                    held = rank[neighbours[members, i], peer_ports[members, i], a]
                    held_by = (i, a)
                fails = held >= rank[members, o, b]
                if broken is None and fails.any():
                    where = int(members[np.argmax(fails)])
                    names = routing.topology.ports
                    broken = (
                        f"the turn {names[i]} (class {a}) -> {names[o]} (class {b}) at router "
                        f"{where} does not raise the declared rank"
                    )
    if declared is None:
        broken = f"{routing.topology.nodes} nodes are too many to walk and no rank is declared"
    return DeadlockReport(
        deadlock_free=broken is None,
        channels=_channels(routing),
        dependencies=count * routing.lanes,
        virtual_channels=routing.virtual_channels,
        cycle=None,
        reason=broken or "every turn raises the declared rank of its channels",
    )
