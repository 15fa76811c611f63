"""Channel dependence graph of a routing: which channels packets hold, and which they wait for.

References
----------
W. J. Dally and C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection
networks", IEEE Trans. Computers C-36(5), 1987.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...topology import LOCAL
from ..routing_rule import RoutingRule
from .all_pairs import Walks


class Place(NamedTuple):
    """Where a packet can be: a vertex of the graph.

    Members
    -------
    kind : str
        ``"channel"``: of the link that leaves `router` by `port`; ``"store"`` of a relay, or
        ``"injection"``: the packet that a node sends on from its store.
    router, port, vc_class : int
        Where the channel begins; the port of stores and injections is `LOCAL`.
    """

    kind: str
    router: int
    port: int
    vc_class: int


class Dependence(NamedTuple):
    """Turn by which a packet comes from one place to the next: an edge of the graph."""

    router: int
    input_port: int
    input_class: int
    output_port: int
    output_class: int


class ChannelGraph:
    """Channel dependence graph of one lane; all lanes are equal.

    No packet changes between two but in a store, which all lanes of a class of traffic share:
    `routing.deadlock` says why one lane is enough even so.

    Vertices are numbers. Channel (router * ports + port) * classes + class is that class of the
    link from that port of that router; behind the channels, a relay's store has number router *
    classes + class; behind the stores, so has the node's injection into a class.

    Parameters
    ----------
    routing : RoutingRule
        Routing of the packets.
    walks : Walks
        Walks of its packets between all pairs.

    Members
    -------
    held, wanted : ndarray
        Vertices of each dependence between channels, int64.
    """

    def __init__(self, routing: RoutingRule, walks: Walks) -> None:
        self.routing = routing
        self._neighbours = routing.topology.neighbours
        self._ports, self._classes = self._neighbours.shape[1], routing.classes
        self.held, output, vc_class = np.nonzero(walks.dependencies)
        router, port = np.divmod(self.held // self._classes, self._ports)
        reached = self._neighbours[router, port].astype(np.int64)
        self.wanted = (reached * self._ports + output) * self._classes + vc_class

    def edges(self) -> list[tuple[int, int]]:
        """All edges: dependences between channels, then those of the relays."""
        pairs = zip(self.held.tolist(), self.wanted.tolist(), strict=True)
        return [*pairs, *self.relay_edges]

    def examined_edges(self) -> list[tuple[int, int]]:
        """Edges that must have no ring.

        With escape classes, only their channels must have none: every blocked packet may enter
        them, and none leaves them (Duato).
        """
        examined, escape = np.full(len(self.held), True), self.routing.escape_class
        if escape is not None:
            in_escape = [ends % self._classes >= escape for ends in (self.held, self.wanted)]
            examined = np.logical_and(*in_escape)
        pairs = zip(self.held[examined].tolist(), self.wanted[examined].tolist(), strict=True)
        return [*pairs, *self.relay_edges]

    def ends(self, router: int) -> tuple[list[int], list[int]]:
        """Channels that arrive at a router, and those that leave it, by number."""
        neighbours, (senders, sender_ports) = self._neighbours, self.routing.topology.senders
        classes = range(self._classes)
        channels = senders[router] * self._ports + sender_ports[router]
        arriving = [
            int(channels[port]) * self._classes + c
            for port in np.nonzero(senders[router] >= 0)[0]
            for c in classes
        ]
        leaving = [
            (router * self._ports + int(port)) * self._classes + c
            for port in np.nonzero(neighbours[router] >= 0)[0]
            for c in classes
        ]
        return arriving, leaving

    def ring(self) -> list[int]:
        """Vertices of one ring that must not be there; empty where there is none."""
        import rustworkx as rx

        graph = rx.PyDiGraph(multigraph=False)
        vertices = self._neighbours.size + 2 * len(self._neighbours)
        graph.add_nodes_from(range(vertices * self._classes))
        graph.add_edges_from_no_data(self.examined_edges())
        if rx.is_directed_acyclic_graph(graph):
            return []
        return [number for number, _ in rx.digraph_find_cycle(graph)]

    @cached_property
    def relay_edges(self) -> list[tuple[int, int]]:
        """Arrival -> store -> injection, at every node and for every pair of classes of a relay."""
        relays = self.routing.relays
        neighbours, peer_ports = self._neighbours, self.routing.topology.peer_ports
        routers, ports, classes = len(neighbours), self._ports, self._classes
        stores = neighbours.size * classes
        injections = stores + routers * classes
        router, port = np.nonzero(neighbours >= 0)
        link = router * ports + port
        arriving = neighbours[router, port].astype(np.int64) * ports + peer_ports[router, port]
        edges: list[tuple[int, int]] = []

        def add(sources: np.ndarray, targets: np.ndarray) -> None:
            edges.extend(zip(sources.tolist(), targets.tolist(), strict=True))

        for stored in {a for a, _ in relays}:
            add(link * classes + stored, stores + arriving // ports * classes + stored)
        for stored, sent in relays:
            nodes = np.arange(routers) * classes
            add(stores + nodes + stored, injections + nodes + sent)
        for sent in {b for _, b in relays}:
            add(injections + router * classes + sent, link * classes + sent)
        if self.routing.topology.local_ports > 1:  # a node sends on to others of its router
            nodes = np.arange(routers) * classes
            for sent in {a for a, _ in relays}:
                add(injections + nodes + sent, stores + nodes + sent)
        return edges

    def place(self, number: int) -> Place:
        """What a vertex is."""
        link, vc_class = divmod(number, self._classes)
        behind, router = divmod(link - self._neighbours.size, len(self._neighbours))
        if behind >= 0:
            return Place(("store", "injection")[behind], router, LOCAL, vc_class)
        return Place("channel", *divmod(link, self._ports), vc_class)

    def dependence(self, before: Place, after: Place) -> Dependence:
        """Turn of an edge."""
        router, port = before.router, LOCAL
        if before.kind == "channel":
            port = int(self.routing.topology.peer_ports[before.router, before.port])
            router = int(self._neighbours[before.router, before.port])
        return Dependence(router, port, before.vc_class, after.port, after.vc_class)

    def places(self) -> Iterator[tuple[int, Place]]:
        """Vertices with their numbers: all channels, and the stores and injections of relays."""
        classes, neighbours = self._classes, self._neighbours
        for router, port in np.argwhere(neighbours >= 0).tolist():
            for vc_class in range(classes):
                yield (
                    (router * self._ports + port) * classes + vc_class,
                    Place("channel", router, port, vc_class),
                )
        channels = neighbours.size * classes
        beside = {number for edge in self.relay_edges for number in edge if number >= channels}
        for number in sorted(beside):
            yield number, self.place(number)
