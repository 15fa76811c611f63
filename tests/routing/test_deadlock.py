"""The deadlock check: of rules made to fail, and of the routings of every network."""

from itertools import pairwise, product

import numpy as np
import pytest
from helpers.ring import CyclicRingRouting, EscapingRingRouting, Ring, RingRouting
from knotwork import CubeConnectedCycles, Hypercube, Mesh, Moebius, Network, WkRecursive
from knotwork.errors import DeadlockError
from knotwork.routing import Turn, check_deadlock, routings_of
from knotwork.routing.ccc import Unicast as CccUnicast
from knotwork.routing.compiled.compilable import compilable
from knotwork.routing.hypercube import ECube
from knotwork.routing.mesh import DimensionOrder
from knotwork.routing.wk import Unicast as WkUnicast
from knotwork.topology.ccc import FORWARD

RAISES = "every turn raises the declared rank of its channels"


def slow(words):
    return [pytest.param(word, marks=pytest.mark.slow) for word in words]


RANKED = [
    *("hypercube:n=1", "hypercube:n=4", "moebius:n=1,twist=1", "moebius:n=4", "moebius:n=3"),
    *(f"moebius:n={n},twist={n - 3},routing=spr,vc_scheme=escape" for n in (3, 4)),
    *("ccc:n=2", "ccc:n=3", "ccc:n=4", "ccc:n=6", "petersen", "rp:k=1", "rp:k=2", "rp:k=5"),
    *("tcpg:k=1,m=1", "tcpg:k=1,m=2,broadcast=no", "tcpg:k=2,m=1,broadcast=address"),
    *("torus:x=2,y=3", "torus:x=4,y=7", "torus:x=5,y=6", "torus:x=3,y=4,directions=one"),
    *("mesh:x=3,y=2", "mesh:x=3,y=2,z=2", "ring:n=7", "wk:w=2,levels=5", "wk:w=3,levels=3"),
    *("wk:w=4,levels=1", "wk:w=4,levels=2,broadcast=no", "wk:w=3,levels=3,routing=shortest"),
    *("wk:w=2,levels=4,routing=shortest,broadcast=no", "wk:w=5,levels=2,routing=shortest"),
    *slow(f"hypercube:n={n}" for n in (2, 3, 5, 6, 7)),
    *slow(f"moebius:n={n},twist={twist}" for n in (2, 3, 6, 7) for twist in (0, 1)),
    *slow(f"moebius:n={n},routing=spr,vc_scheme=escape" for n in (5, 6, 7)),
    *slow(f"ccc:n={n}" for n in (5, 7, 8)),
    *slow(f"torus:x={x},y={y}" for x in (2, 3, 5, 6, 7) for y in (2, 4, 7)),
    *slow(f"torus:x={x},y={y},directions=one" for x in (2, 4) for y in (2, 3, 5)),
    *slow(f"mesh:x={x},y={y}" for x in (2, 4) for y in (2, 3, 5)),
    *slow(f"rp:k={k}" for k in (3, 4, 6, 7, 8, 9, 12)),
    *slow(f"tcpg:k={k},m={m}" for k in (1, 2, 3, 4) for m in (1, 2, 3, 4) if k * m > 1),
    *slow(
        f"wk:w={w},levels={levels},routing={routing}"
        for w, levels in ((2, 7), (3, 5), (3, 6), (4, 4), (5, 3), (6, 3), (7, 2))
        for routing in ("unicast", "shortest")
    ),
]  # fmt: skip


@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("word", RANKED)
def test_rank_and_walk_agree(word, lanes):
    alone = Network.from_word(word).routing
    channels = alone.needed_virtual_channels() * lanes
    routing = type(alone)(alone.topology, virtual_channels=channels, options=alone.options)
    walked, ranked = (check_deadlock(routing, enumerate_pairs=pairs) for pairs in (True, False))
    assert walked.deadlock_free
    assert ranked.deadlock_free
    links = (routing.topology.neighbours >= 0).sum()
    for report in (walked, ranked):
        assert (report.channels, report.virtual_channels) == (links * channels, channels)
    assert walked.dependencies <= ranked.dependencies
    all_pairs = f"all {routing.topology.nodes}^2 pairs"
    copies = "" if routing.broadcast is None else " and all broadcasts"
    if routing.escape_class is None:
        assert (
            walked.reason == f"{all_pairs}{copies} walked: the channel dependence graph is acyclic"
        )
        assert ranked.reason == RAISES
    else:
        escape = "every blocked packet may escape to class 1"
        assert walked.reason == (
            f"{all_pairs} walked: {escape}, whose channel dependence graph is acyclic"
        )
        assert ranked.reason == f"{escape}, where {RAISES}"


