"""Ranks: what a packet may do after what."""

import numpy as np
from helpers.digraphs import linked
from knotwork.routing.made.ranks import UNUSED, layered

LINE = linked(3, [(0, 1), (1, 2)])


def test_packets_go_up_then_down_in_a_class():
    """Router 1 is the top: 0 and 2 send up to it, and it sends down."""
    rank = layered(LINE, [np.array([1, 0, 2])]).rank[:, :, 0]
    up, down = rank[[0, 2], [1, 1]], rank[1, [1, 2]]
    assert up.max() < down.min()
    assert (rank[:, 0] == UNUSED).all()


def test_later_classes_are_above_all_earlier_ones():
    ranks = layered(LINE, [np.arange(3), np.arange(3)[::-1]])
    used = LINE.neighbours >= 0
    assert ranks.rank[used, 0].max() < ranks.rank[used, 1].min()
    falling = ranks.rank.ravel()[ranks.falling]
    assert len(falling) == 2 * used.sum()
    assert (np.diff(falling) <= 0).all()
