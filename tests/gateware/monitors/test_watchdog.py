"""The watchdog: who has waited for too long, and who has not."""

from random import Random

import pytest
from helpers.streams import run
from knotwork.gateware.monitors import Watchdog


@pytest.mark.parametrize("bound", [1, 2, 7, 20])
def test_a_channel_is_found_between_one_bound_and_two(bound):
    for start in range(bound + 2):
        dut = Watchdog(channels=3, turns=4)

        async def testbench(ctx, start=start, dut=dut):
            ctx.set(dut.bound, bound)
            for _ in range(start):
                await ctx.tick()
            ctx.set(dut.waits, 0b010)
            waited = 0
            while not ctx.get(dut.alarm):
                await ctx.tick()
                waited += 1
            assert bound <= waited <= 2 * bound
            assert ctx.get(dut.stuck) == 0b010

        run(dut, testbench)


def test_channels_that_pause_are_not_found():
    dut, dice, bound = Watchdog(channels=4, turns=1), Random(1), 12

    async def testbench(ctx):
        ctx.set(dut.bound, bound)
        waited = [0] * 4
        for _ in range(2000):
            waits = [dice.random() < 0.85 and n < bound - 1 for n in waited]
            waited = [n + 1 if w else 0 for n, w in zip(waited, waits, strict=True)]
            ctx.set(dut.waits, sum(1 << n for n, w in enumerate(waits) if w))
            await ctx.tick()
            assert not ctx.get(dut.alarm)

    run(dut, testbench)


def test_what_was_found_stays_until_it_is_rearmed():
    dut = Watchdog(channels=2, turns=3)

    async def testbench(ctx):
        ctx.set(dut.bound, 5)
        ctx.set(dut.wants, 0b101)
        ctx.set(dut.waits, 0b01)
        await ctx.tick().until(dut.alarm)
        ctx.set(dut.waits, 0b10)
        ctx.set(dut.wants, 0b010)
        await ctx.tick().repeat(30)
        found = [ctx.get(bits) for bits in (dut.stuck, dut.waiting, dut.wanted)]
        assert found == [0b01, 0b01, 0b101]
        ctx.set(dut.rearm, 1)
        await ctx.tick()
        ctx.set(dut.rearm, 0)
        await ctx.tick().until(dut.alarm)
        found = [ctx.get(bits) for bits in (dut.stuck, dut.waiting, dut.wanted)]
        assert found == [0b10, 0b10, 0b010]

    run(dut, testbench)


def test_no_bound_finds_nothing_and_a_new_one_begins_at_once():
    dut = Watchdog(channels=1, turns=1)

    async def testbench(ctx):
        ctx.set(dut.waits, 1)
        await ctx.tick().repeat(200)
        assert not ctx.get(dut.alarm)
        ctx.set(dut.bound, 9)
        ctx.set(dut.restart, 1)
        await ctx.tick()
        ctx.set(dut.restart, 0)
        await ctx.tick().repeat(8)
        assert not ctx.get(dut.alarm)
        await ctx.tick()
        assert ctx.get(dut.alarm)

    run(dut, testbench)