def test_ecube_dfr_and_an_escape_declare_a_rank():
    found = []
    for topology in (Hypercube(n=4), Moebius(n=4)):
        for name, routing in routings_of(topology.name).items():
            if routing.unbuildable is None:
                found.append((name, Network(topology, routing=name).routing.rank() is not None))
    assert found == [("ecube", True), ("lc1", False), ("dfr", True), ("spr", False)]


LARGE = [
    *("moebius:n=13,twist=1", "ccc:n=13", "wk:w=2,levels=13,broadcast=no", "wk:w=3,levels=8"),
    *("wk:w=3,levels=8,routing=shortest", "torus:x=33,y=512", "mesh:x=1024,y=9", "rp:k=4096"),
    *("tcpg:k=16,m=16", "moebius:n=13,routing=spr"),
    *slow(("moebius:n=13,twist=1,routing=spr", "ccc:n=16", "torus:x=1024,y=1024")),
    *slow(
        f"wk:w={w},levels={levels},routing={routing}"
        for w, levels in ((3, 8), (4, 7), (9, 4), (16, 4))
        for routing in ("unicast", "shortest")
    ),
]


@pytest.mark.parametrize("word", LARGE)
def test_large_networks_are_checked_by_rank(word):
    network = Network.from_word(word)
    report = network.deadlock_report
    assert report.deadlock_free
    links = (network.topology.neighbours >= 0).sum()
    assert report.channels == links * network.virtual_channels
    escape = "every blocked packet may escape to class 1, where "
    assert report.reason == (RAISES if network.routing.escape_class is None else escape + RAISES)
    assert "walks" not in vars(network.routing)


def spr(n, twist):
    return f"moebius:n={n},twist={twist},routing=spr,vc_scheme=ascents"


NEEDED = [
    *(("hypercube:n=3", 1), ("moebius:n=3,twist=1", 1), ("ccc:n=3", 2), ("ccc:n=5", 2)),
    *(("petersen", 2), ("rp:k=2", 2), ("tcpg:k=1,m=2,broadcast=no", 2)),
    *(("mesh:x=3,y=2,z=2", 1), ("ring:n=3", 1), ("ring:n=4", 1), ("ring:n=5", 2), ("ring:n=8", 2)),
    *(("ring:n=6,directions=one", 2), ("torus:x=4,y=3", 1), ("torus:x=2,y=5", 2)),
    *(("torus:x=2,y=2,directions=one", 1), ("torus:x=3,y=2,directions=one", 2)),
    *(("wk:w=3,levels=2,broadcast=no", 2), ("wk:w=3,levels=2,routing=shortest,broadcast=no", 2)),
    *(("wk:w=3,levels=3,routing=shortest,broadcast=no", 3), ("wk:w=4,levels=3,broadcast=no", 2)),
    # Section 6 of the specification of Moebius cubes, "the same, clamped"; n=1 has no turns.
    *((spr(n, twist), least) for n, least in ((1, 1), (2, 1), (3, 2), (5, 2)) for twist in (0, 1)),
    *((spr(6, 0), 2), (spr(6, 1), 3)),
    *(
        pytest.param(*row, marks=pytest.mark.slow)
        for row in (
            *((spr(4, twist), 2) for twist in (0, 1)),
            *((spr(n, twist), 3) for n in (7, 8) for twist in (0, 1)),
            *((spr(9, 0), 4), (spr(9, 1), 3), (spr(10, 0), 4), (spr(10, 1), 4)),
            *((f"ccc:n={n}", 2) for n in (4, 6)),
            *((f"rp:k={k}", 2) for k in (1, 3, 6, 12)),
            *((f"torus:x={x},y={y}", 1 + (max(x, y) > 4)) for x in (2, 3, 5, 7) for y in (4, 7)),
            *((f"wk:w={w},levels=4,broadcast=no", 2) for w in (3, 4)),
            *((f"wk:w={w},levels=4,routing=shortest,broadcast=no", 3) for w in (3, 4)),
        )
    ),
]


@pytest.mark.parametrize(("word", "least"), NEEDED)
def test_as_many_virtual_channels_as_keep_it_free_of_deadlock_and_no_fewer(word, least):
    network = Network.from_word(word)
    assert (network.virtual_channels, network.routing.lanes) == (least, 1)
    assert network.deadlock_report.deadlock_free
    assert network.deadlock_report.cycle is None
    for fewer in range(1, least):
        assert_waits_in_a_ring(network.changed(virtual_channels=fewer))


