"""The search itself: swaps of links, walks that measure them, and circulants."""

from itertools import combinations

import numpy as np
import pytest
import rustworkx
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.topology import metrics
from knotwork.topology.base import pair_ports
from knotwork_sim.search import circulants
from knotwork_sim.search.circulants import best_steps
from knotwork_sim.search.figures import bounds, channel_numbers, figures
from knotwork_sim.search.graphs import circulant, first_steps, links_of, orbits, paired
from knotwork_sim.search.improve import EVERYWHERE, FAR, Aim, Walker, hops, improved, mixed, spread

HOPS = Aim(is_load=False)


def searched(nodes, degree, swaps, *, base=None, aim=HOPS, seed=1):
    random = np.random.default_rng(seed)
    start = mixed(paired(nodes, degree), base or nodes, random)
    return start, improved(start, base or nodes, aim, swaps, random)


@pytest.mark.parametrize(
    ("nodes", "degree", "diameter", "mean"),
    [
        (10, 3, 2, 5 / 3),  # Petersen's graph
        (14, 3, 3, 27 / 13),  # Heawood's
        (20, 3, 3, 45 / 19),  # largest known of degree and diameter 3
        (15, 4, 2, 24 / 14),  # largest known of degree 4 and diameter 2
        (24, 5, 2, 41 / 23),  # largest known of degree 5 and diameter 2
    ],
)
def test_largest_known_graphs_are_found(nodes, degree, diameter, mean):
    best = min(
        (figures(searched(nodes, degree, 30_000, seed=seed)[1], EVERYWHERE) for seed in range(6)),
        key=lambda found: found.average_distance,
    )
    assert (best.diameter, best.average_distance) == (diameter, pytest.approx(mean))


def test_64_routers_come_within_2_percent_of_the_bound_and_the_fullest_channel_is_lowered():
    _, table = searched(64, 4, 150_000)
    least = bounds(64, 4, EVERYWHERE).average_distance
    assert least <= figures(table, EVERYWHERE).average_distance < 1.02 * least
    start, table = searched(32, 3, 3000, base=8, aim=Aim(True))
    before, after = figures(start, EVERYWHERE), figures(table, EVERYWHERE)
    assert after.fullest_channel < 0.8 * before.fullest_channel
    assert after.fullest_channel >= bounds(32, 3, EVERYWHERE).fullest_channel


@pytest.mark.parametrize("is_load", [False, True])
def test_rates_pull_the_busiest_pairs_together(is_load):
    rates = np.full((16, 16), 0.001)
    rates[np.arange(16), (7 * np.arange(16) + 3) % 16] = 1.0
    rates *= 16 / rates.sum()
    start, table = searched(16, 3, 4000, aim=Aim(is_load, rates))
    before, after = figures(start, rates), figures(table, rates)
    which = "fullest_channel" if is_load else "average_distance"
    assert getattr(after, which) < 0.8 * getattr(before, which)


def test_a_complete_graph_and_one_without_swaps_stay_as_they_are():
    table = circulant(6, first_steps(6, 5))
    random = np.random.default_rng(1)
    assert (mixed(table, 6, random) == table).all()
    assert (improved(table, 6, Aim(False), 100, random) == table).all()
    table = circulant(12, (1, 5))
    assert (improved(table, 12, Aim(False), 0, random) == table).all()


def require_sound(walker, degree):
    """Regular, without loops and double links, both ways alike, mapped onto itself."""
    table, nodes = walker.neighbours, len(walker.neighbours)
    links = {tuple(link) for link in links_of(table).tolist()}
    assert len(links) == nodes * degree // 2
    assert not (table == np.arange(nodes)[:, None]).any()
    assert all(len(set(row)) == degree for row in table.tolist())
    assert all(here in table[there] for here in range(nodes) for there in table[here])
    turned = {tuple(sorted((end + walker.base) % nodes for end in link)) for link in links}
    assert turned == links


