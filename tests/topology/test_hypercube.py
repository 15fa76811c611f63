"""Hypercubes and Möbius cubes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius


@given(n=st.integers(1, 10), data=st.data())
def test_a_link_of_dimension_i_changes_bit_i(n, data):
    cube = Hypercube(n=n)
    router = data.draw(st.integers(0, 2**n - 1))
    assert cube.neighbours[router].tolist() == [-1, *(router ^ 1 << i for i in range(n))]


@pytest.mark.parametrize("n", range(1, 11))
def test_diameter_and_mean_agree_with_a_count_over_all_pairs(n):
    cube = Hypercube(n=n)
    bits = np.bitwise_count(np.arange(2**n)).astype(int)  # distances from 0; the cube is symmetric
    assert cube.diameter == bits.max()
    assert cube.known_average_distance() == Fraction(int(bits.sum()), 2**n - 1)
    assert (cube.distance_counts == np.bincount(bits) * 2**n).all()


# Section 1 of the specification: neighbours by ports dim0, dim1, dim2.
NEIGHBOURS_3 = {
    0: [[1, 2, 4], [0, 3, 5], [3, 0, 6], [2, 1, 7], [5, 7, 0], [4, 6, 1], [7, 5, 2], [6, 4, 3]],
    1: [[1, 2, 7], [0, 3, 6], [3, 0, 5], [2, 1, 4], [5, 7, 3], [4, 6, 2], [7, 5, 1], [6, 4, 0]],
}

# Section 3: n -> diameters of 0-MC and 1-MC, means of 0-MC and 1-MC.
DISTANCES = {
    3: (2, 2, 1.57143, 1.57143),
    4: (3, 3, 1.93333, 1.86667),
    5: (4, 3, 2.25806, 2.17742),
    6: (4, 4, 2.61508, 2.50397),
    7: (5, 4, 2.95866, 2.83661),
    8: (5, 5, 3.30980, 3.17255),
    9: (6, 5, 3.65484, 3.50978),
    10: (6, 6, 4.00018, 3.84708),
    12: (7, 7, 4.68306, 4.52056),
}

cubes = st.builds(Moebius, n=st.integers(1, 10), twist=st.integers(0, 1))


@pytest.mark.parametrize("twist", [0, 1])
def test_neighbours_of_the_three_cubes(twist):
    cube = Moebius(n=3, twist=twist)
    assert cube.ports == ("local", "dim0", "dim1", "dim2")
    assert cube.neighbours[:, 1:].tolist() == NEIGHBOURS_3[twist]


@given(cube=cubes, data=st.data())
def test_a_link_is_plain_or_twisted_as_the_bit_above_says(cube, data):
    x = data.draw(st.integers(0, cube.nodes - 1))
    i = data.draw(st.integers(0, cube.n - 1))
    above = cube.twist if i == cube.n - 1 else x >> (i + 1) & 1
    expected = x ^ (2 ** (i + 1) - 1 if above else 2**i)
    assert cube.neighbours[x, i + 1] == expected
    assert cube.is_link_marked(x, i + 1) == (above == 1 and i > 0)


@pytest.mark.parametrize("n", DISTANCES)
@pytest.mark.parametrize("twist", [0, 1])
def test_diameters_and_means_of_the_specification(n, twist):
    cube = Moebius(n=n, twist=twist)
    assert cube.diameter == DISTANCES[n][twist]
    assert len(cube.distance_counts) - 1 == DISTANCES[n][twist]
    assert cube.average_distance == pytest.approx(DISTANCES[n][2 + twist], abs=5e-6)


def test_pairs_by_distance():  # section 3, from distance 0
    counts = {
        (4, 0): [16, 64, 128, 48],
        (4, 1): [16, 64, 144, 32],
        (6, 0): [64, 384, 1312, 1808, 528],
        (6, 1): [64, 384, 1504, 1872, 272],
    }
    for (n, twist), expected in counts.items():
        assert Moebius(n=n, twist=twist).distance_counts.tolist() == expected


@pytest.mark.parametrize("n", [4, 6, 8])
def test_pairs_that_are_the_diameter_apart(n):
    cube = Moebius(n=n)
    pattern = int("11" + "01" * (n // 2 - 1), 2)
    assert all(cube.distance(x, x ^ pattern) == n // 2 + 1 for x in range(0, 2**n, 3))
