"""Verilog of networks that the deadlock check refuses, and with the channels that it demands."""

import numpy as np
import pytest
from helpers.random_links import AscendingRouting, RandomLinks
from helpers.ring import CyclicRingRouting, Ring, RingRouting
from knotwork.errors import DeadlockError
from knotwork.network import Network
from knotwork_sim.model.run import run_log
from knotwork_sim.rtl.driver import run_driver
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

AT_ONCE = {"packets": 600, "length": (12, 16)}
UNIFORM = Traffic(rate=1.0, **AT_ONCE)
CLOCKS = 12_000
"""Cycles: twice as many as the deadlock-free networks need for all packets."""


def onward(columns, rows=1):
    """Traffic in which every node sends two columns on, all at once: rings fill at the start."""
    nodes = [row * columns + (x + 2) % columns for row in range(rows) for x in range(columns)]
    return Traffic(traffic="permutation", permutation=",".join(map(str, nodes)), **AT_ONCE)


def ascending(seed, **links):
    """Network of random links, whose paths ascend in an order that is drawn."""
    routing = AscendingRouting.drawn(seed)
    return Network(RandomLinks(links_seed=seed, **links), routing=routing, buffer_depth=2)


NETWORKS = {
    "random_circle": (ascending(1, size=4, more=0, one_way="yes"), UNIFORM),
    "random_circles": (ascending(31, size=5, more=1, one_way="yes"), UNIFORM),
    "random_links": (ascending(7, size=5, more=3), UNIFORM),
    "ring": (Network(Ring(nodes=5), routing=RingRouting, buffer_depth=2), onward(5)),
    "torus": (Network.from_word("torus:x=4,y=2,buffer_depth=2"), onward(4, 2)),
    "torus_one_way": (Network.from_word("torus:x=3,y=3,directions=one,buffer_depth=2"), UNIFORM),
    "ccc": (Network.from_word("ccc:n=4,buffer_depth=2"), UNIFORM),
    "wk": (Network.from_word("wk:w=3,levels=2,broadcast=no,buffer_depth=2"), UNIFORM),
}


def run(network, traffic, clocks=CLOCKS):
    """Packets, and what the Verilog's nodes saw; every node accepts every beat."""
    packets = make_packets(network, traffic)
    return packets, run_driver(network, traffic, packets, clocks=clocks)


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_the_channels_that_the_check_asks_for_are_what_keeps_the_verilog_going(name):
    free, traffic = NETWORKS[name]
    assert free.deadlock_report.deadlock_free
    assert free.routing.classes > 1
    with pytest.raises(DeadlockError):
        free.changed(virtual_channels=1).require_deadlock_free()
    assert_stands_still(free.changed(virtual_channels=1, allow_deadlock="yes"), traffic)
    packets, seen = run(free, traffic)
    beats = int(packets.length.sum())
    assert len(seen.word) == int(seen.accepted.sum()) == beats
    ends = seen.last == 1
    assert sorted(seen.word[ends]) == list(range(len(packets)))
    assert (packets.destination[seen.word] == seen.node).all()


@pytest.mark.slow
def test_a_rule_that_goes_one_way_round_stands_still_with_any_number_of_lanes():
    keys = {"buffer_depth": 2, "virtual_channels": 2, "allow_deadlock": "yes"}
    assert_stands_still(Network(Ring(nodes=5), routing=CyclicRingRouting, **keys), UNIFORM)


def assert_stands_still(network, traffic):
    """Show that flits stay inside for ever: nothing enters or leaves in the second half of a run.

    Buffers hold a few hundred flits, each at most a few hops from its node, so a flit that could
    move would have come out long before. The golden model's nodes see the same.
    """
    packets, seen = run(network, traffic)
    inside = int(seen.accepted.sum()) - len(seen.word)
    assert inside > 0
    assert len(seen.word) < packets.length.sum()
    half = run(network, traffic, CLOCKS // 2)[1]
    assert (half.accepted == seen.accepted).all()
    assert len(half.word) == len(seen.word)
    log = run_log(network, traffic, packets, clocks=CLOCKS).log
    for one, other in ((seen.word, log.packet), (seen.clock, log.clock), (seen.node, log.node)):
        assert np.array_equal(one, other)