def require_numbered(walker):
    """Opposite channels differ in bit 0, those of an orbit are alike, others not."""
    fresh = orbits(walker.neighbours, walker.base)
    pairs = {
        (fresh.channels[place], walker.channels[place])
        for place in np.ndindex(fresh.channels.shape)
    }
    assert len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([(12, 3, 12), (12, 4, 4), (24, 3, 4), (24, 5, 24), (36, 4, 6), (20, 4, 5)]),
    st.booleans(),
    st.integers(0, 1000),
)
def test_swaps_keep_the_degree_and_the_rotations(shape, is_load, seed):
    nodes, degree, base = shape
    walker = Walker(paired(nodes, degree), base, Aim(is_load))
    walker.swap(np.random.default_rng(seed), np.full(60, np.inf))
    require_sound(walker, degree)
    require_numbered(walker)
    assert walker.cost == pytest.approx(Walker(walker.neighbours, base, Aim(is_load)).cost)


def test_a_swap_is_refused_where_it_costs_too_much_and_graphs_stay_connected():
    table = paired(24, 4)
    walker = Walker(table, 24, Aim(is_load=False))
    walker.swap(np.random.default_rng(1), np.full(500, -np.inf))
    assert (walker.neighbours == table).all()
    assert (walker.best == table).all()
    ring = Walker(paired(30, 2), 30, Aim(is_load=False, rates=EVERYWHERE))
    ring.swap(np.random.default_rng(1), np.full(300, np.inf))
    require_sound(ring, 2)
    seen, here = [0], int(ring.neighbours[0, 0])
    while here != 0:
        seen.append(here)
        here = next(int(near) for near in ring.neighbours[here] if near != seen[-2])
    assert sorted(seen) == list(range(30))


@pytest.mark.parametrize("aim", [Aim(False), Aim(True), Aim(False, np.ones((24, 24)))])
def test_the_best_graph_is_kept(aim):
    walker = Walker(paired(24, 4), 24, aim)
    random, costs = np.random.default_rng(1), [walker.cost]
    for _ in range(200):
        walker.swap(random, np.array([np.inf]))
        costs.append(walker.cost)
    best = Walker(walker.best, 24, aim).cost
    assert best < costs[0]
    assert best == pytest.approx(min(costs), rel=0.05 if aim.is_load else 1e-9)


