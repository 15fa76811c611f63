"""Slots of a schedule: links are taken once each."""

import numpy as np
import pytest
from knotwork import Lcan
from knotwork.routing.scheduling.slots import Slots


@pytest.mark.parametrize("interconnect", ["complete", "tree"])
def test_messages_that_want_one_link_get_different_slots(interconnect):
    filled = Slots(Lcan(d=4, u=2, levels=2, interconnect=interconnect))
    # Three packets from the PEs of one switch to those of another, over its two uppers.
    found = [filled.fit(source, 4 + source) for source in range(3)]
    assert [slot for slot, _ in found] == [0, 0, 1]
    # The link from a PE carries one packet per slot, also within its switch.
    assert filled.fit(0, 1) == (1, ())


def test_a_message_takes_the_lowest_word_that_is_free():
    filled = Slots(Lcan(d=2, u=2, levels=3))
    filled.take(np.array([0]), np.array([7]), np.array([0]), np.array([[0, 1]]))
    assert filled.fit(1, 5) == (0, (1, 0))
    assert filled.fit(1, 3)[0] == 1
