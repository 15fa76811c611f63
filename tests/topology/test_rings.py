"""Lines and rings as factors, against searches of their graphs."""

import numpy as np
import pytest
from knotwork.topology import metrics
from knotwork.topology.factors import NO_WRAP, ONE_WAY, TWO_WAY
from knotwork.topology.petersen import PetersenGraph
from knotwork.topology.rings import LONG, Line, OneWayRing, Ring

FACTORS = [
    *(Line(size, ("L", "R")) for size in range(2, 9)),
    *(Ring(size, ("L", "R")) for size in range(2, 9)),
    *(Ring(size, ("L", "R"), spread=False) for size in range(2, 9)),
    *(OneWayRing(size, ("R",)) for size in range(2, 9)),
    PetersenGraph("index"),
]
every = pytest.mark.parametrize("factor", FACTORS, ids=repr)


@every
def test_formulas_agree_with_the_search(factor):
    hops = metrics.distances(factor.neighbours)
    found = [[factor.distance(a, b) for b in range(factor.size)] for a in range(factor.size)]
    assert found == hops.tolist()
    assert (factor.diameter, factor.distance_sum) == (hops.max(), hops.sum())


@every
def test_hops_are_on_shortest_paths_and_raise_the_rank_within_a_class(factor):
    port, vc_class = factor.next_hops
    assert port.shape == vc_class.shape == (factor.size, factor.size)
    for start in range(factor.size):
        for there in set(range(factor.size)) - {start}:
            here, ranks = start, []
            now = int(vc_class[here, there])
            while here != there:
                out = port[here, there]
                ranks.append((now, int(factor.ranks[here, out])))
                after = int(factor.neighbours[here, out])
                assert factor.distance(after, there) == factor.distance(here, there) - 1
                ends = np.array([[after], [there], [now]])
                here, now = after, int(factor.class_onward(*ends)[0])
            assert ranks == sorted(set(ranks))


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


def test_ends_are_joined_or_not():
    assert [Line(4, ("L", "R")).wrap, Ring(4, ("L", "R")).wrap, OneWayRing(4, ("R",)).wrap] == [
        *(NO_WRAP, TWO_WAY, ONE_WAY)
    ]
    assert Ring(4, ("L", "R")).is_row
    assert not PetersenGraph("index").is_row


def test_long_rows_are_shortened_and_short_ones_are_not():
    assert Ring(LONG, ("L", "R")).shortened().size == LONG
    assert Ring(LONG + 3, ("L", "R")).shortened() == Ring(LONG + 1, ("L", "R"))
    assert PetersenGraph("word").shortened() == PetersenGraph("word")
