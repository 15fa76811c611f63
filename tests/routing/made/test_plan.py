"""Plans: ways that are spread, minimal ones where that is asked, and their tables."""

import numpy as np
import pytest
from helpers.digraphs import linked
from helpers.irregular import random_regular
from knotwork import Mesh
from knotwork.errors import ConfigurationError
from knotwork.routing.made import plan as plan_module
from knotwork.routing.made.plan import plan_table, spread_plan
from knotwork.routing.made.ranks import Ranks, layered
from knotwork.routing.made.routing import router_distances
from knotwork.routing.made.tables import best_table, uniform

BUSY = random_regular(30, 3, 2)


def spread(topology, classes, **keys):
    ranks = layered(topology, [np.arange(topology.routers)]).repeated(classes)
    keys = {"aim": 1.0, "passes": 20, "seed": 1, "owner": "it"} | keys
    return ranks, spread_plan(topology, uniform(topology), ranks, **keys)


def test_minimal_ways_are_spread_better_than_one_after_the_other():
    distances, weights = router_distances(BUSY, ""), uniform(BUSY)
    ranks, plan = spread(BUSY, 4, distances=distances)
    table = plan_table(BUSY, weights, plan)
    assert (table.lengths == distances).all()
    assert table.load.max() == pytest.approx(plan.fullest)
    assert plan.fullest < 0.95 * best_table(BUSY, ranks, weights, owner="it").load.max()


def test_ways_may_be_longer_where_nothing_else_is_asked():
    """Two routers of four exchange more than the link between them has in its share."""
    square = linked(4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
    weights = np.where(uniform(square) < 0, -1.0, 0.0)
    weights[[1, 2], [3, 0]] = 1.0, 3.0
    ranks = layered(square, [np.arange(4)]).repeated(2)
    keys = {"aim": 1.0, "passes": 20, "seed": 1, "owner": "it"}
    plan = spread_plan(square, weights, ranks, **keys)
    assert plan.fullest == pytest.approx(3.0)
    assert plan_table(square, weights, plan).load[2].max() == pytest.approx(3.0)


def test_ranks_that_leave_a_pair_without_a_way_have_no_plan():
    line = linked(3, [(0, 1), (1, 2)])
    rank = layered(line, [np.arange(3)]).rank.copy()
    rank[1, 2, 0] = -1  # from 1 to 2
    keys = {"aim": 1.0, "passes": 4, "seed": 1, "owner": "it"}
    assert spread_plan(line, uniform(line), Ranks(rank), **keys) is None
    # Up, down, up again: one class has no minimal way for that.
    path = linked(4, [(0, 1), (1, 2), (2, 3)])
    bad = layered(path, [np.array([2, 0, 3, 1])])
    assert spread_plan(path, uniform(path), bad, **keys) is None
    assert spread_plan(path, uniform(path), bad.repeated(2), **keys) is not None


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(plan_module, "STATE_LIMIT", 100)
    with pytest.raises(ConfigurationError) as error:
        spread(Mesh(x=2, y=3), 1)
    assert str(error.value) == "it must have at most 100 states (channel, destination), not 180"
