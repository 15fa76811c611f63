"""Deadlock check: the channel dependence graph of a routing must be acyclic.

References
----------
W. J. Dally and C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection
networks", IEEE Trans. Computers C-36(5), 1987. J. Duato, "A new theory of deadlock-free adaptive
routing in wormhole networks", IEEE Trans. Parallel and Distributed Systems 4(12), 1993.
"""

from dataclasses import dataclass

import numpy as np

from ..topology import LOCAL
from .base import Routing

ENUMERATION_LIMIT = 4096
"""Nodes up to which all pairs are walked; above, the routing's rank is verified."""


@dataclass(frozen=True)
class DeadlockReport:
    """Outcome of a check.

    With an escape class, only its channels must be free of rings: every blocked packet may enter
    the class, and none leaves it.

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
        Virtual channels per link.
    cycle : list of (int, int, int) or None
        Channels (from, to, virtual channel) of one ring, where there is one; a relay's store in
        it is (node, node, virtual channel).
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

    Lanes are equal copies that no packet changes between, so one lane is examined.

    Parameters
    ----------
    routing : Routing
        Topology, rule and virtual channels.
    enumerate_pairs : bool or None
        True walks all pairs, False verifies the rank; None chooses by size.
    """
    routing.require_sound()
    if routing.settled is not None:
        return DeadlockReport(
            deadlock_free=True,
            channels=0,
            dependencies=0,
            virtual_channels=0,
            cycle=None,
            reason=routing.settled,
        )
    if enumerate_pairs is None:
        enumerate_pairs = routing.topology.nodes <= ENUMERATION_LIMIT
    return _check_graph(routing) if enumerate_pairs else _check_rank(routing)


def _channels(routing: Routing) -> int:
    return int((routing.topology.neighbours >= 0).sum()) * routing.virtual_channels


def _check_graph(routing: Routing) -> DeadlockReport:
    import rustworkx as rx

    neighbours = routing.topology.neighbours
    ports, classes = neighbours.shape[1], routing.classes
    holder, output, vc_class = np.nonzero(routing.walks.dependencies)
    copies = "" if routing.broadcast is None else " and all broadcasts"
    found = f"all {routing.topology.nodes}^2 pairs{copies} walked: "
    if routing.escape_class is None:
        examined, what = np.full(len(holder), True), "the channel dependence graph"
    else:
        escape = routing.escape_class
        # The walk checked that every blocked packet can enter the escape class and that none
        # leaves it. If the escape channels have no ring, a ring of the others cannot last (Duato).
        examined = (holder % classes == escape) & (vc_class == escape)
        what = f"every blocked packet may escape to class {escape}, whose channel dependence graph"
    router, port = np.divmod(holder[examined] // classes, ports)
    reached = neighbours[router, port].astype(np.int64)
    wanted = (reached * ports + output[examined]) * classes + vc_class[examined]
    edges = list(zip(holder[examined].tolist(), wanted.tolist(), strict=True))
    members = "channels"
    if routing.relays:
        edges += _relay_edges(routing)
        what += ", with the stores of the relays,"
        members = "channels and stores"
    graph = rx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(range(neighbours.size * classes + 2 * len(neighbours) * classes))
    graph.add_edges_from_no_data(edges)
    ring = [] if rx.is_directed_acyclic_graph(graph) else rx.digraph_find_cycle(graph)
    cycle = [channel for number, _ in ring if (channel := _channel(routing, number))]
    return DeadlockReport(
        deadlock_free=not cycle,
        channels=_channels(routing),
        dependencies=len(holder) * routing.lanes,
        virtual_channels=routing.virtual_channels,
        cycle=cycle or None,
        reason=f"{found}{what} "
        + (f"has a cycle of {len(cycle)} {members}" if cycle else "is acyclic"),
    )


def _relay_edges(routing: Routing) -> list[tuple[int, int]]:
    """Arrival -> store -> injection, at every node and for every pair of classes of a relay.

    Behind the channels, a store has number ``router * classes + class``; behind the stores, so has
    the node's injection into a class.
    """
    neighbours, peer_ports = routing.topology.neighbours, routing.topology.peer_ports
    routers, ports = neighbours.shape
    classes = routing.classes
    stores = neighbours.size * classes
    injections = stores + routers * classes
    router, port = np.nonzero(neighbours >= 0)
    link = router * ports + port
    arriving = neighbours[router, port].astype(np.int64) * ports + peer_ports[router, port]
    edges: list[tuple[int, int]] = []

    def add(sources: np.ndarray, targets: np.ndarray) -> None:
        edges.extend(zip(sources.tolist(), targets.tolist(), strict=True))

    for stored in {a for a, _ in routing.relays}:
        add(link * classes + stored, stores + arriving // ports * classes + stored)
    for stored, sent in routing.relays:
        nodes = np.arange(routers) * classes
        add(stores + nodes + stored, injections + nodes + sent)
    for sent in {b for _, b in routing.relays}:
        add(injections + router * classes + sent, link * classes + sent)
    return edges


def _channel(routing: Routing, number: int) -> tuple[int, int, int] | None:
    """Channel (from, to, class), a store (node, node, class), or None: an injection."""
    neighbours = routing.topology.neighbours
    link, vc_class = divmod(number, routing.classes)
    node = link - neighbours.size
    if node >= 0:
        return (node, node, vc_class) if node < len(neighbours) else None
    router, port = divmod(link, neighbours.shape[1])
    return router, int(neighbours[router, port]), vc_class


def _check_rank(routing: Routing) -> DeadlockReport:
    """Verify, for every router and turn, that the output's rank is above the input's."""
    neighbours, (senders, ways) = routing.topology.neighbours, routing.topology.senders
    declared, escape = routing.rank(), routing.escape_class
    count, broken = 0, None
    if declared is not None:
        rank = np.broadcast_to(declared, (*neighbours.shape, routing.classes))
        groups = routing.router_groups
        for number in range(int(groups.max()) + 1):
            members = np.nonzero(groups == number)[0]
            held, held_by = np.empty(0, np.int64), None
            first = int(members[0])
            turns = routing.class_turns(first) | routing.broadcast_class_turns(first)
            for i, a, o, b in sorted(turns):
                if LOCAL in (i, o):
                    continue
                count += len(members)
                if escape not in (None, a):
                    continue
                if escape not in (None, b):
                    raise ValueError(
                        f"routing={routing.name}: a packet must not leave the escape class"
                    )
                if held_by != (i, a):  # the turns are sorted: many share their input
                    held = rank[senders[members, i], ways[members, i], a]
                    held_by = (i, a)
                fails = held >= rank[members, o, b]
                if broken is None and fails.any():
                    where = int(members[np.argmax(fails)])
                    names = routing.topology.ports
                    broken = (
                        f"the turn {names[i]} (class {a}) -> {names[o]} (class {b}) at router "
                        f"{where} does not raise the declared rank"
                    )
        for a, b in routing.relays:  # the store between has the rank of the packet in it
            if broken is None and rank[..., a].max() >= rank[..., b].min():
                broken = f"a relay from class {a} to class {b} does not raise the declared rank"
    if declared is None:
        broken = f"{routing.topology.nodes} nodes are too many to walk and no rank is declared"
    found = "every turn raises the declared rank of its channels"
    if escape is not None:
        found = f"every blocked packet may escape to class {escape}, where {found}"
    return DeadlockReport(
        deadlock_free=broken is None,
        channels=_channels(routing),
        dependencies=count * routing.lanes,
        virtual_channels=routing.virtual_channels,
        cycle=None,
        reason=broken or found,
    )
