"""The deadlock check on random networks and random ways, against two that are not the project's.

The dependence graph is made here by walking each pair in plain Python; rustworkx decides whether
it has a ring, and so does taking away, again and again, the channels that wait for nothing.
"""

import numpy as np
import pytest
import rustworkx as rx
from helpers.random_links import AscendingRouting, EscapingRandomRouting, RandomLinks, RandomRouting
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.routing import check_deadlock
from knotwork.topology import LOCAL

SEEDS = st.integers(0, 2**32)
LINKS = st.builds(
    RandomLinks,
    size=st.integers(2, 7),
    more=st.integers(0, 6),
    one_way=st.sampled_from(["no", "yes"]),
    links_seed=SEEDS,
)


def dependences(routing):
    """Pairs of channels (router, port, class): packets hold the first while they want the second.

    Nothing of the project is asked but the rule and the links.
    """
    topology, found = routing.topology, set()
    for source in range(topology.nodes):
        for destination in range(topology.nodes):
            states, seen = [(None, source, LOCAL, 0)], set()
            while states:
                held, router, port, vc_class = state = states.pop()
                if state in seen or router == destination:
                    continue
                seen.add(state)
                for asked in {vc_class, routing.escape_class} - {None}:
                    out, c = routing.rule(routing.parameters, router, port, asked, destination)
                    wanted = router, int(out), int(c)
                    if held is not None:
                        found.add((held, wanted))
                    far = int(topology.neighbours[router, out])
                    states.append((wanted, far, int(topology.peer_ports[router, out]), int(c)))
    return found


def graph_of(edges):
    """Graph whose nodes are the channels."""
    graph = rx.PyDiGraph()
    number = {c: graph.add_node(c) for c in sorted({end for edge in edges for end in edge})}
    graph.add_edges_from_no_data([(number[a], number[b]) for a, b in sorted(edges)])
    return graph


def peeling_says_acyclic(edges):
    """Whether nothing is left when channels that wait for no other are taken away in turn."""
    left = set(edges)
    while True:
        waiting = {a for a, _ in left}
        kept = {(a, b) for a, b in left if b in waiting}
        if kept == left:
            return not left
        left = kept


def verdict(edges):
    """What both of the others say."""
    free = rx.is_directed_acyclic_graph(graph_of(edges))
    assert peeling_says_acyclic(edges) == free
    return free


def named(routing, edges):
    """Edges with channels as a report names them: from, to, class."""
    neighbours = routing.topology.neighbours
    return {tuple((r, int(neighbours[r, p]), c) for r, p, c in edge) for edge in edges}


def assert_the_check_says(routing, edges, *, examined=None):
    """Compare a report with the edges; returns its verdict.

    `examined` are those in which a ring must be, all if None.
    """
    report = check_deadlock(routing, enumerate_pairs=True)
    examined = edges if examined is None else examined
    assert report.deadlock_free == verdict(examined)
    assert report.dependencies == len(edges) * routing.lanes
    links = int((routing.topology.neighbours >= 0).sum())
    assert report.channels == links * routing.virtual_channels
    if not report.deadlock_free:
        ring = report.cycle
        assert set(zip(ring, [*ring[1:], ring[0]], strict=True)) <= named(routing, examined)
    return report.deadlock_free


@settings(max_examples=80)
@given(links=LINKS, seed=SEEDS, classes=st.integers(1, 3), lanes=st.integers(1, 2))
def test_all_three_agree_on_any_network_and_ways(links, seed, classes, lanes):
    routing = RandomRouting.drawn(seed, classes)(links, virtual_channels=classes * lanes)
    assert_the_check_says(routing, dependences(routing))


@settings(max_examples=40)
@given(links=LINKS, seed=SEEDS, classes=st.integers(2, 3))
def test_all_three_agree_on_escape_classes(links, seed, classes):
    routing = EscapingRandomRouting.drawn(seed, classes)(links)
    edges = dependences(routing)
    escape = routing.escape_class
    inside = {(a, b) for a, b in edges if a[2] == b[2] == escape}
    assert_the_check_says(routing, edges, examined=inside)


@settings(max_examples=40)
@given(links=LINKS, seed=SEEDS)
def test_the_classes_that_the_check_asks_for_are_the_fewest(links, seed):
    routing = AscendingRouting.drawn(seed)(links)
    assert assert_the_check_says(routing, dependences(routing))
    for fewer in range(1, routing.classes):
        less = AscendingRouting.drawn(seed)(links, virtual_channels=fewer)
        assert less.classes == fewer
        assert not assert_the_check_says(less, dependences(less))


@settings(max_examples=40)
@given(links=LINKS, seed=SEEDS, classes=st.integers(1, 2))
def test_a_rank_is_believed_where_it_rises_and_only_there(links, seed, classes):
    """A topological order proves what is free; no order at all proves what is not."""
    routing = RandomRouting.drawn(seed, classes)(links)
    edges = dependences(routing)
    free = verdict(edges)
    rank = np.random.default_rng(seed).permutation(links.neighbours.size * classes)
    rank = rank.reshape(*links.neighbours.shape, classes)
    if free:
        graph = graph_of(edges)  # each generation waits for later ones only
        for place, generation in enumerate(rx.topological_generations(graph)):
            for channel in generation:
                rank[graph[channel]] = place
    raised = all(rank[a] < rank[b] for a, b in edges)
    routing.rank = lambda: rank
    report = check_deadlock(routing, enumerate_pairs=False)
    assert report.deadlock_free == raised == free


@pytest.mark.parametrize("routing", [RandomRouting.drawn(0), EscapingRandomRouting.drawn(0, 2)])
def test_both_verdicts_are_met(routing):
    """Otherwise the agreement above would say nothing."""
    verdicts = []
    for seed in range(40):
        links = RandomLinks(size=2 + seed % 6, more=seed % 4, links_seed=seed)
        verdicts.append(check_deadlock(routing.drawn(seed, routing.needed)(links)).deadlock_free)
    assert min(verdicts.count(True), verdicts.count(False)) >= 5
