"""Ranks: what a packet may do after what."""

import numpy as np
from helpers.digraphs import linked
from knotwork import Mesh
from knotwork.routing.made.ranks import UNUSED, by_ports, layered

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


def test_classes_are_repeated():
    first, again = (layered(LINE, [np.arange(3)] * count) for count in (1, 2))
    both = first.repeated(2)
    assert (both.rank[:, :, :1] == first.rank).all()
    assert (both.falling == again.falling).all()


def test_ranks_by_ports_are_those_of_dimension_order():
    """In a mesh, a packet that has gone along y never goes along x again, or turns back."""
    mesh = Mesh(x=3, y=3)
    left, right, up, down = (mesh.ports.index(name) for name in "LRUD")
    rank = by_ports(mesh, np.arange(9)).rank[:, :, 0]
    used = mesh.neighbours >= 0
    most, least = rank[:, [left, right]].max(), rank[:, [up, down]]
    assert most < least[used[:, [up, down]]].min()
    assert rank[3, right] < rank[4, right]
    assert rank[5, left] < rank[4, left]
    last = by_ports(mesh, np.arange(9), last_first=True).rank[:, :, 0]
    assert last[:, [up, down]].max() < last[:, [left, right]][used[:, [left, right]]].min()
    assert (rank[~used] == UNUSED).all()
