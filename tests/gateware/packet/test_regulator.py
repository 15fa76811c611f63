"""Beats pass when the token bucket lets them."""

from fractions import Fraction
from random import Random

import pytest
from amaranth.lib import data
from helpers.streams import assign, run
from knotwork.gateware.packet.classes import Regulator

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
