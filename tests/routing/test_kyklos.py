"""Paths over the copies of a tree, and what one network cycle grants in them."""

from itertools import pairwise

import numpy as np
from knotwork import Network
from knotwork.routing import routings_of
from knotwork.routing.circuits import Engine
from knotwork.routing.lcan import UpDown
from knotwork.topology import Kyklos


def test_routings():
    assert routings_of("kyklos") == {"updown": UpDown}


def test_a_path_goes_up_and_down_in_one_copy_from_the_source_to_the_destination():
    topology = Kyklos(k=2, levels=3, copies=3)
    routing = UpDown(topology)
    for s in range(8):
        for t in range(8):
            hops = routing.hops(s, t)
            assert len(hops) == 2 * topology.lca_level(s, t) + 1
            assert s in topology.attached[hops[0].router]
            assert topology.attached[hops[-1].router, hops[-1].port] == t
            for here, after in pairwise(hops):
                assert topology.neighbours[here.router, here.port] == after.router


def test_pairs_know_in_how_many_copies_they_are_nearest():
    routing = Network.from_word("kyklos:k=2,levels=4").routing
    # 0 and 9 differ in the first and the last digit: level 3 in both copies.
    assert routing.pair_facts(0, 9)["paths"] == 2
    assert (routing.pair_facts(0, 8)["lca_level"], routing.pair_facts(0, 8)["paths"]) == (0, 1)


def test_a_pe_lets_in_one_header_per_network_cycle_that_of_the_lowest_level():
    """All to PE 0 of 8: 1 and 4 are its neighbours, in copies 0 and 1; the first copy is served."""
    engine = Engine(Kyklos(k=2, levels=3))
    sources = np.array([1, 4, 7])
    outcome = engine.cycle(sources, np.zeros(3, np.int64))
    assert outcome.won.tolist() == [True, False, False]
    assert outcome.lost_level[1] == 0
    outcome = engine.cycle(sources[1:], np.zeros(2, np.int64))
    assert outcome.won.tolist() == [True, False]


def test_neighbours_in_either_copy_are_served_at_once():
    """Pairs 0-1 and 4-5 of 8 meet on level 0 in copy 0, pairs 2-6 and 3-7 in copy 1."""
    engine = Engine(Kyklos(k=2, levels=3))
    sources, destinations = np.arange(8), np.arange(8) ^ np.array([1, 1, 4, 4, 1, 1, 4, 4])
    assert sorted(destinations) == list(range(8))
    assert engine.cycle(sources, destinations).won.all()
