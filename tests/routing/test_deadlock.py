import numpy as np
import pytest
import rustworkx as rx
from helpers.ring import CyclicRingRouting, EscapingRingRouting, Ring, RingRouting
from knotwork import Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError, DeadlockError
from knotwork.routing import Routing, Turn, check_deadlock, routings_of
from knotwork.routing.compiled.compilable import compilable
from knotwork.routing.hypercube import ECube


@compilable
def round_the_square(parameters, router, port, channel_class, destination):
    """0, 1, 3, 2, 0: always the same way round the hypercube of two dimensions."""
    if router == destination:
        return 0, 0
    return (1, 0) if router in (0, 3) else (2, 0)


@compilable
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

    def class_turns(self, router):
        ports = self.topology.connected_ports(router)
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
        "loop_nodes5_one_way: routing=one_way must be free of deadlock with virtual_channels=1 "
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


def ranked_routings(n):
    """Buildable routings of the cubes, in every scheme, that declare a rank."""
    for topology in (Hypercube(n=n), Moebius(n=n), Moebius(n=n, twist=1)):
        for name, routing in routings_of(topology.name).items():
            if routing.unbuildable is None:
                schemes = [{}]
                if "vc_scheme" in routing.options_class.keys():  # noqa: SIM118
                    schemes = [{"vc_scheme": scheme} for scheme in ("ascents", "escape")]
                networks = [Network(topology, routing=name, **scheme) for scheme in schemes]
                yield from (net.routing for net in networks if net.routing.rank() is not None)


def test_ecube_dfr_and_an_escape_declare_a_rank():
    found = [(routing.name, routing.escape_class) for routing in ranked_routings(4)]
    assert found == [("ecube", None), *[("dfr", None), ("spr", 1)] * 2]


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("lanes", [1, 3])
def test_rank_and_enumeration_agree(n, lanes):
    for alone in ranked_routings(n):
        routing = type(alone)(
            alone.topology,
            virtual_channels=alone.needed_virtual_channels() * lanes,
            options=alone.options,
        )
        walked = check_deadlock(routing, enumerate_pairs=True)
        ranked = check_deadlock(routing, enumerate_pairs=False)
        assert walked.deadlock_free
        assert ranked.deadlock_free
        assert walked.channels == ranked.channels
        assert walked.virtual_channels == ranked.virtual_channels
        assert walked.dependencies <= ranked.dependencies
        raises = "every turn raises the declared rank of its channels"
        if routing.escape_class is not None:
            raises = f"every blocked packet may escape to class 1, where {raises}"
        assert ranked.reason == raises


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


