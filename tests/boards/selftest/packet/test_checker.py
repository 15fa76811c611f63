from random import Random

import pytest
from knotwork import Hypercube, Moebius, Network, WkRecursive
from knotwork_boards.selftest.packet.checker import Checker
from knotwork_boards.selftest.packet_format import PacketFormat

VERDICTS = ("corrupted", "misrouted", "duplicated", "skipped")
OWN = 2


@pytest.fixture(params=[8, 32])
def data_width(request):
    return request.param


@pytest.fixture(params=["unicasts", "multicasts", "broadcasts"])
def form(request, data_width):
    keys = {"multicast": "yes"} if request.param == "multicasts" else {}
    topology = WkRecursive(w=2, levels=2) if request.param == "broadcasts" else Hypercube(n=2)
    return PacketFormat(Network(topology, data_width=data_width, **keys))


def judge(run, form, packets):
    """Verdict on each packet (source, beats, lasts): events that were high at its last beat."""
    dut = Checker(format=form, address=OWN)
    dice = Random(1)
    verdicts = []

    async def testbench(ctx):
        for source, beats, lasts in packets:
            for beat, last in zip(beats, lasts, strict=True):
                ctx.set(dut.i.payload, {"data": beat, "last": last, "source": source})
                ctx.set(dut.i.valid, 1)
                while True:
                    ctx.set(dut.random, dice.randrange(4))
                    if ctx.get(dut.i.ready):
                        break
                    assert not ctx.get(dut.received)
                    await ctx.tick()
                assert ctx.get(dut.received) == last
                found = {name for name in VERDICTS if ctx.get(getattr(dut, name))}
                if last:
                    verdicts.append(found)
                else:
                    assert found == set()
                await ctx.tick()
            ctx.set(dut.i.valid, 0)
            for _ in range(dice.randrange(3)):
                await ctx.tick()

    run(dut, testbench)
    return verdicts


@pytest.fixture
def maker(beats_of):
    """Maker, by format, of makers of packets; these are sound and for this node by default."""

    def make_for(form):
        def make(source, sequence, *, length=1, destination=OWN, copy=0, flip=None):
            wrapped = sequence % (1 << form.sequence_width)
            beats = beats_of(form, source, destination, wrapped, length, copy)
            if flip is not None:
                beats[flip[0]] ^= 1 << flip[1]
            return source, beats, [0] * (length - 1) + [1]

        return make

    return make_for


@pytest.fixture
def packet(form, maker):
    return maker(form)


def test_flows_in_order_are_good_across_the_wrap_and_interleaved(run, form, packet):
    sequences = range(2 << form.sequence_width)
    packets = [
        packet(source, sequence, length=1 + (source + sequence) % 4)
        for sequence in sequences
        for source in (3, 0, 2, 1)
    ]
    assert judge(run, form, packets) == [set()] * len(packets)


def test_a_missing_packet_is_skipped_once(run, form, packet):
    packets = [packet(1, 0), packet(1, 2), packet(1, 3), packet(0, 0)]
    assert judge(run, form, packets) == [set(), {"skipped"}, set(), set()]


def test_a_packet_twice_is_duplicated_once(run, form, packet):
    packets = [packet(1, 0), packet(1, 1), packet(1, 1), packet(1, 0), packet(1, 2)]
    assert judge(run, form, packets) == [set(), set(), {"duplicated"}, {"duplicated"}, set()]


def test_a_packet_of_another_node_is_misrouted(run, form, packet):
    packets = [packet(1, 0), packet(1, 5, destination=0, length=3), packet(1, 1)]
    assert judge(run, form, packets) == [set(), {"misrouted"}, set()]


@pytest.mark.parametrize("length", [1, 4])
def test_any_flipped_bit_is_corruption(run, form, packet, length):
    flips = [(beat, place) for beat in range(length) for place in range(form.data_width)]
    packets = [packet(3, 0, length=length, flip=flip) for flip in flips]
    assert judge(run, form, [*packets, packet(3, 0)]) == [{"corrupted"}] * len(packets) + [set()]


def test_a_wrong_source_is_corruption(run, form, packet):
    _, beats, lasts = packet(1, 0, length=3)
    assert judge(run, form, [(0, beats, lasts), (1, beats, lasts)]) == [{"corrupted"}, set()]


def test_packets_run_together_cut_short_or_shuffled_are_corruption(run, form, packet):
    (_, three, _), (_, two, _) = packet(1, 0, length=3), packet(1, 1, length=2)
    wrong = [
        (1, three + two, [0, 0, 0, 0, 1]),
        (1, three[:2], [0, 1]),
        (1, three[:1], [1]),
        (1, [three[0], three[2]], [0, 1]),
        (1, [three[1], three[0], three[2]], [0, 0, 1]),
        (1, [three[0], three[1], two[1]], [0, 0, 1]),
    ]
    assert judge(run, form, [*wrong, packet(1, 0)]) == [{"corrupted"}] * len(wrong) + [set()]


