"""The generator by which sources draw."""

import itertools
from collections import Counter

import pytest
from helpers.refusals import refuses
from helpers.ring import Ring, RingRouting
from knotwork import Network
from knotwork.routing.draws import MOST_DRAWS, STATE_BITS, drawn, first_state, next_state


def states(first):
    state = first
    while True:
        yield state
        state = next_state(state)
        if state == first:
            return


def test_it_goes_through_all_states_but_zero():
    found = list(states(1))
    assert sorted(found) == list(range(1, 1 << STATE_BITS))


@pytest.mark.parametrize("draws", [2, 3, 8, 40, 64, 100, 256, MOST_DRAWS])
def test_each_number_comes_up_alike(draws):
    counts = Counter(drawn(state, draws) for state in states(1))
    mean = ((1 << STATE_BITS) - 1) / draws
    assert sorted(counts) == list(range(draws))
    assert max(abs(count - mean) for count in counts.values()) <= 0.07 * mean


@pytest.mark.parametrize("width", range(1, 18))
def test_no_node_begins_with_zero_or_as_another_one(width):
    """Of more than 2^15 nodes some begin alike."""
    found = {first_state(address, width) for address in range(1 << width)}
    assert len(found) == 1 << min(width, 15)
    assert 0 not in found
    assert max(found) < 1 << STATE_BITS


def test_what_follows_is_not_what_came_before():
    """Of two draws one after the other all pairs come up, about as often as each other."""
    order = list(states(1))
    pairs = Counter((drawn(a, 8), drawn(b, 8)) for a, b in itertools.pairwise(order))
    mean = len(order) / 64
    assert len(pairs) == 64
    assert max(abs(count - mean) for count in pairs.values()) < 0.1 * mean


class Drawing(RingRouting):
    """A rule that has other draws than it may."""

    name = "drawing"


@pytest.mark.parametrize("draws", [0, -1, MOST_DRAWS + 1, "two", 1.5, None])
def test_other_draws_than_the_generator_has_are_refused(draws, monkeypatch):
    monkeypatch.setattr(Drawing, "draws", draws, raising=False)
    line = f"must draw between 1 and {MOST_DRAWS} numbers, not {draws!r}"
    with refuses(f"loop: routing=drawing {line}"):
        Network(Ring(nodes=5), routing=Drawing).require_deadlock_free()
