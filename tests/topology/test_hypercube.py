from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube
from knotwork.errors import ConfigurationError


@given(n=st.integers(1, 10), data=st.data())
def test_a_link_of_dimension_i_changes_bit_i(n, data):
    cube = Hypercube(n=n)
    router = data.draw(st.integers(0, 2**n - 1))
    assert cube.neighbours[router].tolist() == [-1, *(router ^ 1 << i for i in range(n))]


@given(n=st.integers(1, 10), data=st.data())
def test_distance_is_the_number_of_differing_bits(n, data):
    a, b = (data.draw(st.integers(0, 2**n - 1)) for _ in range(2))
    assert Hypercube(n=n).distance(a, b) == (a ^ b).bit_count()


@pytest.mark.parametrize("n", range(1, 11))
def test_diameter_and_mean_agree_with_a_count_over_all_pairs(n):
    cube = Hypercube(n=n)
    bits = np.bitwise_count(np.arange(2**n)).astype(int)  # distances from 0; the cube is symmetric
    assert cube.diameter == bits.max()
    assert cube.known_average_distance() == Fraction(int(bits.sum()), 2**n - 1)
    assert (cube.distance_counts == np.bincount(bits) * 2**n).all()


def test_mean_at_ten_is_exact():
    assert Hypercube(n=10).average_distance == pytest.approx(10 * 2**9 / (2**10 - 1), abs=1e-12)


@pytest.mark.parametrize("n", [0, 21, -1, True, 2.0, "3", None])
def test_n_out_of_range_is_refused(n):
    with pytest.raises(ConfigurationError) as refusal:
        Hypercube(n=n)
    assert str(refusal.value) == f"hypercube: n must be an integer in 1..20, not {n!r}"
