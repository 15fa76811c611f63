"""Lines and rings as factors, against searches of their graphs."""

import numpy as np
import pytest
from knotwork.topology import metrics
from knotwork.topology.factors import (
    LONG,
    NO_WRAP,
    ONE_WAY,
    TWO_WAY,
    Line,
    OneWayRing,
    Ring,
    ring_hop,
)
from knotwork.topology.petersen import PetersenGraph

FACTORS = [
    *(Line(size, ("L", "R")) for size in range(2, 9)),
    *(Ring(size, ("L", "R")) for size in range(2, 9)),
    *(Ring(size, ("L", "R"), ties_back=True) for size in range(2, 9)),
    *(OneWayRing(size, ("R",)) for size in range(2, 9)),
    PetersenGraph("index"),
]
every = pytest.mark.parametrize("factor", FACTORS, ids=repr)


@every
def test_formulas_and_next_hops_agree_with_the_search(factor):
    hops = metrics.distances(factor.neighbours)
    found = [[factor.distance(a, b) for b in range(factor.size)] for a in range(factor.size)]
    assert found == hops.tolist()
    assert (factor.diameter, factor.distance_sum) == (hops.max(), hops.sum())
    port, vc_class = factor.next_hops
    assert port.shape == vc_class.shape == (factor.size, factor.size)
    for here in range(factor.size):
        for there in set(range(factor.size)) - {here}:
            after = int(factor.neighbours[here, port[here, there]])
            assert factor.distance(after, there) == factor.distance(here, there) - 1
            if after != there:
                now = vc_class[here, there], factor.ranks[here, port[here, there]]
                later = vc_class[after, there], factor.ranks[after, port[after, there]]
                assert now < later


@every
def test_one_class_is_enough_only_where_the_channels_have_no_ring(factor):
    """The channel dependence graph in one class, by its transitive closure."""
    size, ports = factor.neighbours.shape
    waits = np.zeros((size * ports, size * ports), bool)
    port = factor.next_hops.port
    for here in range(size):
        for there in set(range(size)) - {here}:
            after = int(factor.neighbours[here, port[here, there]])
            if after != there:
                held = here * ports + port[here, there]
                waits[held, after * ports + port[after, there]] = True
    for middle in range(size * ports):
        waits |= waits[:, [middle]] & waits[middle]
    assert factor.path_classes == (2 if waits.diagonal().any() else 1)


def test_factors_and_positions_by_hand():
    assert [Line(4, ("L", "R")).wrap, Ring(4, ("L", "R")).wrap, OneWayRing(4, ("R",)).wrap] == [
        *(NO_WRAP, TWO_WAY, ONE_WAY)
    ]
    assert Ring(4, ("L", "R")).is_row
    assert not PetersenGraph("index").is_row
    assert Ring(LONG, ("L", "R")).shortened().size == LONG
    assert Ring(LONG + 3, ("L", "R")).shortened() == Ring(LONG + 1, ("L", "R"))
    assert PetersenGraph("word").shortened() == PetersenGraph("word")
    for ties_back in (False, True):
        assert ring_hop(6, 5, 1, ties_back) == (True, False)  # over the dateline: in class 0 first
        assert ring_hop(6, 1, 3, ties_back) == (True, True)
        assert ring_hop(6, 1, 4, ties_back) == (False, False)
    assert ring_hop(6, 0, 3, False) == (True, True)
    assert ring_hop(6, 0, 3, True) == (False, False)
    four = Ring(4, ("L", "R"))
    assert four.position_groups.tolist() == [0, 1, 2, 3]
    assert four.group_names == ("first", "second", "third", "last")
    for ring in (Ring(4, ("L", "R"), ties_back=True), Line(4, ("L", "R"))):
        assert ring.position_groups.tolist() == [0, 1, 1, 2]
        assert ring.group_names == ("first", "inner", "last")


@pytest.mark.parametrize("size", range(2, 20))
def test_half_way_round_both_ways_carry_as_much_unless_ties_go_back(size):
    """Links differ by one packet at most, where an odd number of hops leads half way round."""
    found = loads(Ring(size, ("L", "R")))
    assert found.max() - found.min() <= (1 if size % 4 == 2 else 0)
    assert found.sum() == size * (size**2 // 4)
    back, forward = loads(Ring(size, ("L", "R"), ties_back=True)).sum(axis=0)
    assert back - forward == (size * size // 2 if size % 2 == 0 else 0)


def loads(ring):
    """Packets over each link, int of shape (size, ports), of one for every pair."""
    found = np.zeros((ring.size, 2), int)
    for here in range(ring.size):
        for there in range(ring.size):
            position = here
            while position != there:
                port = ring.next_hops.port[position, there]
                found[position, port] += 1
                position = ring.neighbours[position, port]
    return found
