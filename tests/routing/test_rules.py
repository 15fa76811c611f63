"""Lanes of flows."""

from collections import Counter

import pytest
from knotwork.routing.rules import lane


def folded(address):
    """XOR of an address's groups of four bits."""
    return 0 if address == 0 else address & 15 ^ folded(address >> 4)


@pytest.mark.parametrize("lanes", [1, 2, 3, 8])
def test_a_lane_is_the_folded_addresses_modulo_the_lanes(lanes):
    for source in range(0, 5000, 97):
        for destination in range(0, 5000, 89):
            one = folded(source)
            rotated = one << 1 & 15 | one >> 3
            assert lane(source, destination, lanes) == (rotated ^ folded(destination)) % lanes


def test_flows_of_one_difference_use_all_lanes():
    counts = Counter(lane(source, source ^ 5, 4) for source in range(16))
    assert set(counts.values()) == {4}
