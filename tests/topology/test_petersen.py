"""Section 1 of the specification."""

from itertools import product

import numpy as np
import pytest
from knotwork import Petersen
from knotwork.topology import metrics
from knotwork.topology.petersen import DISTANCES, NEXT_PORTS, WORDS, word_code

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


def test_the_nodes_of_the_specification(petersen):
    rows = [line.split() for line in NODES.split("\n")[1:-1]]
    assert [petersen.label(node) for node in range(10)] == [row[1] for row in rows]
    assert petersen.neighbours[:, 1:].tolist() == [[*map(int, row[2:])] for row in rows]
    assert petersen.ports == ("local", "S", "Pplus", "Pminus")


def test_words_and_formulas_give_the_distances_of_a_search(petersen):
    searched = metrics.distances(petersen.neighbours)
    assert searched.tolist() == DISTANCES.tolist()
    assert petersen.diameter == searched.max() == 2
    assert petersen.average_distance == searched.sum() / 90
    assert metrics.link_counts(petersen.neighbours) == (15, 15)
    assert metrics.degrees(petersen.neighbours) == (3, 3)


def test_bits_of_words_that_meet_count_the_distance():
    low = int("01" * 6, 2)
    for (a, one), (b, other) in product(enumerate(map(word_code, WORDS)), repeat=2):
        meets = one >> 1 & other | one & other >> 1
        assert (meets & low).bit_count() == DISTANCES[a, b]


def test_the_table_of_next_hops():
    wanted = [[".S+-".index(entry) for entry in line.split()] for line in NEXT.split("\n")[1:-1]]
    assert NEXT_PORTS.tolist() == wanted


def test_codes_are_indices_or_words(petersen):
    bits = {"index": 4, "word": 12}[petersen.petersen_code]
    assert petersen.address_width == bits
    known = {petersen.address(node): node for node in range(10)}
    assert len(known) == 10
    for code in range(1 << bits):
        assert petersen.node_at(code) == known.get(code)
    if bits == 12:
        assert petersen.address(5) == 0b01_10_00_00_10_01  # ab00ba
    else:
        assert list(known) == list(range(10))


def test_no_balanced_cut_has_fewer_than_five_links(petersen):
    near = petersen.neighbours[:, 1:]
    inside = np.array([[bit >> node & 1 for node in range(10)] for bit in range(1 << 10)])
    cuts = (inside[:, :, None] != inside[:, near]).sum(axis=(1, 2)) // 2
    least = cuts[inside.sum(axis=1) == 5].min()
    assert petersen.bisection_bounds == (5, 5)
    assert least == 5
    assert petersen.more_facts()["distance_sum"] == 15


def test_a_pentagon_around_a_pentagram_is_drawn(petersen):
    radius = np.hypot(*petersen.layout().T)
    assert radius[:5] == pytest.approx(radius[0])
    assert radius[5:] == pytest.approx(radius[5])
    assert radius[0] > radius[5]
    assert petersen.link_kinds == ("to a node", "S", "Pplus - Pminus")
    assert [petersen.link_kind(0, port) for port in (1, 2, 3)] == [1, 2, 2]
