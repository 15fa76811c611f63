"""Ways round a ring by hand, and how they are spread."""

import numpy as np
import pytest
from knotwork.topology.datelines import first_class, leads_forward, passes_dateline


def loads(size, *, spread=True):
    """Packets per link and class, int of shape (size, ways, classes), one for every pair."""
    found = np.zeros((size, 2, 2), int)
    for start in range(size):
        for there in set(range(size)) - {start}:
            forward = leads_forward(size, start, there, spread)
            vc_class, here = first_class(size, start, there, forward, spread), start
            while here != there:
                if here != start and passes_dateline(size, here, forward):
                    vc_class = 1
                found[here, int(forward), int(vc_class)] += 1
                here = (here + (1 if forward else -1)) % size
    return found


@pytest.mark.parametrize("size", range(2, 20))
def test_every_link_carries_as_much_as_every_other(size):
    """To one packet, where an odd number of hops leads half way round."""
    found = loads(size).sum(axis=2)
    assert found.max() - found.min() <= (1 if size % 4 == 2 else 0)
    assert found.sum() == size * (size**2 // 4)


@pytest.mark.parametrize("size", [4, 6, 8, 16])
def test_the_ways_back_carry_more_if_paths_are_not_spread(size):
    back, forward = loads(size, spread=False).sum(axis=(0, 2))
    assert back - forward == size * size // 2


@pytest.mark.parametrize("size", range(5, 20))
def test_both_classes_carry_packets_on_every_link(size):
    """The fuller class of a link carries at most two thirds of its packets on average."""
    shares = [
        found.max(axis=2) / found.sum(axis=2) for found in (loads(size), loads(size, spread=False))
    ]
    assert shares[0].max() < 1
    assert shares[0].mean() < 0.67
    assert shares[1].mean() > 0.88


def test_the_way_by_hand():
    halves = [(here, (here + 4) % 8) for here in range(4)]
    assert [bool(leads_forward(8, *ends, True)) for ends in halves] == [1, 0, 1, 0]
    assert not any(leads_forward(8, *ends, False) for ends in halves)
    assert leads_forward(8, 6, 1, True)
    assert not leads_forward(8, 1, 6, True)


@pytest.mark.parametrize(
    ("here", "there", "forward", "spread", "alike"),
    [
        (6, 1, True, 0, 0),  # over the dateline and on
        (6, 0, True, 1, 0),  # ends with it
        (0, 3, True, 0, 1),  # starts right behind it
        (1, 3, True, 1, 1),
        (2, 3, True, 0, 1),
        (1, 6, False, 0, 0),
        (1, 7, False, 1, 0),
        (7, 5, False, 0, 1),
        (6, 5, False, 1, 1),
    ],
)
def test_the_class_by_hand(here, there, forward, spread, alike):
    assert first_class(8, here, there, forward, True) == spread
    assert first_class(8, here, there, forward, False) == alike


def test_the_dateline_is_between_the_last_position_and_the_first():
    assert [passes_dateline(8, here, True) for here in (0, 1, 7)] == [1, 0, 0]
    assert [passes_dateline(8, here, False) for here in (0, 1, 7)] == [0, 0, 1]
