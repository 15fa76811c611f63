"""The deadlock check on random networks and random ways, against two that are not the project's.

The dependence graph is made by walking each pair in plain Python: see `helpers.dependences`.
"""

import numpy as np
import pytest
import rustworkx as rx
from helpers.dependences import dependences, graph_of, is_acyclic, named, within_escape
from helpers.random_links import AscendingRouting, EscapingRandomRouting, RandomLinks, RandomRouting
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.routing import check_deadlock

SEEDS = st.integers(0, 2**32)
LINKS = st.builds(
    RandomLinks,
    size=st.integers(2, 7),
    more=st.integers(0, 6),
    one_way=st.sampled_from(["no", "yes"]),
    links_seed=SEEDS,
)


def assert_the_check_says(routing, edges, *, examined=None):
    """Compare a report with the edges; returns its verdict.

    `examined` are those in which a ring must be, all if None.
    """
    report = check_deadlock(routing, enumerate_pairs=True)
    examined = edges if examined is None else examined
    assert report.deadlock_free == is_acyclic(examined)
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
    assert_the_check_says(routing, edges, examined=within_escape(routing, edges))


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
    free = is_acyclic(edges)
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
