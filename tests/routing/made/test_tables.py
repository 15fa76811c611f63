"""Tables of the best ways: spread, narrow where they can be, refused where too large."""

import numpy as np
import pytest
from helpers.digraphs import linked
from knotwork import Mesh
from knotwork.errors import ConfigurationError
from knotwork.routing.made import tables
from knotwork.routing.made.ranks import layered
from knotwork.routing.made.tables import best_table, nodes_of, uniform

SQUARE = linked(4, [(0, 1), (1, 3), (3, 2), (2, 0)])


def made(topology, *orders):
    return best_table(topology, layered(topology, list(orders)), uniform(topology), owner="it")


def test_ways_are_the_shortest_that_ranks_allow():
    table = made(SQUARE, np.arange(4))
    assert table.lengths.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]]
    assert table.load.sum() == pytest.approx(4 * (1 + 1 + 2) / 3)


def test_equal_ways_share_the_load():
    """From corner to corner of a square there are two ways each: no link carries a third one."""
    assert made(SQUARE, np.array([0, 2, 3, 1])).load.max() <= 1 + 1e-9


def test_a_way_may_depend_on_its_input():
    """From router 1 up to 0 and down to 4; but from 5 down to 1, and then the long way down."""
    topology = linked(6, [(5, 1), (1, 0), (0, 4), (1, 2), (2, 3), (3, 4)])
    table = made(topology, np.array([1, 2, 3, 4, 5, 0]))
    assert (table.lengths[1, 4], table.lengths[5, 4]) == (2, 4)
    to_0, to_2, to_5 = (topology.neighbours[1].tolist().index(router) for router in (0, 2, 5))
    assert table.bound.entries[1, [0, to_5], 0, 4].tolist() == [8 * to_0, 8 * to_2]


def test_packets_to_a_router_s_own_node_leave_there():
    entries = made(SQUARE, np.arange(4)).bound.entries
    assert (entries[np.arange(4), :, :, np.arange(4)] == 0).all()
    assert nodes_of(SQUARE).tolist() == [1] * 4
    assert np.diagonal(uniform(SQUARE)).tolist() == [-1] * 4


def test_too_many_entries_are_refused(monkeypatch):
    monkeypatch.setattr(tables, "CELL_LIMIT", 100)
    mesh = Mesh(x=2, y=3)
    with pytest.raises(ConfigurationError) as error:
        best_table(mesh, layered(mesh, [np.arange(6)]), uniform(mesh), owner="mesh")
    assert str(error.value) == (
        "mesh must have at most 100 states (router, port, class, destination), not 6 x 5 x 1 x 6"
    )
