"""Paths of a banyan: all of one length, each the only one of its pair."""

from itertools import pairwise

import pytest
from knotwork.routing import routings_of
from knotwork.routing.banyan import OneWay
from knotwork.topology import Banyan


@pytest.mark.parametrize(("d", "u", "levels"), [(2, 2, 3), (3, 2, 2), (2, 3, 2), (4, 1, 2)])
def test_a_path_crosses_every_level_once_and_comes_back_the_same_way(d, u, levels):
    topology = Banyan(d=d, u=u, levels=levels)
    routing = OneWay(topology)
    for pe in range(topology.pes):
        for terminal in range(topology.pes, topology.nodes):
            up, down = routing.hops(pe, terminal), routing.hops(terminal, pe)
            assert [topology.level_of(hop.router) for hop in up] == list(range(levels))
            assert [hop.router for hop in down] == [hop.router for hop in reversed(up)]
            for hops, last in ((up, terminal), (down, pe)):
                assert topology.attached[hops[-1].router, hops[-1].port] == last
                for here, after in pairwise(hops):
                    assert topology.neighbours[here.router, here.port] == after.router
            assert pe in topology.attached[up[0].router]
            assert terminal in topology.attached[down[0].router]


def test_facts_of_a_pair():
    assert routings_of("banyan") == {"oneway": OneWay}
    routing = OneWay(Banyan(d=3, u=2, levels=3))
    # T = 3 is 011 in radix 2, and PE 5 is 012 in radix 3.
    assert routing.pair_facts(5, 27 + 3) == {"direction": "up", "uppers": [0, 1, 1]}
    assert routing.pair_facts(27 + 3, 5) == {"direction": "down", "downers": [0, 1, 2]}
    assert routing.hops_by(5, 30, (1, 1, 1)) == routing.hops(5, 30)


@pytest.mark.parametrize(
    ("pair", "kinds"),
    [
        ((5, 6), "PE 012 to PE 020"),
        ((5, 5), "PE 012 to PE 012"),
        ((27, 28), "terminal t000 to terminal t001"),
    ],
)
def test_a_pair_of_one_side_has_no_path(refused, pair, kinds):
    routing = OneWay(Banyan(d=3, u=2, levels=3))
    assert refused(lambda: routing.hops(*pair)) == (
        "banyan: a packet must go from a PE to a terminal, or from a terminal to a PE, not from "
        f"{kinds}"
    )


def test_what_needs_a_rule_or_a_tree_is_refused(refused):
    routing = OneWay(Banyan(d=2, u=2, levels=2))
    assert routing.level_tree is None
    assert routing.settled
    assert refused(lambda: routing.rule) == (
        "banyan: routing=oneway must be given two nodes (knotwork route NET... SRC DST): its "
        "routers are no nodes"
    )
