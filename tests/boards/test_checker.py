from random import Random

import pytest
from knotwork import Hypercube, Network
from knotwork_boards.selftest.checker import Checker
from knotwork_boards.selftest.packet import PacketFormat

VERDICTS = ("corrupted", "misrouted", "duplicated", "skipped")
OWN = 2


@pytest.fixture(params=[8, 32])
def form(request):
    return PacketFormat(Network(Hypercube(n=2), data_width=request.param))


def judge(run, form, packets):
    """Verdicts (names that were high at its last beat) on packets, each (source, beats, lasts)."""
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
def packet(form, beats_of):
    """Maker of packets, sound ones for the own node if not said otherwise."""

    def make(source, sequence, *, length=1, destination=OWN, flip=None):
        wrapped = sequence % (1 << form.sequence_width)
        beats = beats_of(form, source, destination, wrapped, length)
        if flip is not None:
            beats[flip[0]] ^= 1 << flip[1]
        return source, beats, [0] * (length - 1) + [1]

    return make


def test_flows_in_order_are_good_round_the_wrap_and_through_each_other(run, form, packet):
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