def assert_waits_in_a_ring(network):
    """Some packet holds each channel of the reported cycle and wants the next."""
    report, waits = network.deadlock_report, set()
    assert not report.deadlock_free
    if network.topology.nodes > 256:
        return
    for source, destination in product(range(network.topology.nodes), repeat=2):
        hops = network.routing.hops(source, destination)
        channels = [(a.router, b.router, a.virtual_channel) for a, b in pairwise(hops)]
        waits |= set(pairwise(channels))
    assert len(report.cycle) > 2
    assert set(pairwise([*report.cycle, report.cycle[0]])) <= waits


@pytest.mark.parametrize("name", ["approx_spr", "set_spr", "rsa"])
@pytest.mark.parametrize("twist", [0, 1])
def test_one_virtual_channel_is_too_few_for_shortest_paths(name, twist):
    """Section 6 of the specification of Moebius cubes: for any minimal routing from n = 3."""
    for n in (1, 2):
        assert Network(Moebius(n=n, twist=twist), routing=name).deadlock_report.deadlock_free
    for n in (4,) if name == "approx_spr" else (3, 4):
        assert_waits_in_a_ring(Network(Moebius(n=n, twist=twist), routing=name))


def with_turn(routing, turn):
    """Routing that declares a turn more."""
    return type(
        "Turning",
        (routing,),
        {"class_turns": lambda self, r: routing.class_turns(self, r) | {turn}},
    )


@pytest.mark.parametrize(
    ("routing", "topology", "turn", "words"),
    [
        (
            CccUnicast, CubeConnectedCycles(n=6), Turn(FORWARD, 0, FORWARD, 0),
            "F (class 0) -> F (class 0) at router 0",
        ),
        (
            DimensionOrder, Mesh(x=3, y=3), Turn(3, 0, 1, 0),
            "U (class 0) -> L (class 0) at router 0",
        ),
        (
            WkUnicast, WkRecursive(w=3, levels=2), Turn(1, 1, 2, 0),
            "digit0 (class 1) -> digit1 (class 0) at router 3",
        ),
        (ECube, Hypercube(n=3), Turn(1, 0, 1, 0), "dim0 (class 0) -> dim0 (class 0) at router 0"),
    ],
)  # fmt: skip
def test_a_turn_back_is_caught_by_the_rank(routing, topology, turn, words):
    report = check_deadlock(with_turn(routing, turn)(topology), enumerate_pairs=False)
    assert not report.deadlock_free
    assert report.cycle is None
    assert report.reason == f"the turn {words} does not raise the declared rank"


@pytest.mark.parametrize(
    "word",
    ["torus:x=5,y=4", "ccc:n=6", "wk:w=3,levels=3,broadcast=label",
     "wk:w=3,levels=3,routing=shortest,broadcast=label"],
)  # fmt: skip
def test_no_rank_is_declared_for_too_few_classes(word):
    routing = Network.from_word(f"{word},virtual_channels={2 if 'wk' in word else 1}").routing
    assert routing.rank() is None
    assert not check_deadlock(routing, enumerate_pairs=False).deadlock_free


def test_a_ring_is_cyclic_with_one_class_and_free_with_a_dateline():
    cyclic = Network(Ring(nodes=6), routing=RingRouting, virtual_channels=1)
    assert len(cyclic.deadlock_report.cycle) == 6
    assert_waits_in_a_ring(cyclic)
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


def test_lanes_do_not_help_and_allow_deadlock_builds_it_even_so():
    for keys in ({"virtual_channels": 4}, {"allow_deadlock": "yes"}):
        network = Network(Ring(nodes=6), routing=CyclicRingRouting, **keys)
        assert not network.deadlock_report.deadlock_free
    network.require_deadlock_free()


def test_without_a_rank_a_large_network_is_not_called_free():
    report = check_deadlock(RingRouting(Ring(nodes=6)), enumerate_pairs=False)
    assert not report.deadlock_free
    assert report.reason == "6 nodes are too many to walk and no rank is declared"


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
def test_an_escape_class_that_packets_leave_or_never_reach_is_an_error(refused, function):
    class Leaving(EscapingRingRouting):
        name = "leaving"

        @property
        def rule(self):
            return function

    assert refused(lambda: check_deadlock(Leaving(Ring(nodes=6)))).endswith(
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
@pytest.mark.parametrize(
    ("n", "rounds"), [(2, 2), (3, 3), pytest.param(5, 4, marks=pytest.mark.slow)]
)
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

    fewer = Network(make(n=n), multicast="yes", max_packet=16, virtual_channels=rounds - 1)
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
