"""Packets stay whole where a clock stops, and keep their rate."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from amaranth.lib import data
from helpers.streams import assign, consume, run, watch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from knotwork.gateware.adapters import EjectionGuard, InjectionGuard
from knotwork.gateware.adapters.regulator import Regulator
from knotwork.system import Payload

PAYLOAD = Payload(data_width=16, unit=8, keep=True)
END = 2 << 16
"""Data of a beat without units: both of its bytes are absent."""
SEEDS = st.integers(0, 9999)


def rows(dice, count):
    """Packets of numbers that differ."""
    sizes = [dice.randrange(1, 5) for _ in range(count)]
    return [[100 * number + place for place in range(size)] for number, size in enumerate(sizes)]


def split(beats):
    """Packets of the beats taken, each a list of data."""
    found, row = [], []
    for beat in beats:
        row.append(int(beat.data))
        if beat.last:
            found.append(row)
            row = []
    assert not row, "a packet has no end"
    return found


@given(seed=SEEDS, stall=st.sampled_from([0.0, 0.5]), reset=st.booleans())
@example(seed=1, stall=0.0, reset=False)
@settings(max_examples=40, deadline=None)
def test_what_a_node_began_to_send_is_ended(seed, stall, reset):
    dice = Random(f"{seed}")
    dut = InjectionGuard(payload=PAYLOAD, header={"destination": 4})
    packets, expected, cuts, taken = rows(dice, 6), [], [], []

    async def node(ctx):
        """Stands still before a beat; after a reset, its packet is gone."""
        for row in packets:
            halt = dice.randrange(len(row)) if dice.random() < 0.5 else None
            for place, word in enumerate(row):
                if place == halt:
                    await stand_still(ctx, dut, reset=reset)
                    if place:
                        expected.append([*row[:place], END])
                    if place and reset:
                        break
                assign(ctx, dut.i, p={"data": word, "last": int(place == len(row) - 1)}, valid=1)
                await ctx.tick().until(dut.i.ready)
                ctx.set(dut.i.valid, 0)
            if not halt:
                expected.append(row)
        await ctx.tick().repeat(40)

    async def count(ctx):
        async for _, _, cut in ctx.tick().sample(dut.cut):
            cuts.extend([1] * cut)

    sink = consume(dut.o, taken, 1 << 30, stall=stall, seed=seed)
    run(dut, node, background=[watch(dut.o), count, sink])
    assert split(taken) == expected
    assert len(cuts) == sum(row[-1] == END for row in expected)


async def stand_still(ctx, dut, *, reset):
    """The node's clock stops for a while, or the node is reset."""
    await ctx.tick().repeat(12)  # as long as it takes until that is known
    signal = dut.flushed if reset else dut.stopped
    ctx.set(signal, 1)
    await ctx.tick().repeat(12)
    ctx.set(signal, 0)


@given(seed=SEEDS, stall=st.sampled_from([0.0, 0.5]), reset=st.booleans())
@settings(max_examples=40, deadline=None)
def test_what_a_node_cannot_take_is_dropped_whole(seed, stall, reset):
    dice = Random(f"{seed}")
    dut = EjectionGuard(payload=PAYLOAD, header={"source": 4})
    packets, taken, drops, lost = rows(dice, 14), [], [], []

    async def plane(ctx):
        for number, row in enumerate(packets):
            for place, word in enumerate(row):
                while dice.random() < 0.3:
                    await ctx.tick()
                last = int(place == len(row) - 1)
                assign(ctx, dut.i, p={"data": word, "last": last, "source": number}, valid=1)
                await ctx.tick().until(dut.i.ready)
                ctx.set(dut.i.valid, 0)
        await ctx.tick().repeat(60)

    async def node(ctx):
        """Takes beats, or stands still; a reset takes what it had of a packet with it."""
        signal = dut.flushed if reset else dut.stopped
        while True:
            if dice.random() < 0.08:
                ctx.set(dut.o.ready, 0)
                ctx.set(signal, 1)
                for _ in range(dice.randrange(1, 12)):
                    await ctx.tick()
                ctx.set(signal, 0)
                if reset:
                    while taken and not taken[-1].last:
                        taken.pop()
                        lost.append(1)
            ready = dice.random() >= stall
            ctx.set(dut.o.ready, ready)
            _, _, valid, beat = await ctx.tick().sample(dut.o.valid, dut.o.p)
            if valid and ready:
                taken.append(beat)

    async def count(ctx):
        async for _, _, drop in ctx.tick().sample(dut.dropped):
            drops.extend([1] * drop)

    run(dut, plane, background=[node, count])
    found = split(taken)
    whole = [row for row in found if row[-1] != END]
    ended = [row[:-1] for row in found if row[-1] == END]
    assert all(row in packets for row in whole)
    assert whole == sorted(whole)
    for row in ended:
        assert any(row == one[: len(row)] and len(row) < len(one) for one in packets)
    assert len(drops) == len(packets) - len(whole)
    assert not (reset and ended)
    assert {int(beat.source) for beat in taken} <= set(range(len(packets)))
    for before, beat in pairwise(taken):
        assert before.last or beat.source == before.source


BEAT = data.StructLayout({"data": 8, "last": 1})


@pytest.mark.parametrize(
    ("rate", "burst"), [("1/2", 1), ("1/7", 1), ("3/8", 4), ("2/3", 5), ("255/256", 3)]
)
def test_passes_a_beat_when_the_bucket_lets_it(rate, burst):
    rate = Fraction(rate)
    dut, rng = Regulator(BEAT, rate=rate, burst=burst), Random(burst)
    beats = [n for n in range(60) for _ in range(rng.randint(1, 2 * burst))]
    moved = []

    async def testbench(ctx):
        tokens, place, offers = Fraction(burst), 0, False
        for clock in range(600):
            if place == len(beats):
                break
            offers = offers or rng.random() < 0.8
            takes = rng.random() < 0.8
            last = place + 1 == len(beats) or beats[place + 1] != beats[place]
            first = place == 0 or beats[place - 1] != beats[place]
            assign(ctx, dut.i, valid=offers, p={"data": place % 256, "last": last})
            ctx.set(dut.o.ready, takes)
            await ctx.delay(0)
            may = tokens == burst if first else tokens >= 1
            assert ctx.get(dut.o.valid) == (offers and may)
            assert ctx.get(dut.i.ready) == (takes and may)
            assert (ctx.get(dut.o.p.data), ctx.get(dut.o.p.last)) == (place % 256, last)
            if offers and takes and may:
                tokens, place, offers = tokens - 1, place + 1, False
                moved.append(clock)
            tokens = min(Fraction(burst), tokens + rate)
            await ctx.tick()

    run(dut, testbench)
    assert len(moved) > 20
    for start, first in enumerate(moved):
        for number, clock in enumerate(moved[start:], start=1):
            assert number <= burst + rate * (clock - first)


def test_a_packet_of_a_burst_is_not_interrupted():
    dut, moved = Regulator(BEAT, rate=Fraction(1, 9), burst=4), []

    async def testbench(ctx):
        ctx.set(dut.o.ready, 1)
        ctx.set(dut.i.valid, 1)
        for clock in range(100):
            ctx.set(dut.i.p, {"data": 0, "last": len(moved) % 4 == 3})
            await ctx.delay(0)
            if ctx.get(dut.i.ready):
                moved.append(clock)
            await ctx.tick()

    run(dut, testbench)
    assert moved[:8] == [0, 1, 2, 3, 36, 37, 38, 39]
