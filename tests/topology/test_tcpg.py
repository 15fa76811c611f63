"""Petersen graphs, rings and tori of them: sections 1, 3, 5 and 6 of the specification."""

from itertools import product

import numpy as np
import pytest
from knotwork import Petersen, Rp, Tcpg
from knotwork.topology import metrics
from knotwork.topology.factors import johnson_code
from knotwork.topology.layouts import STAR
from knotwork.topology.petersen import DISTANCES, NEXT_PORTS, WORDS, word_code
from knotwork.topology.tcpg import DOWN, LEFT, RIGHT, UP

# p, word, S, P+, P-
NODES = """
0 0000aa 5 1 4
1 00aaab 6 2 0
2 aa0abb 7 3 1
3 aa0bbb 8 4 2
4 00bbab 9 0 3
5 ab00ba 0 7 8
6 bba0bb 1 8 9
7 abbabb 2 9 5
8 ababbb 3 5 6
9 bbb0bb 4 6 7
"""

NEXT = """
. + + - - S + S S -
- . + + - - S + S S
- - . + + S - S + S
+ - - . + S S - S +
+ + - - . + S S - S
S S + - S . - + - +
S S S + - + . - + -
- S S S + - + . - +
+ - S S S + - + . -
S + - S S - + - + .
"""


@pytest.fixture(params=["index", "word"])
def petersen(request):
    return Petersen(petersen_code=request.param)


def test_nodes_distances_and_places_of_petersen_graphs(petersen):
    rows = [line.split() for line in NODES.split("\n")[1:-1]]
    assert [petersen.label(node) for node in range(10)] == [row[1] for row in rows]
    assert petersen.neighbours[:, 1:].tolist() == [[*map(int, row[2:])] for row in rows]
    assert petersen.ports == ("local", "S", "Pplus", "Pminus")
    searched = metrics.distances(petersen.neighbours)
    assert searched.tolist() == DISTANCES.tolist()
    assert petersen.diameter == searched.max() == 2
    assert petersen.average_distance == searched.sum() / 90
    assert metrics.link_counts(petersen.neighbours) == (15, 15)
    assert metrics.degrees(petersen.neighbours) == (3, 3)
    assert petersen.bisection_bounds == (5, 5)
    assert petersen.extra_facts()["distance_sum"] == 15
    radius = np.hypot(*petersen.layout().T)
    assert radius[:5] == pytest.approx(radius[0])
    assert radius[5:] == pytest.approx(radius[5])
    assert radius[0] > radius[5]
    assert petersen.link_kinds == ("to a node", "S", "Pplus - Pminus")
    assert [petersen.link_kind(0, port) for port in (1, 2, 3)] == [1, 2, 2]


def test_words_of_positions_meet_and_next_hops_are_those_of_the_table():
    low = int("01" * 6, 2)
    for (a, one), (b, other) in product(enumerate(map(word_code, WORDS)), repeat=2):
        meets = one >> 1 & other | one & other >> 1
        assert (meets & low).bit_count() == DISTANCES[a, b]
    wanted = [[".S+-".index(entry) for entry in line.split()] for line in NEXT.split("\n")[1:-1]]
    assert NEXT_PORTS.tolist() == wanted
    assert [Petersen().address(node) for node in range(10)] == list(range(10))
    assert Petersen(petersen_code="word").address(5) == 0b01_10_00_00_10_01  # ab00ba


# Petersen graphs, diameter, links.
RINGS = [(4, 4, 100), (16, 10, 400), (24, 14, 600), (36, 20, 900), (64, 34, 1600), (100, 52, 2500)]


@pytest.mark.parametrize(("k", "diameter", "links"), RINGS)
def test_the_table_of_rings(k, diameter, links):
    rp = Rp(k=k)
    assert rp.nodes == 10 * k
    assert rp.diameter == diameter == k // 2 + 2
    assert metrics.link_counts(rp.neighbours) == (links, links)
    assert metrics.degrees(rp.neighbours) == (5, 5)
    assert rp.bisection_bounds == (20, 20)


def test_places_in_rings_of_petersen_graphs():
    rp = Rp(k=5)
    assert rp.neighbours[43, 4:].tolist() == [33, 3]
    assert rp.label(43) == "4.aa0bbb"
    assert rp.address(43) == 4 << 4 | 3
    assert metrics.link_counts(Rp(k=2).neighbours) == (50, 40)
    assert metrics.link_counts(Rp(k=1).neighbours) == (15, 15)
    assert Rp(k=1).label(0) == "0.0000aa"


@pytest.mark.parametrize("k", [2, 6, 8, 16])
def test_petersen_graphs_are_drawn_in_a_ring(k):
    middles = Rp(k=k).layout().reshape(k, 10, 2).mean(axis=1)
    steps = np.sort(np.abs(middles - np.roll(middles, 1, axis=0)), axis=1)
    assert steps == pytest.approx(np.array([[0, STAR]] * k))  # level or upright, all alike


