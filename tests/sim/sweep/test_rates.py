from math import gamma, pi, sqrt

import numpy as np
import pytest
from helpers.refusals import refuses
from hypothesis import given
from hypothesis import strategies as st
from knotwork_sim.sweep.command import spelled_rates
from knotwork_sim.sweep.point import (
    BATCHES,
    CONFIDENCE,
    STUDENT_T_95,
    STUDENT_T_999,
    drifts,
    in_flight_change,
    mean_with_confidence,
    ratio_with_confidence,
    warmup_end,
)
from knotwork_sim.sweep.rates import (
    COARSE,
    HALVINGS,
    coarse_rates,
    highest_rate,
    next_rates,
    parse_rates,
)


def test_a_range_has_both_ends_and_no_rounding():
    assert parse_rates("0.1:0.7:0.1") == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
    assert parse_rates("0.05:0.2:0.1") == (0.05, 0.15)
    assert parse_rates("1:1:1") == (1.0,)


def test_loads_may_be_named_one_by_one():
    assert parse_rates("0.1") == (0.1,)
    assert parse_rates("0.3,0.1,0.3") == (0.3, 0.1)


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=8, unique=True))
def test_loads_are_spelled_as_they_are_read(thousandths):
    rates = tuple(number / 1000 for number in thousandths)
    assert parse_rates(spelled_rates(rates)) == rates


def test_loads_with_even_steps_are_spelled_as_a_range():
    assert spelled_rates((0.1, 0.2, 0.3)) == "0.1:0.3:0.1"
    assert spelled_rates((0.1, 0.2, 0.4)) == "0.1,0.2,0.4"
    assert spelled_rates((0.5,)) == "0.5"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0.1:0.9", "--rates must be FIRST:LAST:STEP, or loads, 0.1 or 0.1,0.25, not '0.1:0.9'"),
        ("0.1,1.5", "a load must be above 0 and at most 1, not 1.5"),
        ("0.1,", "--rates must be FIRST:LAST:STEP, or loads, 0.1 or 0.1,0.25, not '0.1,'"),
        (".,.", "--rates must be FIRST:LAST:STEP, or loads, 0.1 or 0.1,0.25, not '.,.'"),
        (",".join(["0.1"] * 1001), "loads must be at most 1000, not 1001"),
        ("a:b:c", "--rates must be FIRST:LAST:STEP, or loads, 0.1 or 0.1,0.25, not 'a:b:c'"),
        ("0..1:1:1", "--rates must be FIRST:LAST:STEP, or loads, 0.1 or 0.1,0.25, not '0..1:1:1'"),
        ("0.1:1.1:0.1", "a load must be above 0 and at most 1, not 1.1"),
        ("0:0.9:0.1", "a load must be above 0 and at most 1, not 0"),
        ("0.9:0.1:0.1",
         "--rates must be a range with FIRST <= LAST and STEP above 0, not 0.9:0.1:0.1"),
        ("0.1:0.9:0", "--rates must be a range with FIRST <= LAST and STEP above 0, not 0.1:0.9:0"),
        ("0.0001:1:0.0001", "loads must be at most 1000, not 10000"),
    ],
)  # fmt: skip
def test_bad_ranges_are_refused(text, complaint):
    with refuses(f"sweep: {complaint}"):
        parse_rates(text)


def search(ideal, full):
    """Loads that a search measures on a network that is saturated where `full` says so."""
    found, steps = {}, 0
    while rates := next_rates(ideal, found):
        assert not set(rates) & set(found)
        found |= {rate: full(rate) for rate in rates}
        steps += 1
    return found, steps


@given(st.floats(0.01, 1.0), st.floats(0.05, 1.0))
def test_a_search_closes_in_on_saturation(ideal, share):
    threshold = ideal * share
    found, steps = search(ideal, lambda rate: rate > threshold)
    assert all(0 < rate <= 1 for rate in found)
    full = min((rate for rate, is_full in found.items() if is_full), default=None)
    if full is None:
        assert steps == 1
        assert threshold >= max(found)
    else:
        below = max((rate for rate in found if rate < full), default=0.0)
        assert below <= threshold < full
        assert full - below <= ideal / COARSE / 2**HALVINGS + 1e-5


def test_a_search_goes_a_little_beyond_the_ideal_but_not_beyond_one():
    assert highest_rate(0.4) == 0.5
    assert highest_rate(1.0) == highest_rate(None) == 1.0
    assert coarse_rates(0.4)[7] == 0.4


def test_a_search_waits_for_all_of_its_first_loads():
    first = coarse_rates(1.0)
    assert next_rates(1.0, {first[1]: True}) == [first[0], *first[2:]]


def test_a_network_that_never_saturates_needs_no_more():
    assert search(0.5, lambda rate: False) == (dict.fromkeys(coarse_rates(0.5), False), 1)


@pytest.mark.parametrize(
    ("value", "freedom", "share"),
    [(STUDENT_T_95, BATCHES - 1, 0.475), (STUDENT_T_999, BATCHES - 2, 0.499)],
)
def test_student_t_leaves_its_share_above(value, freedom, share):
    scale = gamma((freedom + 1) / 2) / (sqrt(freedom * pi) * gamma(freedom / 2))
    at = np.linspace(0, value, 200_001)
    density = scale * (1 + at**2 / freedom) ** (-(freedom + 1) / 2)
    assert np.trapezoid(density, at) == pytest.approx(share, abs=1e-9)


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


def correlated(rng, share):
    """Batch means around 10, each like the one before it by a share: an autoregressive process."""
    noise = rng.normal(0.0, 2.0, BATCHES + 50)
    for place in range(1, len(noise)):
        noise[place] += share * noise[place - 1]
    return 10 + noise[50:]


@pytest.mark.parametrize(("share", "alarms"), [(0.0, 0.005), (0.5, 0.02), (0.8, 0.03)])
def test_batches_without_a_trend_seldom_drift(share, alarms):
    rng = np.random.default_rng(3)
    assert sum(drifts(correlated(rng, share)) for _ in range(2000)) <= 2000 * alarms


def test_batches_that_rise_drift_and_others_do_not():
    rng, line = np.random.default_rng(4), np.linspace(0, 1, BATCHES)
    found = [drifts(100 + 100 * line + rng.normal(0, 10, BATCHES)) for _ in range(500)]
    assert np.mean(found) > 0.95
    assert drifts(50 + 100 * line)
    assert not drifts(150 - 100 * line)
    assert not drifts(100 + 10 * line)  # certain, but little
    assert not drifts(np.full(BATCHES, 7.0))


@pytest.mark.parametrize(("flows", "mean"), [(16, 0.01), (64, 0.5), (64, 20.0), (1024, 2.0)])
def test_packets_in_flight_seldom_change_by_more(flows, mean):
    rng = np.random.default_rng(5)
    allowed = in_flight_change(np.full(flows, mean))
    before, after = rng.poisson(mean, (2, 2000, flows))
    alarms = ((after - before) > allowed).any(axis=1).mean()
    assert alarms <= 1 - CONFIDENCE
    # By Bernstein's inequality, as it is printed: v + t / 3 beyond, with the variance of both.
    bound = np.log(flows / (1 - CONFIDENCE))
    assert allowed[0] == pytest.approx(np.sqrt(4 * mean * bound) + bound / 3)
