"""Rules of a user's with several ways, with a ring planted that packets close only by choosing.

Packets escape along a tree of the graph, so the escape's dependences that packets make which
escape at their source are acyclic. The planted turns lead a packet that has chosen before over a
link beside the tree, which closes a ring with the tree's own dependences.
"""

from functools import cached_property
from itertools import pairwise
from typing import ClassVar, NamedTuple

import pytest
import rustworkx as rx
from helpers.dependences import dependences, is_acyclic, named, within_escape
from helpers.digraphs import random_regular
from helpers.refusals import refuses
from knotwork import Network
from knotwork.errors import DeadlockError
from knotwork.routing import Routing
from knotwork.topology import LOCAL

CLASSES, WAYS = 2, 3  # class 1 is that of the escape; a packet in class 0 has three ways
LAST = CLASSES + WAYS - 1  # the other ways are 2 and 3, and 4 for the escape
GRAPHS = range(20)


class Turns(NamedTuple):
    """Planted turns: packets to `end` go before -> first -> last -> end, in the escape class.

    before and end are the parents of first and last in the tree, whose link is beside the tree.
    The packets come to `before` in class 0, by `port`, never by their first ways alone.
    """

    before: int
    first: int
    last: int
    end: int
    port: int


class Graph:
    """Drawn graph, its tree from router 0 by breadth, and the ways that get nearer."""

    def __init__(self, seed):
        self.topology = random_regular(12, 3 + seed % 2, seed)
        neighbours = self.topology.neighbours
        graph = rx.PyGraph(multigraph=False)
        graph.add_nodes_from(range(12))
        graph.add_edges_from_no_data(
            [(r, int(n)) for r in range(12) for n in neighbours[r] if n > r]
        )
        self.hops = rx.graph_distance_matrix(graph).astype(int)
        self.parent = [-1] * 12
        for router in sorted(range(1, 12), key=lambda r: self.hops[0, r]):
            nearer = [n for n in graph.neighbors(router) if self.hops[0, n] < self.hops[0, router]]
            self.parent[router] = min(nearer)
        tree = rx.PyGraph()
        tree.add_nodes_from(range(12))
        tree.add_edges_from_no_data([(r, self.parent[r]) for r in range(1, 12)])
        paths = rx.all_pairs_dijkstra_shortest_paths(tree, lambda _: 1)
        self.tree_path = {(a, b): list(paths[a][b]) for a in range(12) for b in range(12) if a != b}
        self.ways = {
            (a, b): [self.port(a, n) for n in sorted(graph.neighbors(a))
                     if self.hops[n, b] < self.hops[a, b]]
            for a in range(12) for b in range(12) if a != b
        }  # fmt: skip

    def port(self, router, neighbour):
        return self.topology.neighbours[router].tolist().index(neighbour)

    def states(self, end, ways):
        """Routers and ports to which packets in class 0 come by the first of so many ways."""
        waiting, seen = [(router, LOCAL) for router in range(12)], set()
        while waiting:
            state = waiting.pop()
            router = state[0]
            if state in seen or router == end:
                continue
            seen.add(state)
            for out in self.ways[router, end][:ways]:
                far = self.topology.neighbours[router, out], self.topology.peer_ports[router, out]
                waiting.append((int(far[0]), int(far[1])))
        return seen

    def turns(self):
        """First planted turns that are possible in the graph; None where none are."""
        for first in range(12):
            for last in map(int, self.topology.neighbours[first, 1:]):
                before, end = self.parent[first], (self.parent[last] if last >= 0 else -1)
                if min(before, end) < 0 or before in {end, last} or first == end:
                    continue
                for router, port in sorted(self.states(end, WAYS) - self.states(end, 1)):
                    if router == before and port != LOCAL:
                        return Turns(before, first, last, end, port)
        return None


def drawn(number):
    """The graph of a number, with turns that can be planted."""
    for attempt in range(100):
        graph = Graph(number + 20 * attempt)
        if graph.turns() is not None:
            return graph
    raise AssertionError("no graph has such turns")