def test_clear_forgets_a_source(run, form, packet):
    dut = Checker(format=form, address=OWN)
    found = []

    async def testbench(ctx):
        for source, sequence, clear in ((1, 0, 0), (3, 0, 0), (1, 0, 1), (3, 0, 0)):
            ctx.set(dut.clear, clear)
            ctx.set(dut.clear_source, source)
            await ctx.tick()
            ctx.set(dut.clear, 0)
            data = packet(source, sequence)[1][0]
            ctx.set(dut.i.payload, {"data": data, "last": 1, "source": source})
            ctx.set(dut.i.valid, 1)
            found.append(ctx.get(dut.duplicated))
            await ctx.tick()
            ctx.set(dut.i.valid, 0)

    run(dut, testbench)
    assert found == [0, 0, 0, 1]


@pytest.fixture(params=["multicasts", "broadcasts"])
def with_copies(request, data_width):
    """Format of a network with broadcasts, or with multicasts to the next two nodes of three."""
    if request.param == "broadcasts":
        return PacketFormat(Network(WkRecursive(w=2, levels=2), data_width=data_width))
    network = Network(Hypercube(n=2), data_width=data_width, multicast="yes", max_packet=3)
    return PacketFormat(network)


def test_copies_are_a_separate_flow(run, with_copies, maker):
    packet = maker(with_copies)
    sequences = range(2 << with_copies.sequence_width)
    packets = []
    for sequence in sequences:
        packets.append(packet(3, sequence, length=1 + sequence % 4))
        if sequence >= 2:  # the multicasts lag behind
            packets.append(packet(3, sequence - 2, copy=1, length=1 + sequence % 3))
    assert judge(run, with_copies, packets) == [set()] * len(packets)


def test_a_copy_is_judged_like_any_packet(run, with_copies, maker):
    packet = maker(with_copies)
    packets = [packet(0, n, copy=1, length=2) for n in (0, 1, 1, 3)]
    expected = [set(), set(), {"duplicated"}, {"skipped"}]
    assert judge(run, with_copies, packets) == expected


def test_a_copy_at_a_node_that_is_no_member_is_misrouted(run, with_copies, maker):
    packet = maker(with_copies)
    packets = [packet(source, 0, copy=1, length=2) for source in range(4)]
    # 3 is 2 XOR 1, 0 is 2 XOR 2; 1 is 2 XOR 3, and 2 the node itself
    members = {0, 3} if with_copies.chained else {0, 1, 3}
    expected = [set() if source in members else {"misrouted"} for source in range(4)]
    assert judge(run, with_copies, packets) == expected


def test_a_unicast_is_judged_apart_from_copies(run, with_copies, maker):
    packet = maker(with_copies)
    packets = [packet(3, 0), packet(3, 0), packet(3, 0, copy=1), packet(3, 5, destination=1)]
    expected = [set(), {"duplicated"}, set(), {"misrouted"}]
    assert judge(run, with_copies, packets) == expected


@pytest.mark.parametrize("length", [1, 3])
def test_any_flipped_bit_of_a_copy_is_corruption(run, with_copies, maker, length):
    packet = maker(with_copies)
    flips = [(beat, bit) for beat in range(length) for bit in range(with_copies.data_width)]
    packets = [packet(3, 0, copy=1, length=length, flip=flip) for flip in flips]
    expected = [{"corrupted"}] * len(packets)
    assert judge(run, with_copies, [*packets, packet(3, 0, copy=1)]) == [*expected, set()]


def test_a_copy_of_another_source_or_with_its_chain_is_corruption(run, with_copies, maker):
    _, beats, lasts = maker(with_copies)(3, 0, copy=1, length=2)
    wrong = [(0, beats, lasts), (3, [2, 1, *beats], [0, 0, *lasts]), (3, [1, *beats], [0, *lasts])]
    expected = [{"corrupted"}] * len(wrong)
    assert judge(run, with_copies, [*wrong, (3, beats, lasts)]) == [*expected, set()]


def test_packets_may_overtake_each_other_where_the_network_says_so(run, data_width, maker):
    form = PacketFormat(
        Network(Moebius(n=2), data_width=data_width, routing="spr", vc_scheme="escape")
    )
    packet = maker(form)
    packets = [packet(1, n, length=1 + n % 4) for n in (1, 0, 2, 5, 3, 4, 3, 6)]
    packets += [packet(3, 0, destination=0), packet(3, 1, flip=(0, 3)), packet(3, 0)]
    expected = [set()] * 6 + [{"duplicated"}, set(), {"misrouted"}, {"corrupted"}, set()]
    assert judge(run, form, packets) == expected
    ordered = PacketFormat(Network(Moebius(n=2), data_width=data_width))
    packet = maker(ordered)
    assert judge(run, ordered, [packet(1, 1), packet(1, 0)]) == [{"skipped"}, {"duplicated"}]