def walked(table, sources, limit=np.inf):
    bits = np.zeros((2, len(table), -(-sources // 64)), np.uint64)
    return hops(table, sources, *bits, limit)


def loads_of(table, rates=EVERYWHERE):
    nodes, channels = len(table), channel_numbers(table, pair_ports(table))
    loads = np.zeros(table.size)
    rooms, room = np.zeros((2, nodes), np.int32), np.zeros((2, nodes))
    total = spread(table, channels, nodes, rates, loads, *rooms, *room)
    return total, loads, channels


@st.composite
def graphs(draw):
    nodes, degree = draw(st.integers(4, 70)), draw(st.integers(2, 5))
    if degree >= nodes or nodes * degree % 2:
        degree = 2
    table = circulant(nodes, first_steps(nodes, degree))
    return mixed(table, nodes, np.random.default_rng(draw(st.integers(0, 99))))


@settings(max_examples=15, deadline=None)
@given(graphs())
def test_hops_are_those_of_another_search(table):
    counts = metrics.distance_counts(table)
    total, diameter = walked(table, len(table))
    assert total == counts @ np.arange(len(counts))
    assert diameter == len(counts) - 1
    assert walked(table, len(table), total) == (total, diameter)
    assert walked(table, len(table), total - 1) == (FAR, FAR)


@settings(max_examples=15, deadline=None)
@given(graphs())
def test_loads_are_the_betweenness_of_links(table):
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(len(table)))
    links = links_of(table).tolist()
    graph.add_edges_from_no_data([tuple(link) for link in links])
    between = rustworkx.graph_edge_betweenness_centrality(graph, normalized=False)
    total, loads, channels = loads_of(table)
    for number, (first, second) in enumerate(links):
        port = table[first].tolist().index(second)
        channel = channels[first, port]
        # Both directions alike, and a pair of routers once each way.
        assert loads[channel] == pytest.approx(between[number])
        assert loads[channel ^ 1] == pytest.approx(between[number])
    assert total == pytest.approx(loads.sum()) == walked(table, len(table))[0]


def test_rates_load_the_paths_of_their_pair_alone_and_equally():
    table = circulant(5, (1,))
    rates = np.zeros((5, 5))
    rates[0, 2], rates[4, 4] = 3.0, 9.0
    total, loads, channels = loads_of(table, rates)
    assert total == 6.0
    forward = [channels[0, 0], channels[1, 0]]
    assert loads[forward].tolist() == [3.0, 3.0]
    assert loads.sum() == 6.0
    rates = np.zeros((4, 4))
    rates[0, 2] = 1.0
    assert sorted(loads_of(circulant(4, (1,)), rates)[1]) == [0.0] * 4 + [0.5] * 4
    two = np.array([[1], [0], [3], [2]], np.int32)
    assert walked(two, 4) == (FAR, FAR)
    assert loads_of(two)[0] == FAR


@pytest.mark.parametrize("is_load", [False, True])
def test_a_symmetric_graph_is_walked_from_its_base_alone(is_load):
    table = circulant(24, (1, 5))
    costs = [Walker(table, base, Aim(is_load)).cost for base in (1, 4, 12, 24)]
    scale = [1.0] * 4 if is_load else [24.0, 6.0, 2.0, 1.0]
    assert np.array(costs) * scale == pytest.approx(costs[-1])


def best_of(nodes, degree, aim=HOPS):
    steps = best_steps(nodes, degree, aim, np.random.default_rng(1))
    return steps, figures(circulant(nodes, steps), aim.rates)


@pytest.mark.parametrize("diameter", range(1, 8))
def test_degree_4_has_the_optimum_of_the_formula(diameter):
    """As many routers as steps can reach, 4k of them k hops away."""
    nodes = 2 * diameter * (diameter + 1) + 1
    _, best = best_of(nodes, 4)
    total = 2 * diameter * (diameter + 1) * (2 * diameter + 1) / 3
    assert best.diameter == diameter
    assert best.average_distance == pytest.approx(total / (nodes - 1))


def unlike(nodes):
    """Rates of nodes that send most to the fifth from each."""
    rates = np.full((nodes, nodes), 0.001)
    rates[np.arange(nodes), (np.arange(nodes) + 5) % nodes] = 1.0
    return rates * nodes / rates.sum()


@pytest.mark.parametrize(("nodes", "degree"), [(16, 3), (18, 4), (20, 5), (21, 6)])
@pytest.mark.parametrize("is_load", [False, True])
@pytest.mark.parametrize("is_uniform", [False, True])
def test_no_other_set_of_steps_is_better(nodes, degree, is_load, is_uniform):
    half = (nodes // 2,) if degree % 2 else ()
    aim = Aim(is_load, EVERYWHERE if is_uniform else unlike(nodes))
    which = "fullest_channel" if is_load else "average_distance"
    every = []
    for steps in combinations(range(1, (nodes - 1) // 2 + 1), degree // 2):
        if np.gcd.reduce([nodes, *steps, *half]) == 1:
            every.append(getattr(figures(circulant(nodes, steps + half), aim.rates), which))
    assert getattr(best_of(nodes, degree, aim)[1], which) == pytest.approx(min(every))


def test_rates_choose_the_steps_and_the_least_graphs_have_only_one():
    steps, best = best_of(14, 4, Aim(False, unlike(14)))
    assert 5 in steps
    assert best.average_distance < 1.1
    assert best_of(2, 1)[0] == (1,)
    assert best_of(3, 2)[0] == (1,)
    assert best_of(6, 5)[0] == (1, 2, 3)


def test_a_local_search_takes_over_where_sets_are_many(monkeypatch):
    all_of_them = best_of(61, 4)
    monkeypatch.setattr(circulants, "WALKED", 61 * 4 * 300)  # of 435 sets
    steps, best = best_of(61, 4)
    assert list(steps) == sorted(steps)
    assert best.average_distance == pytest.approx(all_of_them[1].average_distance)
