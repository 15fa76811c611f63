import pytest
from knotwork import Hypercube, Moebius, Network
from knotwork.errors import DeadlockError
from knotwork.routing import Routing, Turn, check_deadlock, routings_of
from numba.extending import register_jitable
from ring import CyclicRingRouting, Ring, RingRouting


@register_jitable
def round_the_square(parameters, router, port, channel_class, destination):
    """0, 1, 3, 2, 0: always the same way round the hypercube of two dimensions."""
    if router == destination:
        return 0, 0
    return (1, 0) if router in (0, 3) else (2, 0)


@register_jitable
def alternating(parameters, router, port, channel_class, destination):
    """Highest differing dimension first where the address has an odd number of ones, else lowest.

    Within a square, 0 to 3 goes by 1, 1 to 2 by 3, 3 to 0 by 2 and 2 to 1 by 0: a ring.
    """
    difference = router ^ destination
    if difference == 0:
        return 0, 0
    lowest, highest = 0, 0
    while difference >> lowest & 1 == 0:
        lowest += 1
    while difference >> highest > 1:
        highest += 1
    ones = 0
    while router:
        ones += router & 1
        router >>= 1
    return (highest if ones % 2 else lowest) + 1, 0


class FromFunction(Routing):
    """A rule under test with every turn declared."""

    function: object

    @property
    def rule(self):
        return type(self).function

    def class_turns(self, ports):
        return {Turn(i, 0, o, 0) for i in ports for o in ports}


class RoundTheSquare(FromFunction):
    name = "round"
    function = staticmethod(round_the_square)


class Alternating(FromFunction):
    name = "alternating"
    function = staticmethod(alternating)


def assert_is_cycle(network, cycle):
    """The channels are links, each begins where the one before ends, and some packet turns so."""
    turns = set()
    nodes = range(network.topology.nodes)
    for source in nodes:
        for destination in nodes:
            path = network.routing.path(source, destination)
            turns |= set(zip(path, path[1:], path[2:], strict=False))
    for (a, b, _), (c, d, _) in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        assert b == c
        assert (a, b, d) in turns


def test_one_way_round_a_square_is_refused_with_its_cycle():
    network = Network(Hypercube(n=2), routing=RoundTheSquare)
    report = network.deadlock_report
    assert not report.deadlock_free
    assert set(report.cycle) == {(0, 1, 0), (1, 3, 0), (3, 2, 0), (2, 0, 0)}
    assert_is_cycle(network, report.cycle)
    assert report.dependencies == 4
    assert report.reason == (
        "all 4^2 pairs walked: the channel dependence graph has a cycle of 4 channels"
    )


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_mix_of_orders_is_refused_with_a_cycle(n):
    network = Network(Hypercube(n=n), routing=Alternating)
    assert not network.deadlock_report.deadlock_free
    assert_is_cycle(network, network.deadlock_report.cycle)


def test_a_ring_is_cyclic_with_one_class_and_free_with_a_dateline():
    cyclic = Network(Ring(nodes=6), routing=RingRouting, virtual_channels=1)
    assert not cyclic.deadlock_report.deadlock_free
    assert len(cyclic.deadlock_report.cycle) == 6
    assert_is_cycle(cyclic, cyclic.deadlock_report.cycle)
    free = Network(Ring(nodes=6), routing=RingRouting)
    assert free.deadlock_report.deadlock_free
    assert free.deadlock_report.virtual_channels == 2
    assert free.deadlock_report.channels == 24


def test_a_cyclic_network_is_refused_in_one_line_with_its_cycle():
    network = Network(Ring(nodes=5), routing=CyclicRingRouting)
    with pytest.raises(DeadlockError) as refusal:
        network.require_deadlock_free()
    head, _, links = str(refusal.value).partition("5 channels: ")
    assert head == (
        "ring_nodes5_one_way: routing=one_way must be free of deadlock with virtual_channels=1 "
        "(or allow_deadlock=yes): all 5^2 pairs walked: the channel dependence graph has a cycle "
        "of "
    )
    expected = ["000->001", "001->010", "010->011", "011->100", "100->000"]
    assert sorted(links.split(", ")) == [f"{link} vc0" for link in expected]


def test_lanes_do_not_help_a_cyclic_rule():
    network = Network(Ring(nodes=6), routing=CyclicRingRouting, virtual_channels=4)
    assert not network.deadlock_report.deadlock_free


def test_allow_deadlock_builds_it_even_so():
    network = Network(Ring(nodes=6), routing=CyclicRingRouting, allow_deadlock="yes")
    network.require_deadlock_free()
    assert not network.deadlock_report.deadlock_free


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize(
    "make",
    [
        *(lambda n, r=r: Network(Hypercube(n=n), routing=r) for r in routings_of("hypercube")),
        *(
            lambda n, r=r, twist=twist: Network(Moebius(n=n, twist=twist), routing=r)
            for r, routing in routings_of("moebius").items()
            if routing.unbuildable is None
            for twist in (0, 1)
        ),
    ],
)
@pytest.mark.parametrize("virtual_channels", [1, 3])
def test_rank_and_enumeration_agree(make, n, virtual_channels):
    routing = make(n).routing
    routing = type(routing)(
        routing.topology, virtual_channels=routing.needed_virtual_channels() * virtual_channels
    )
    walked = check_deadlock(routing, enumerate_pairs=True)
    ranked = check_deadlock(routing, enumerate_pairs=False)
    assert walked.deadlock_free == ranked.deadlock_free
    assert walked.channels == ranked.channels
    assert walked.virtual_channels == ranked.virtual_channels
    assert walked.dependencies <= ranked.dependencies
    assert ranked.reason == "every turn raises the declared rank of its channels"


def test_a_rank_that_does_not_rise_is_refused_with_the_turn():
    class Ranked(Alternating):
        def rank(self):
            return Network(Hypercube(n=3)).routing.rank()

    report = check_deadlock(Ranked(Hypercube(n=3)), enumerate_pairs=False)
    assert not report.deadlock_free
    assert report.cycle is None
    assert report.reason == (
        "the turn dim0 (class 0) -> dim0 (class 0) at router 0 does not raise the declared rank"
    )


def test_without_a_rank_a_large_network_is_not_called_free():
    report = check_deadlock(RingRouting(Ring(nodes=6)), enumerate_pairs=False)
    assert not report.deadlock_free
    assert report.reason == "6 nodes are too many to walk and no rank is declared"


def test_above_the_limit_the_rank_is_verified():
    report = Network(Moebius(n=13, twist=1)).deadlock_report
    assert report.deadlock_free
    assert report.channels == 13 * 2**13
    assert report.reason == "every turn raises the declared rank of its channels"
