"""Up*/down* order: roots and places, and channels that serve one way only."""

import numpy as np
from helpers.digraphs import digraphs, linked, one_way
from hypothesis import given, settings
from knotwork.routing.made.routing import router_distances
from knotwork.routing.made.updown import place_of, roots, updown_ranks


def test_the_root_is_in_the_middle():
    path = linked(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    distances = router_distances(path, "path")
    assert roots(distances)[0] == 2
    assert place_of(distances[2]).tolist() == [3, 1, 0, 2, 4]


@settings(max_examples=30, deadline=None)
@given(topology=digraphs(most=24))
def test_one_class_of_a_digraph_leads_everyone_up_and_down(topology):
    ranks = updown_ranks(topology, router_distances(topology, ""))
    if ranks.classes > 1:
        return
    rank, near = ranks.rank[:, :, 0], topology.neighbours
    routers = len(near)
    up = (rank >= 0) & (rank < routers)
    down = rank >= routers
    assert not (up & down).any()
    assert (up.any(axis=1)).sum() >= routers - 1
    assert len(set(near[down].tolist())) >= routers - 1


def test_channels_are_handed_on_until_everyone_has_one():
    """Router 1 can reach the root by 0 or 2, of which 2 has one way only."""
    topology = one_way(3, [(0, 1), (1, 0), (1, 2), (2, 0), (0, 2), (2, 1)])
    ranks = updown_ranks(topology, router_distances(topology, ""))
    assert ranks.classes == 1
    assert np.unique(ranks.rank[topology.neighbours >= 0]).min() >= 0
