import pytest
from knotwork_sim.check.confidence import half_width_95


def test_a_single_value_has_no_spread():
    assert half_width_95([3.0]) == 0.0


def test_it_is_that_of_the_normal_distribution():
    # Values of 0 and 2: deviation sqrt(50 / 49), standard error sqrt(50 / 49 / 50) = 1 / 7.
    assert half_width_95([0.0, 2.0] * 25) == pytest.approx(1.96 / 7)
