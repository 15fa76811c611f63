"""Highest differing dimension first, against the written addresses."""

import pytest
from knotwork import Hypercube, Moebius, Network
from knotwork.routing.dimension_order import highest_difference


def test_the_port_is_that_of_the_highest_differing_bit():
    for here in range(16):
        for there in range(16):
            bits = [i for i in range(4) if f"{here:04b}"[3 - i] != f"{there:04b}"[3 - i]]
            assert highest_difference(None, here, 0, 1, there) == (max(bits, default=-1) + 1, 1)


@pytest.mark.parametrize("topology", [Hypercube(n=4), Moebius(n=4)], ids=lambda one: one.name)
def test_ports_fall_along_every_path(topology):
    routing = Network(topology).routing
    for source in range(16):
        for destination in range(16):
            ports = [hop.port for hop in routing.hops(source, destination)]
            assert ports == sorted(set(ports), reverse=True)


def test_the_ranks_rise_with_every_turn():
    routing = Network(Hypercube(n=3), multicast="yes", max_packet=8).routing
    rank = routing.rank()[0]
    for i, a, o, b in routing.class_turns(0):
        if 0 not in (i, o):
            assert rank[i, a] < rank[o, b]
    assert all(rank[:, a].max() < rank[:, b].min() for a, b in routing.relays)
