"""Sections 3, 5 and 6 of the specification."""

import numpy as np
import pytest
from knotwork import Tcpg
from knotwork.topology import metrics
from knotwork.topology.johnson import johnson_code
from knotwork.topology.petersen import WORDS, word_code
from knotwork.topology.tcpg import DOWN, LEFT, RIGHT, UP

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
        assert tcpg.more_facts() == {"distance_sum": total}


@pytest.mark.parametrize("k", range(1, 17))
@pytest.mark.parametrize("m", range(1, 17))
def test_formulas_of_the_specification(k, m):
    tcpg = Tcpg(k=k, m=m)
    assert tcpg.nodes == 40 * k * m
    assert tcpg.diameter == k + m + 2
    least, most = tcpg.bisection_bounds
    assert least * max(k, m, 2) == most * max(k, m, 2) == 40 * k * m
    assert 2 * tcpg.more_facts()["distance_sum"] == tcpg.nodes * (3 + k + m)


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


def test_a_label_of_the_paper():
    tcpg = Tcpg(k=2, m=3)
    assert tcpg.label(0) == "00.000.0000aa"
    assert tcpg.label((3 * 6 + 3) * 10 + 2) == "10.111.aa0abb"
    assert tcpg.router_identifier(0) == "00_000_0000aa"


def test_names_tell_what_is_not_the_default():
    assert Tcpg(k=2, m=3).instance_name == "tcpg_k2_m3"
    words = Tcpg(k=2, m=3, petersen_code="word", ring_code="binary")
    assert words.instance_name == "tcpg_k2_m3_petersen_codeword_ring_codebinary"


def test_petersen_graphs_are_drawn_in_rows_and_columns():
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
