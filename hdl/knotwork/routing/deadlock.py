"""Deadlock check: the channel dependence graph of a routing must be acyclic.

References
----------
W. J. Dally and C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection
networks", IEEE Trans. Computers C-36(5), 1987. J. Duato, "A new theory of deadlock-free adaptive
routing in wormhole networks", IEEE Trans. Parallel and Distributed Systems 4(12), 1993.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..errors import ConfigurationError
from ..wording import plural
from .base import Routing
from .walks.channel_graph import ChannelGraph

ENUMERATION_LIMIT = 4096
"""Nodes up to which all pairs are walked; above, the routing's rank is verified."""
_LABEL_LIMIT = 1 << 16  # destinations with what a source may draw, for the same


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

    Lanes are equal copies that no packet changes between, so one lane is examined. With relays
    that is as exact: the lanes share a node's stores, and what a store sends on may go by any lane.
    Fold all lanes into one, a channel of each onto that of the same class. A ring over several
    lanes is then a ring of the one, for every dependence is one of it; and a ring of the one is a
    ring within any lane, with the stores between.

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
        few = routing.topology.nodes <= ENUMERATION_LIMIT
        enumerate_pairs = few and routing.labels <= _LABEL_LIMIT
    return _check_graph(routing) if enumerate_pairs else _check_rank(routing)


def check_messages(
    routing: Routing, sources: Sequence[int], destinations: Sequence[int]
) -> DeadlockReport:
    """Deadlock check of these messages alone: whether they can wait for each other in a ring.

    Raises
    ------
    ConfigurationError
        A routing whose packets may leave their path.
    """
    import rustworkx as rx

    if routing.settled is not None:
        return check_deadlock(routing)
    if not routing.has_one_path:
        raise ConfigurationError(
            f"{routing.topology.name}: packets must keep to one path in a check of messages, not "
            f"choose as with routing={routing.name}"
        )
    routing.require_sound()
    numbers: dict[tuple[int, int, int], int] = {}
    edges = set()
    for source, destination in zip(sources, destinations, strict=True):
        hops = routing.hops(source, destination)
        held = [(hop.router, after.router, hop.virtual_channel) for hop, after in pairwise(hops)]
        places = [numbers.setdefault(channel, len(numbers)) for channel in held]
        edges |= set(pairwise(places))
    graph = rx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(list(numbers))
    graph.add_edges_from_no_data(sorted(edges))
    ring = [] if rx.is_directed_acyclic_graph(graph) else rx.digraph_find_cycle(graph)
    cycle = [graph[number] for number, _ in ring]
    outcome = f"has a cycle of {len(cycle)} channels" if cycle else "is acyclic"
    walked = f"{plural(len(sources), 'message')} walked"
    return DeadlockReport(
        deadlock_free=not cycle,
        channels=_channels(routing),
        dependencies=len(edges),
        virtual_channels=routing.virtual_channels,
        cycle=cycle or None,
        reason=f"{walked}: their channel dependence graph {outcome}",
    )


def _escape(routing: Routing) -> str:
    """Words for the escape classes: ``class 1``, ``classes 1 to 2``."""
    first, last = routing.escape_class, routing.classes - 1
    return f"class {first}" if first == last else f"classes {first} to {last}"


def _channels(routing: Routing) -> int:
    return int((routing.topology.neighbours >= 0).sum()) * routing.virtual_channels


def _check_graph(routing: Routing) -> DeadlockReport:
    graph, topology = ChannelGraph(routing, routing.walks), routing.topology
    copies = "" if routing.broadcast is None else " and all broadcasts"
    drawn = "" if routing.draws == 1 else f" by each of {routing.draws} draws"
    found = f"all {topology.nodes}^2 pairs{copies} walked{drawn}: "
    what, members = "the channel dependence graph", "channels"
    if routing.escape_class is not None:
        # The walk checked that every blocked packet can enter the escape classes and that none
        # leaves them. If their channels have no ring, a ring of the others cannot last (Duato).
        what = f"every blocked packet may escape to {_escape(routing)}, whose channel dependence "
        what += "graph"
    if routing.relays:
        what += ", with the stores of the relays,"
        members = "channels and stores"
    cycle = []
    for place in map(graph.place, graph.ring()):
        after = topology.neighbours[place.router, place.port]
        to = {"channel": int(after), "store": place.router}.get(place.kind)
        if to is not None:  # not an injection
            cycle.append((place.router, to, place.vc_class))
    return DeadlockReport(
        deadlock_free=not cycle,
        channels=_channels(routing),
        dependencies=len(graph.held) * routing.lanes,
        virtual_channels=routing.virtual_channels,
        cycle=cycle or None,
        reason=f"{found}{what} "
        + (f"has a cycle of {len(cycle)} {members}" if cycle else "is acyclic"),
    )


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
                if routing.topology.is_local(min(i, o)):
                    continue
                count += len(members)
                if escape is not None and a < escape:
                    continue
                if escape is not None and b < escape:
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
        found = f"every blocked packet may escape to {_escape(routing)}, where {found}"
    return DeadlockReport(
        deadlock_free=broken is None,
        channels=_channels(routing),
        dependencies=count * routing.lanes,
        virtual_channels=routing.virtual_channels,
        cycle=None,
        reason=broken or found,
    )
