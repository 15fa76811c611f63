from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube


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
