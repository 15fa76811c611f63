import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.errors import ConfigurationError
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


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0.1:0.9", "--rates must be FIRST:LAST:STEP, three numbers, not '0.1:0.9'"),
        ("a:b:c", "--rates must be FIRST:LAST:STEP, three numbers, not 'a:b:c'"),
        ("0..1:1:1", "--rates must be FIRST:LAST:STEP, three numbers, not '0..1:1:1'"),
        ("0.1:1.1:0.1", "a load must be above 0 and at most 1, not 1.1"),
        ("0:0.9:0.1", "a load must be above 0 and at most 1, not 0"),
        ("0.9:0.1:0.1",
         "--rates must be a range with FIRST <= LAST and STEP above 0, not 0.9:0.1:0.1"),
        ("0.1:0.9:0", "--rates must be a range with FIRST <= LAST and STEP above 0, not 0.1:0.9:0"),
        ("0.0001:1:0.0001", "loads must be at most 1000, not 10000"),
    ],
)  # fmt: skip
def test_bad_ranges_are_refused(text, complaint):
    with pytest.raises(ConfigurationError) as error:
        parse_rates(text)
    assert str(error.value) == f"sweep: {complaint}"


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
