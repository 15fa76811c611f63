"""Frames and pauses of sources and sinks."""

from itertools import islice

import pytest
from knotwork_sim.testbench.ends import frame, pauses


def test_side_signals_are_those_of_the_first_beat():
    made = frame([5, 6, 7], tdest=2, tuser=1, widths={"tdata": 8, "tdest": 3, "tuser": 1})
    assert (list(made.tdata), made.tdest, made.tuser) == ([5, 6, 7], [2, 5, 5], [1, 0, 0])


def test_a_network_without_a_signal_gets_none():
    made = frame([5], tdest=2, tuser=0, widths={"tdata": 8, "tdest": 3})
    assert (made.tdest, made.tuser) == ([2], None)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_pauses_are_a_share_of_the_cycles(share):
    found = list(islice(pauses(share, "node 3"), 20_000))
    assert abs(sum(found) / len(found) - share) < 0.02
    assert found != list(islice(pauses(share, "node 4"), 20_000))