def test_with_an_escape_only_its_class_must_be_acyclic():
    """The other class is a ring, of which the check of both together would say so."""
    network = Network(Ring(nodes=6), routing=EscapingRingRouting)
    held, port, vc_class = np.nonzero(network.routing.walks.dependencies)
    router, rest = np.divmod(held, 6)  # three ports, two classes
    whole = rx.PyDiGraph()
    whole.add_nodes_from(range(36))
    after = network.topology.neighbours[router, rest // 2]
    wanted = after * 6 + port * 2 + vc_class
    whole.add_edges_from_no_data(list(zip(held.tolist(), wanted.tolist(), strict=True)))
    assert not rx.is_directed_acyclic_graph(whole)
    report = network.deadlock_report
    assert report.deadlock_free
    assert report.cycle is None
    assert report.channels == 2 * 12
    assert report.dependencies == whole.num_edges()
    assert report.reason == (
        "all 6^2 pairs walked: every blocked packet may escape to class 1, whose channel "
        "dependence graph is acyclic"
    )


@compilable
def one_way_in_both_classes(parameters, router, port, channel_class, destination):
    return (0, 0) if router == destination else (1, channel_class)


class CyclicEscape(EscapingRingRouting):
    name = "cyclic_escape"

    @property
    def rule(self):
        return one_way_in_both_classes


def test_a_cyclic_escape_class_is_refused_with_its_cycle():
    report = Network(Ring(nodes=6), routing=CyclicEscape).deadlock_report
    assert not report.deadlock_free
    assert set(report.cycle) == {(node, (node + 1) % 6, 1) for node in range(6)}
    after = [*report.cycle[1:], report.cycle[0]]
    assert all(a[1] == b[0] for a, b in zip(report.cycle, after, strict=True))
    assert report.reason == (
        "all 6^2 pairs walked: every blocked packet may escape to class 1, whose channel "
        "dependence graph has a cycle of 6 channels"
    )


@compilable
def back_at_router_3(parameters, router, port, channel_class, destination):
    if router == destination:
        return 0, 0
    return 1, 0 if router == 3 else channel_class


@compilable
def no_escape(parameters, router, port, channel_class, destination):
    return (0, 0) if router == destination else (1, 0)


@pytest.mark.parametrize("function", [back_at_router_3, no_escape])
def test_an_escape_class_that_packets_leave_or_never_reach_is_an_error(function):
    class Leaving(EscapingRingRouting):
        name = "leaving"

        @property
        def rule(self):
            return function

    with pytest.raises(ConfigurationError) as refusal:
        check_deadlock(Leaving(Ring(nodes=6)))
    assert str(refusal.value).endswith(
        "from its node, the class must stay 1, the escape class, not become 0"
    )


def test_declared_turns_out_of_the_escape_class_are_an_error():
    class Leaving(EscapingRingRouting):
        name = "leaving"

        def class_turns(self, router):
            return {Turn(2, 1, 1, 0)}

        def rank(self):
            return np.arange(6)[:, None, None]

    with pytest.raises(ValueError, match=r"^routing=leaving: a packet must not leave the escape"):
        check_deadlock(Leaving(Ring(nodes=6)), enumerate_pairs=False)


def test_a_rank_that_does_not_rise_in_the_escape_class_is_refused():
    class Ranked(EscapingRingRouting):
        def rank(self):
            return np.arange(6)[:, None, None]

    report = check_deadlock(Ranked(Ring(nodes=6)), enumerate_pairs=False)
    assert not report.deadlock_free
    assert report.reason == (
        "the turn next (class 1) -> previous (class 1) at router 0 does not raise the declared rank"
    )


class Relaying(ECube):
    """Nodes store what arrives, and send it on in the same class."""

    @property
    def relays(self):
        return ((0, 0),)


def test_two_nodes_that_store_for_each_other_can_deadlock():
    """Channel 0 -> 1, the store of 1, channel 1 -> 0, the store of 0."""
    routing = Relaying(Hypercube(n=1))
    report = check_deadlock(routing)
    assert not report.deadlock_free
    around = [(0, 1, 0), (1, 1, 0), (1, 0, 0), (0, 0, 0)]
    first = around.index(report.cycle[0])
    assert report.cycle == around[first:] + around[:first]
    assert report.reason == (
        "all 2^2 pairs walked: the channel dependence graph, with the stores of the relays, has a "
        "cycle of 4 channels and stores"
    )
    ranked = check_deadlock(routing, enumerate_pairs=False)
    assert not ranked.deadlock_free
    assert ranked.reason == "a relay from class 0 to class 0 does not raise the declared rank"


@pytest.mark.parametrize("make", [Hypercube, Moebius])
@pytest.mark.parametrize(("n", "rounds"), [(2, 2), (3, 3), (5, 4)])
def test_a_virtual_channel_a_round_frees_multicasts_and_one_fewer_does_not(make, n, rounds):
    """3, 7 and 15 destinations at most, for buffer_depth is 16: log2 of one more rounds."""
    network = Network(make(n=n), multicast="yes")
    assert network.parameters["virtual_channels"] == rounds
    walked, ranked = network.deadlock_report, check_deadlock(network.routing, enumerate_pairs=False)
    assert walked.deadlock_free
    assert walked.reason == (
        f"all {2**n}^2 pairs walked: the channel dependence graph, with the stores of the relays, "
        "is acyclic"
    )
    assert ranked.deadlock_free

    fewer = Network(make(n=n), multicast="yes", virtual_channels=rounds - 1)
    cycle = fewer.deadlock_report.cycle
    assert not check_deadlock(fewer.routing, enumerate_pairs=False).deadlock_free
    assert any(a == b for a, b, _ in cycle)
    for (a, b, vc), (c, d, after) in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        assert b == c
        assert b in (a, d) or vc == after  # a class changes in a store alone
        assert a == b or b in fewer.topology.neighbours[a]


def test_without_multicasts_there_are_no_stores():
    assert Network(Hypercube(n=4)).routing.relays == ()
    assert Network(Hypercube(n=4), multicast="yes", max_packet=2).routing.relays == ()