class Planted(Routing):
    """Ways that get nearer, and an escape along the tree; `plant` says what else packets do.

    ``"escape"``: a blocked packet escapes over the planted turns. ``"way"``: its second way leads
    there. ``"return"``: it escapes so too, and comes back into class 0 on the way.
    """

    name: ClassVar[str] = "planted"
    graph: ClassVar[Graph]
    plant: ClassVar[str | None] = None
    escape_class = 1
    other_ways = tuple(range(CLASSES, LAST + 1))

    def needed_virtual_channels(self):
        return CLASSES

    @cached_property
    def rule(self):
        graph, plant, turns = self.graph, self.plant, self.graph.turns()
        number = {"escape": LAST, "way": CLASSES, "return": LAST}.get(plant)
        come = graph.port(turns.first, turns.before), graph.port(turns.last, turns.first)
        states = {
            (turns.before, turns.port, number): (turns.first, 1),
            (turns.first, come[0], 1): (turns.last, 0 if plant == "return" else 1),
            (turns.last, come[1], 1): (turns.end, 1),
        }

        def rule(parameters, router, port, channel_class, destination):
            if router == destination:
                return LOCAL, 0
            state = router, port, channel_class
            if plant and destination == turns.end and state in states:
                far, out_class = states[state]
                return graph.port(router, far), out_class
            if channel_class in (1, LAST):
                return graph.port(router, graph.tree_path[router, destination][1]), 1
            ways = graph.ways[router, destination]
            return ways[max(0, channel_class - CLASSES + 1) % len(ways)], 0

        return rule


def network(number, plant):
    graph = drawn(number)
    kind = type("Planted", (Planted,), {"graph": graph, "plant": plant})
    return Network(graph.topology, routing=kind)


def ring(graph):
    """Channels of the planted ring: over the link beside the tree, and back through the tree."""
    turns = graph.turns()
    back = graph.tree_path[turns.last, turns.first]
    return [(a, b, 1) for a, b in [(turns.first, turns.last), *pairwise(back)]]


@pytest.mark.parametrize("number", GRAPHS)
def test_the_graph_without_planted_turns_is_free_of_deadlock(number):
    made = network(number, None)
    assert made.deadlock_report.deadlock_free
    made.require_deadlock_free()
    assert is_acyclic(within_escape(made.routing, dependences(made.routing)))


@pytest.mark.parametrize("plant", ["escape", "way"])
@pytest.mark.parametrize("number", GRAPHS)
def test_a_ring_that_packets_close_by_choosing_is_found_and_shown(number, plant):
    made = network(number, plant)
    routing, expected = made.routing, ring(drawn(number))
    at_once, on_first_ways = ([LAST], [0, LAST])
    for choices in (at_once, on_first_ways):
        assert is_acyclic(within_escape(routing, dependences(routing, choices=choices)))
    edges = within_escape(routing, dependences(routing))
    assert not is_acyclic(edges)
    assert set(zip(expected, [*expected[1:], expected[0]], strict=True)) <= named(routing, edges)
    report = made.deadlock_report
    assert not report.deadlock_free
    place = report.cycle.index(expected[0])
    assert report.cycle[place:] + report.cycle[:place] == expected
    with refuses(
        f"{made.name}: routing=planted must be free of deadlock with virtual_channels=2 (or "
        f"allow_deadlock=yes): all 12^2 pairs walked: every blocked packet may escape to class 1, "
        f"whose channel dependence graph has a cycle of {len(expected)} channels: "
        + ", ".join(f"{a:04b}->{b:04b} vc{vc}" for a, b, vc in report.cycle),
        DeadlockError,
    ):
        made.require_deadlock_free()


@pytest.mark.parametrize("number", GRAPHS)
def test_an_escape_that_can_return_is_refused_where_it_does(number):
    """Only so could a channel of the escape depend on another through channels of class 0."""
    graph = drawn(number)
    turns, ports = graph.turns(), graph.topology.ports
    come = ports[graph.port(turns.first, turns.before)]
    with refuses(
        f"digraph: routing=planted: at router {turns.first}, for a packet to {turns.end} by port "
        f"{come}, the class must stay 1, the escape class, not become 0"
    ):
        network(number, "return").require_deadlock_free()
