"""Graphs that a search compares: their tables, figures, bounds, files, and the networks beside."""

from pathlib import Path

import numpy as np
import pytest
import rustworkx
from helpers.refusals import refuses
from knotwork.network import Network
from knotwork.topology import TOPOLOGIES
from knotwork_sim.search.figures import bounds, channel_numbers, figures, moore_distances
from knotwork_sim.search.graphs import circulant, first_steps, links_of, orbits, paired
from knotwork_sim.search.improve import EVERYWHERE, Aim
from knotwork_sim.search.output import WRITERS, graph_kind
from knotwork_sim.search.rows import SIZES, Row, nearest
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
