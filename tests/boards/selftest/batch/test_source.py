from random import Random

import pytest
from helpers.streams import watch
from knotwork import Hypercube, Network
from knotwork_boards.selftest.batch.source import BatchSource
from knotwork_boards.selftest.packet_format import PacketFormat

ADDRESS = 2
DESTINATIONS = [3, 1, 0, 2]


def source(words, data_width=32, rounds_log2=0):
    network = Network(Hypercube(n=2), routing="lc1", words=words, data_width=data_width)
    form = PacketFormat(network)
    dut = BatchSource(
        format=form,
        words=words,
        address=ADDRESS,
        destinations=DESTINATIONS,
        rounds_log2=rounds_log2,
    )
    return form, dut


def collect(run, dut, *, windows, ready, random):
    """Packets per window, each packet a list of beats (data, last, destination)."""
    result = []

    async def testbench(ctx):
        cycle = 0
        for _ in range(windows):
            packets, beats, quiet = [], [], 0
            ctx.set(dut.start, 1)
            await ctx.tick()
            ctx.set(dut.start, 0)
            while quiet < 50:
                ctx.set(dut.random, random(cycle))
                ctx.set(dut.o.ready, ready(cycle))
                cycle += 1
                valid, taken = ctx.get(dut.o.valid), ctx.get(dut.o.valid & dut.o.ready)
                payload = ctx.get(dut.o.payload)
                assert ctx.get(dut.sent) == (taken and payload.last)
                quiet = 0 if valid else quiet + 1
                if taken:
                    beats.append((payload.data, payload.last, payload.destination))
                    if payload.last:
                        packets.append(beats)
                        beats = []
                await ctx.tick()
            assert beats == []
            result.append(packets)

    run(dut, testbench, watch(dut.o))
    return result


@pytest.mark.parametrize("data_width", [8, 32])
@pytest.mark.parametrize("words", [1, 3, 64])
def test_every_batch_has_its_packet_for_its_destination(run, beats_of, words, data_width):
    form, dut = source(words, data_width, rounds_log2=1)
    dice = Random(1)
    windows = collect(
        run,
        dut,
        windows=2,
        ready=lambda cycle: dice.randrange(2),
        random=lambda cycle: dice.randrange(4),
    )
    beat_width = (words - 1).bit_length()
    for packets in windows:
        assert len(packets) == 2 * len(DESTINATIONS) << 1
        for batch, packet in enumerate(packets):
            destination = DESTINATIONS[batch // 2 % len(DESTINATIONS)]
            sequence = batch % (1 << form.sequence_width)
            data, last, destinations = map(list, zip(*packet, strict=True))
            expected = beats_of(form, ADDRESS, destination, sequence, words, beat_width=beat_width)
            assert data == expected
            assert last == [0] * (words - 1) + [1]
            assert set(destinations) == {destination}


def test_without_pauses_packets_follow_each_other_at_once(run):
    _, dut = source(words=3)

    async def testbench(ctx):
        ctx.set(dut.start, 1)
        ctx.set(dut.o.ready, 1)
        await ctx.tick().until(dut.o.valid)
        ctx.set(dut.start, 0)
        for number in range(1, 3 * 8 + 1):
            assert ctx.get(dut.o.valid) == (number < 3 * 8)
            await ctx.tick()

    run(dut, testbench)


def test_nothing_begins_by_itself(run):
    _, dut = source(words=1)

    async def testbench(ctx):
        ctx.set(dut.o.ready, 1)
        for _ in range(20):
            assert not ctx.get(dut.o.valid)
            await ctx.tick()

    run(dut, testbench)
