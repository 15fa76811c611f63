"""Buffers of packet routers: the order of their pointers."""

from itertools import pairwise

import pytest
from knotwork.formal.packet.channels import pointer_order


@pytest.mark.parametrize("depth", range(2, 70))
def test_every_word_is_used_once_per_round(depth):
    order = pointer_order(depth)
    assert order[0] == 0
    assert sorted(order) == list(range(depth))


@pytest.mark.parametrize("depth", [3, 6, 12])
def test_a_depth_that_is_no_power_of_two_is_counted(depth):
    assert pointer_order(depth) == list(range(depth))


def test_a_power_of_two_goes_by_a_shift_register():
    order = pointer_order(16)
    shifted = [later >> 1 == earlier & 7 for earlier, later in pairwise(order)]
    assert all(shifted)
    assert order != list(range(16))
