from math import gamma, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork_sim.sweep.steady_state import (
    BATCHES,
    STUDENT_T_95,
    mean_with_confidence,
    ratio_with_confidence,
    warmup_end,
)


def test_student_t_leaves_a_fortieth_on_each_side():
    freedom = BATCHES - 1
    scale = gamma((freedom + 1) / 2) / (sqrt(freedom * pi) * gamma(freedom / 2))
    at = np.linspace(0, STUDENT_T_95, 200_001)
    density = scale * (1 + at**2 / freedom) ** (-(freedom + 1) / 2)
    assert np.trapezoid(density, at) == pytest.approx(0.475, abs=1e-9)


def test_intervals_hold_the_mean_as_often_as_they_say():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(2000):
        mean, ci95 = mean_with_confidence(rng.normal(3.0, 1.0, BATCHES))
        held += abs(mean - 3.0) <= ci95
    assert 0.935 < held / 2000 < 0.965


@given(st.integers(0, 60), st.floats(1.0, 100.0))
def test_a_warmup_is_found_where_the_series_settles(ramp, height):
    rng = np.random.default_rng(ramp)
    series = rng.normal(0.0, height / 50, 200)
    series[:ramp] -= height * np.linspace(1, 0.3, ramp)
    assert ramp <= warmup_end(series) <= 100


def test_a_constant_has_no_warmup_and_a_rise_never_ends():
    assert warmup_end(np.full(100, 7.0)) == 0
    assert warmup_end(np.arange(100.0)) == 50


def test_a_ratio_of_equal_counts_is_the_mean():
    means = np.random.default_rng(2).random(BATCHES)
    expected = mean_with_confidence(means)
    assert ratio_with_confidence(5 * means, np.full(BATCHES, 5.0)) == pytest.approx(expected)


def test_empty_batches_do_not_spoil_a_ratio():
    counts = np.zeros(BATCHES)
    counts[::2] = 3
    ratio, ci95 = ratio_with_confidence(4.0 * counts, counts)
    assert (ratio, ci95) == (4.0, 0.0)
