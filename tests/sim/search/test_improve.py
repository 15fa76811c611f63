"""Graphs that a search compares: their tables, figures, bounds, files, and the networks beside."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import rustworkx
from helpers.refusals import refuses
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.network import Network
from knotwork.topology import TOPOLOGIES, metrics
from knotwork.topology.base import pair_ports
from knotwork_sim.search import circulants
from knotwork_sim.search.circulants import best_steps
from knotwork_sim.search.improve import (
    EVERYWHERE,
    FAR,
    Aim,
    Walker,
    circulant,
    first_steps,
    hops,
    improved,
    links_of,
    mixed,
    orbits,
    paired,
    spread,
)
from knotwork_sim.search.output import WRITERS, graph_kind
from knotwork_sim.search.rows import (
    SIZES,
    Row,
    bounds,
    channel_numbers,
    figures,
    moore_distances,
    nearest,
)
from knotwork_sim.sweep.channel_load import channel_load
from knotwork_sim.traffic.keys import Traffic


def test_a_circulant_links_every_step_both_ways():
    assert circulant(7, (1, 3))[2].tolist() == [3, 5, 1, 6]
    assert circulant(6, (1, 3))[4].tolist() == [5, 1, 3]
    assert links_of(circulant(4, (1,))).tolist() == [[0, 1], [0, 3], [1, 2], [2, 3]]


@pytest.mark.parametrize(("nodes", "degree"), [(2, 1), (8, 7), (9, 4), (10, 3), (12, 2)])
def test_first_steps_give_the_degree(nodes, degree):
    table = circulant(nodes, first_steps(nodes, degree))
    assert all(len({*row} - {here}) == degree for here, row in enumerate(table.tolist()))


@pytest.mark.parametrize("degree", [2, 3, 4, 5, 7])
def test_rotations_by_two_map_pairs_onto_each_other(degree):
    table = paired(20, degree)
    links = {tuple(link) for link in links_of(table).tolist()}
    assert len(links) == 10 * degree
    assert {tuple(sorted((end + 2) % 20 for end in link)) for link in links} == links
    assert len(orbits(table, 2).links) * 10 == len(links)


def test_orbits_are_links_where_nothing_rotates_and_short_to_the_router_opposite():
    found = orbits(circulant(9, (1, 2)), 9)
    assert len(found.links) == 18
    assert found.numbers == 36
    assert sorted(found.channels.ravel()) == list(range(36))
    found = orbits(circulant(12, (1, 6)), 3)  # four rotations: i to i + 6 and back
    assert found.links.tolist() == [[0, 1], [0, 11], [1, 2]]
    assert found.numbers == 2 * (3 + 3)
    assert np.unique(found.channels[:, 1]).tolist() == [6, 8, 10]


def hoffman_singleton():
    """Pentagons P0..P4 and pentagrams Q0..Q4: router j of Ph meets h i + j of Qi."""
    links = set()
    for h in range(5):
        for j in range(5):
            links |= {(5 * h + j, 5 * h + (j + 1) % 5)}
            links |= {(25 + 5 * h + j, 25 + 5 * h + (j + 2) % 5)}
            links |= {(5 * h + j, 25 + 5 * i + (h * i + j) % 5) for i in range(5)}
    near = [[] for _ in range(50)]
    for one, other in links:
        near[one].append(other)
        near[other].append(one)
    return np.array(near, np.int32)


def test_hoffman_and_singletons_graph_has_the_moore_bound_and_parts_have_no_figures():
    found = figures(hoffman_singleton(), EVERYWHERE)
    assert (found.nodes, found.links, found.degree_min, found.degree_max) == (50, 175, 7, 7)
    assert found.diameter == 2
    assert found.average_distance == pytest.approx(91 / 49)
    assert found.fullest_channel == pytest.approx(91 / 49 / 7)  # its links are all alike
    with pytest.raises(ValueError, match=r"^the graph must be connected, not in parts$"):
        figures(np.array([[1], [0], [3], [2]]), EVERYWHERE)


@pytest.mark.parametrize(
    "word", ["hypercube:n=4", "torus:x=2,y=2", "petersen", "ccc:n=4", "wk:w=2,levels=4", "rp:k=1"]
)
def test_figures_are_those_that_the_networks_tell(word):
    network = Network.from_word(word)
    topology = network.topology
    found = figures(topology.neighbours, EVERYWHERE, topology.peer_ports)
    assert found.diameter == topology.diameter
    assert found.average_distance == pytest.approx(topology.average_distance)
    if topology.name in ("wk", "rp"):  # whose routing takes the one shortest path
        shares = channel_load(network, Traffic())
        assert max(found.fullest_channel, 1.0) == pytest.approx(shares.largest)


def test_parallel_links_have_channels_of_their_own_and_busy_nodes_limit_the_throughput():
    torus = TOPOLOGIES["torus"](x=2, y=2)
    numbers = channel_numbers(torus.neighbours, torus.peer_ports)[torus.neighbours >= 0]
    assert len(set(numbers)) == len({number ^ 1 for number in numbers} & set(numbers)) == 16
    assert figures(torus.neighbours, EVERYWHERE, torus.peer_ports).fullest_channel == (
        pytest.approx(1 / 3)
    )
    for pairs, rate in (((0, 1), 4.0), ((slice(1, 4), 0), 4 / 3)):
        rates = np.zeros((4, 4))
        rates[pairs] = rate
        assert figures(circulant(4, (1, 2)), rates).ideal_throughput == 0.25


@pytest.mark.parametrize(
    ("nodes", "degree", "diameter", "mean"),
    [
        (10, 3, 2, 5 / 3),  # Petersen's graph
        (50, 7, 2, 13 / 7),  # Hoffman and Singleton's
        (14, 3, 3, 27 / 13),  # Heawood's
        (6, 3, 2, 7 / 5),  # the complete bipartite graph of 3 and 3
        (8, 7, 1, 1.0),
        (5, 2, 2, 1.5),
        (9, 2, 4, 2.5),
        (2, 1, 1, 1.0),
    ],
)
def test_bounds_are_those_of_graphs_that_reach_them(nodes, degree, diameter, mean):
    found = bounds(nodes, degree, EVERYWHERE)
    assert (found.diameter, found.average_distance) == (diameter, pytest.approx(mean))
    assert found.fullest_channel == pytest.approx(mean / degree)


def test_rings_grow_by_the_degree_less_one_and_rates_bring_the_busiest_pairs_near():
    assert moore_distances(60, 4).tolist() == [1] * 4 + [2] * 12 + [3] * 36 + [4] * 7
    rates = np.zeros((6, 6))
    rates[0, 1:] = [5, 4, 3, 2, 1]
    assert bounds(6, 2, rates).average_distance == pytest.approx((9 + 2 * 5 + 3 * 1) / 15)
    assert bounds(6, 2, rates.T) == bounds(6, 2, rates)
    rates = np.ones((12, 12)) - np.eye(12)
    assert bounds(12, 3, rates) == pytest.approx(bounds(12, 3, EVERYWHERE))


def sizes(nodes, degree, *, exactly=False):
    found = nearest(nodes, degree, exactly=exactly)
    return {name: topology.nodes for name, topology in found.items()}


def test_of_every_kind_the_nearest_size_is_chosen():
    assert sizes(64, 4) == {
        "hypercube:n=6": 64,
        "moebius:n=6": 64,
        "ccc:n=6": 64,
        "wk:w=4,levels=3": 64,
        "tcpg:k=2,m=1": 80,
        "rp:k=6": 60,
        "torus:x=8,y=8": 64,
        "torus:x=4,y=4,z=4": 64,
        "mesh:x=8,y=8": 64,
        "mesh:x=4,y=4,z=4": 64,
    }


def test_networks_far_from_the_size_are_left_out_and_clusters_as_wide_as_the_degree():
    assert "petersen" in sizes(10, 3)
    assert "petersen" in sizes(20, 3)
    assert "petersen" not in sizes(21, 3)
    assert "petersen" not in sizes(4, 3)
    assert "wk:w=3,levels=2" in sizes(9, 3)
    assert "wk:w=5,levels=2" in sizes(25, 5)


@pytest.mark.parametrize("nodes", [10, 16, 47])
def test_a_matrix_fits_one_size_alone(nodes):
    exactly = sizes(nodes, 4, exactly=True)
    assert set(exactly.values()) <= {nodes}
    assert exactly == {name: size for name, size in sizes(nodes, 4).items() if size == nodes}


@pytest.mark.parametrize("nodes", [2, 3, 5, 33, 1000, 4096])
def test_every_size_has_networks_beside_it(nodes):
    found = sizes(nodes, 4)
    assert found
    assert all(nodes <= 2 * size <= 4 * nodes for size in found.values())
    assert {name.partition(":")[0] for name in found} <= {name for name, _ in SIZES}


def row(nodes, steps, **more):
    table = circulant(nodes, steps)
    made = figures(table, EVERYWHERE)
    return Row("c", "circulant", made, neighbours=table, steps=steps, **more)


def test_the_aim_decides_which_graph_is_better_and_json_has_its_figures():
    short, even = row(13, (1, 5)), row(13, (1, 2))
    assert short.merit(Aim(False)) < even.merit(Aim(False))
    assert short.merit(Aim(False))[0] == pytest.approx(short.figures.average_distance)
    assert short.merit(Aim(True))[0] == pytest.approx(short.figures.fullest_channel)
    assert row(9, (1,)).above(Aim(False)) == pytest.approx(0)
    assert row(9, (1,)).above(Aim(True)) == pytest.approx(0)
    graph = row(16, (1, 2))  # 10 routers more are at 2 hops at best; here 4, 4, 4 and 3
    mean = (4 * 1 + 4 * 2 + 4 * 3 + 3 * 4) / 15
    assert graph.above(Aim(False)) == pytest.approx(mean / ((4 + 11 * 2) / 15) - 1)
    told = row(9, (1, 2), swaps=7, rotations=9).as_json(Aim(False))
    assert told["steps"] == [1, 2]
    assert (told["swaps"], told["rotations"]) == (7, 9)
    assert (told["nodes"], told["links"], told["degree_min"], told["degree_max"]) == (9, 18, 4, 4)
    network = Row("torus", "published", figures(circulant(9, (1,)), EVERYWHERE))
    assert not {"steps", "swaps", "rotations"} & set(network.as_json(Aim(False)))


TABLE = circulant(12, (1, 3, 6))
LINKS = [tuple(link) for link in links_of(TABLE).tolist()]


READERS = {
    ".edges": rustworkx.PyGraph.read_edge_list,
    ".json": rustworkx.from_node_link_json_file,
    ".graphml": lambda path: rustworkx.read_graphml(path)[0],
}


@pytest.mark.parametrize("ending", WRITERS)
def test_files_are_read_back_by_others_and_as_networks(ending, tmp_path):
    path = tmp_path / f"best{ending}"
    path.write_text(WRITERS[ending](TABLE, "c"))
    graph = READERS[ending](str(path))
    assert graph.num_nodes() == 12
    assert sorted(tuple(sorted(edge)) for edge in graph.edge_list()) == LINKS
    assert ending != ".graphml" or 'edgedefault="undirected"' in path.read_text()
    topology = Network.from_words(["graph", f"file={path}"]).topology
    near = [sorted(set(row) - {-1}) for row in topology.neighbours.tolist()]
    assert near == [sorted(row) for row in TABLE.tolist()]


def test_another_ending_is_refused():
    assert graph_kind(Path("a.EDGES")) == ".edges"
    with refuses("best.txt: a graph must end in .edges, .graphml or .json, not '.txt'"):
        graph_kind(Path("best.txt"))


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
