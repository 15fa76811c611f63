"""The generator by which sources draw."""

import itertools
from collections import Counter

import numpy as np
import pytest
from helpers.refusals import refuses
from helpers.ring import Ring, RingRouting
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.routing import Routing
from knotwork.routing.compiled.tables import UNREACHED
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


class Writing(Routing):
    """Round a ring in class 0 or 1; from a router before the destination with number 2 alone.

    The rule knows number 2 only there and at the destination.
    """

    name = "writing"
    draws = 2
    header_numbers = 3

    @property
    def written(self):
        nodes = self.topology.nodes
        table = np.tile(np.arange(2), (nodes, nodes, 1))
        table[np.arange(nodes), (np.arange(nodes) + 1) % nodes] = 2
        return table

    def needed_virtual_channels(self):
        return 3

    @property
    def parameters(self):
        return np.array([self.topology.nodes])

    @staticmethod
    def rule(parameters, router, port, channel_class, destination):
        nodes = parameters[0]
        number, end = destination // nodes, destination % nodes
        if router == end:
            return 0, 0
        if number == 2 and (router + 1) % nodes != end:
            return 9, 9
        return 1, int(number)


def test_a_rule_is_called_with_what_sources_write(monkeypatch):
    """And with nothing else: where number 2 comes from other nodes, it is refused."""
    network = Network(Ring(nodes=5), routing=Writing)
    routing = network.routing
    assert routing.labels == 15
    table = routing.answer_table[:, :, 0]  # of the first class, in which all packets start
    for source, destination in itertools.product(range(5), range(5)):
        ahead = (destination - source) % 5
        for number in range(2):
            written = 2 if ahead == 1 else number
            assert routing.label(source, destination, number) == destination + 5 * written
            assert len(routing.hops(source, destination, number)) == ahead + 1
        for number in range(3):
            is_written = (number == 2) == (ahead == 1)
            assert routing.writes(source, destination + 5 * number) == is_written
            assert (table[source, 0, destination + 5 * number] != UNREACHED) == is_written
    assert routing.walk_lengths().tolist() == [
        [(destination - source) % 5 for destination in range(5)] * 2 for source in range(5)
    ]
    assert not network.deadlock_report.deadlock_free  # round in a ring, in a class
    everywhere = np.full((5, 5, 2), 2)
    monkeypatch.setattr(Writing, "written", everywhere)
    with pytest.raises(ConfigurationError, match=r"to \d from its node, the port must .*not be 9"):
        Network(Ring(nodes=5), routing=Writing).require_deadlock_free()


@pytest.mark.parametrize(
    ("members", "line"),
    [
        (
            {"header_numbers": 2},
            "must write numbers in 0..1, not 2",
        ),
        (
            {"header_numbers": MOST_DRAWS + 1},
            f"must write between 1 and {MOST_DRAWS} numbers, not {MOST_DRAWS + 1}",
        ),
        (
            {"written": np.full((5, 5, 2), -1)},
            "must write numbers in 0..2, not -1",
        ),
        (
            {"written": np.zeros((5, 5, 3), int)},
            "must write integers of shape (5, 5, 2), by router, router and draw, not int64 of "
            "(5, 5, 3)",
        ),
        (
            {"written": np.zeros((5, 5, 2))},
            "must write integers of shape (5, 5, 2), by router, router and draw, not float64 of "
            "(5, 5, 2)",
        ),
        (
            {"written": [[1], [1, 2]]},
            "must write integers of shape (5, 5, 2), by router, router and draw, not object of "
            "(0,)",
        ),
        (
            {"written": None},
            "must have as many numbers as draws, or say which are written, not 3 for 2",
        ),
    ],
)
def test_numbers_that_no_header_has_are_refused(members, line):
    wrong = type("Wrong", (Writing,), members)
    with refuses(f"loop: routing=writing {line}"):
        Network(Ring(nodes=5), routing=wrong).require_deadlock_free()