# k, m, nodes, links, of simple graphs, diameter, distance sum, bisection.
TABLE = [
    (1, 1, 40, 140, 100, 4, 100, 20),
    (1, 2, 80, 280, 240, 5, 240, 40),
    (1, 3, 120, 420, 360, 6, 420, 40),
    (2, 2, 160, 560, 560, 6, 560, 80),
    (2, 3, 240, 840, 840, 7, 960, 80),
    (3, 3, 360, 1260, 1260, 8, 1620, 120),
]

PROFILES = {
    (1, 1): [1, 5, 13, 15, 6],
    (2, 2): [1, 7, 24, 46, 49, 27, 6],
    (2, 3): [1, 7, 25, 52, 67, 55, 27, 6],
    (3, 3): [1, 7, 26, 58, 86, 88, 61, 27, 6],
}


@pytest.mark.parametrize(("k", "m", "nodes", "links", "simple", "diameter", "total", "cut"), TABLE)
def test_the_table_of_the_specification(k, m, nodes, links, simple, diameter, total, cut):
    for tcpg in (Tcpg(k=k, m=m), Tcpg(k=m, m=k)):
        assert tcpg.nodes == nodes
        assert metrics.link_counts(tcpg.neighbours) == (links, simple)
        assert metrics.degrees(tcpg.neighbours) == (7, 7)
        assert tcpg.diameter == diameter
        assert tcpg.average_distance == pytest.approx(total / (nodes - 1))
        assert tcpg.bisection_bounds == (cut, cut)
        assert tcpg.extra_facts() == {"distance_sum": total}


@pytest.mark.parametrize("k", range(1, 17))
@pytest.mark.parametrize("m", range(1, 17))
def test_formulas_of_the_specification(k, m):
    tcpg = Tcpg(k=k, m=m)
    assert tcpg.nodes == 40 * k * m
    assert tcpg.diameter == k + m + 2
    least, most = tcpg.bisection_bounds
    assert least * max(k, m, 2) == most * max(k, m, 2) == 40 * k * m
    assert 2 * tcpg.extra_facts()["distance_sum"] == tcpg.nodes * (3 + k + m)


@pytest.mark.parametrize(("k", "m"), PROFILES)
def test_nodes_by_their_distance(k, m):
    counts = Tcpg(k=k, m=m).distance_counts
    assert counts.tolist() == [40 * k * m * count for count in PROFILES[k, m]]


@pytest.mark.parametrize(("k", "m"), [(1, 2), (2, 3), (3, 1)])
@pytest.mark.parametrize("petersen_code", ["index", "word"])
def test_a_node_is_a_row_a_column_and_a_word(k, m, petersen_code):
    tcpg = Tcpg(k=k, m=m, petersen_code=petersen_code)
    near = tcpg.neighbours
    for node in range(tcpg.nodes):
        y, x, p = node // (20 * m), node // 10 % (2 * m), node % 10
        code = johnson_code(k, y) << m | johnson_code(m, x)
        part, bits = (p, 4) if petersen_code == "index" else (word_code(WORDS[p]), 12)
        assert tcpg.address(node) == code << bits | part
        row, column = f"{johnson_code(k, y):0{k}b}", f"{johnson_code(m, x):0{m}b}"
        assert tcpg.label(node) == f"{row}.{column}.{WORDS[p]}"
        assert near[node, LEFT] == y * 20 * m + (x - 1) % (2 * m) * 10 + p
        assert near[node, RIGHT] == y * 20 * m + (x + 1) % (2 * m) * 10 + p
        assert near[node, UP] == (y - 1) % (2 * k) * 20 * m + x * 10 + p
        assert near[node, DOWN] == (y + 1) % (2 * k) * 20 * m + x * 10 + p


def test_names_and_places_of_tori_of_petersen_graphs():
    tcpg = Tcpg(k=2, m=3)
    assert tcpg.instance_name == "tcpg_k2_m3"
    assert tcpg.label((3 * 6 + 3) * 10 + 2) == "10.111.aa0abb"
    assert tcpg.router_identifier(0) == "00_000_0000aa"
    words = Tcpg(k=2, m=3, petersen_code="word", ring_code="binary")
    assert words.instance_name == "tcpg_k2_m3_petersen_codeword_ring_codebinary"
    graphs = Tcpg(k=2, m=3).layout().reshape(4, 6, 10, 2)
    middles = graphs.mean(axis=2)
    assert np.ptp(middles[..., 0], axis=0) == pytest.approx(0)
    assert np.ptp(middles[..., 1], axis=1) == pytest.approx(0)
    for axis, places in enumerate((middles[0, :, 0], middles[:, 0, 1])):
        step = np.diff(np.sort(places))
        assert step == pytest.approx(step[0])
        assert step[0] > np.ptp(graphs[..., axis], axis=2).max()
        # A ring is folded, so none of its links passes more than one graph.
        assert np.abs(places - np.roll(places, 1)).max() < 2.1 * step[0]
