from fractions import Fraction
from functools import reduce
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Moebius
from knotwork.routing.moebius.expansions import (
    Term,
    approx_spr,
    distance,
    minimal_expansion,
    spr,
    with_other_top,
)
from knotwork.topology import metrics

# Section 4 of the specification, variant "approxSpr (i-1)": n -> ordered pairs of 0-MC_n and of
# 1-MC_n whose path is no shortest one.
APPROX_NONMINIMAL = {3: (8, 8), 4: (32, 32), 5: (176, 160), 6: (688, 656), 7: (2944, 2752)}


def plain(i):
    return Term(i, False)


def twisted(i):
    return Term(i, True)


def total(terms):
    return reduce(lambda value, term: value ^ term.mask, terms, 0)


def least_weights(n):
    """Fewest masks 0..010..0 and 0..011..1 that XOR to each string, by breadth-first search."""
    masks = {1 << i for i in range(n)} | {(1 << i) - 1 for i in range(1, n + 1)}
    weights, frontier = {0: 0}, {0}
    while frontier:
        level = weights[next(iter(frontier))] + 1
        frontier = {value ^ mask for value in frontier for mask in masks} - weights.keys()
        weights |= dict.fromkeys(frontier, level)
    return weights


WEIGHTS = least_weights(10)

cubes = st.builds(Moebius, n=st.integers(1, 20), twist=st.integers(0, 1))


def test_expansion_is_minimal_for_all_strings():
    assert len(WEIGHTS) == 1024
    assert [WEIGHTS[value] for value in (0b1, 0b101, 0b111, 0b10110)] == [1, 2, 1, 3]
    for value, weight in WEIGHTS.items():
        terms = minimal_expansion(value)
        assert total(terms) == value
        assert len(terms) == weight
        assert all(a.dimension - b.dimension >= 2 for a, b in pairwise(terms))


def test_expansions_by_hand():
    assert minimal_expansion(0) == []
    assert minimal_expansion(1) == [twisted(0)]
    assert minimal_expansion(0b1101) == [twisted(3), plain(1)]  # the thesis's example 6
    assert minimal_expansion(0b1100) == [twisted(3), twisted(1)]
    assert minimal_expansion(0b10110) == [plain(4), twisted(2), twisted(0)]


@pytest.mark.parametrize("n", range(1, 11))
def test_mean_weight(n):
    mean = Fraction(sum(len(minimal_expansion(value)) for value in range(2**n)), 2**n)
    assert mean == Fraction(n, 3) + (1 - Fraction(-1, 2) ** n) / 9


@given(n=st.integers(1, 64), data=st.data())
def test_complement_is_lighter_by_one_at_most(n, data):
    value = data.draw(st.integers(0, 2**n - 1))
    complement = value ^ (2**n - 1)
    assert len(minimal_expansion(value)) <= 1 + len(minimal_expansion(complement))


def test_other_top_is_found_wherever_it_costs_nothing():
    found = 0
    for value in range(2, 1024):
        top, *_ = terms = minimal_expansion(value)
        other = Term(top.dimension, not top.twisted)
        swapped = with_other_top(terms)
        # What `other` leaves is below it, and the search knows its least weight.
        assert (swapped is not None) == (1 + WEIGHTS[value ^ other.mask] == WEIGHTS[value])
        if swapped is not None:
            found += 1
            assert swapped[0] == other
            assert total(swapped) == value
            assert len(swapped) == len(terms)
    assert 0 < found < 1022


def test_other_top_by_hand():
    # E_0 and e_0 are one, and count as the twisted end.
    assert with_other_top([plain(2), twisted(0)]) == [twisted(2), plain(1)]
    assert with_other_top([twisted(6), plain(4), twisted(2), plain(0)]) == [
        *(plain(6), plain(5), plain(3), plain(0))
    ]
    assert with_other_top([plain(4), plain(2)]) is None
    assert with_other_top([plain(4), twisted(1)]) is None
    assert with_other_top([plain(4)]) is None


@pytest.mark.parametrize("twist", [0, 1])
@pytest.mark.parametrize(
    "n", [1, 2, 3, 4, 5, *(pytest.param(n, marks=pytest.mark.slow) for n in (6, 7))]
)
def test_paths_and_distances_of_all_pairs(n, twist):
    cube = Moebius(n=n, twist=twist)
    searched = metrics.distances(cube.neighbours)
    near = [set(row) for row in cube.neighbours[:, 1:].tolist()]
    nonminimal = 0
    for source, destination in product(range(2**n), repeat=2):
        hops = searched[source, destination]
        assert distance(cube, source, destination) == hops
        shortest = spr(cube, source, destination)
        approximate = approx_spr(cube, source, destination)
        for path in (shortest, approximate):
            assert (path[0], path[-1]) == (source, destination)
            assert all(after in near[here] for here, after in pairwise(path))
        assert len(shortest) - 1 == hops
        nonminimal += len(approximate) - 1 > hops
    assert nonminimal == APPROX_NONMINIMAL.get(n, (0, 0))[twist]


def test_a_plain_link_is_crossed_from_the_far_end():
    # 0-MC_3 has no E_2, so e_2 and E_1. E_1 is there where bit 2 is 1: before e_2, or after it.
    cube = Moebius(n=3)
    assert spr(cube, 0b110, 0b001) == [0b110, 0b101, 0b001]
    assert spr(cube, 0b010, 0b101) == [0b010, 0b110, 0b101]
    # In 1-MC_3, e_2 and E_0 from 000: the plain link is not there, so E_2, E_1, E_0. None of the
    # lower two is there at 000; at 111, E_1 is, and so is E_0, which goes first: a hop too long.
    path = approx_spr(Moebius(n=3, twist=1), 0b000, 0b101)
    assert path == [0b000, 0b111, 0b110, 0b101]


@settings(max_examples=50)
@given(cube=cubes, data=st.data())
def test_spr_takes_as_many_hops_as_the_formula_says(cube, data):
    source, destination = (data.draw(st.integers(0, cube.nodes - 1)) for _ in range(2))
    hops = distance(cube, source, destination)
    assert len(spr(cube, source, destination)) - 1 == hops <= cube.known_diameter()
    assert len(approx_spr(cube, source, destination)) - 1 >= hops
    assert distance(cube, destination, source) == hops
