from random import Random

import pytest
from helpers.pulses import pulse
from helpers.streams import watch
from knotwork import Hypercube, Network
from knotwork.routing.scheduling.linear_complement import JumpTable
from knotwork_boards.selftest.batch.loader import BatchLoader

N = 3
TABLES = [
    JumpTable((1, 0, 1), (3, 0, 3)),
    JumpTable((1, 1, 1), (3, 3, 3)),
    JumpTable((1, 0, 0), (3, 3, 1)),
]


@pytest.fixture
def loader():
    return BatchLoader(network=Network(Hypercube(n=N), routing="lc1"), tables=TABLES)


async def take_table(ctx, dut, dice):
    """Entries (jump, buddy) of a table, up to the one marked last."""
    entries = []
    while True:
        ctx.set(dut.o.ready, dice.randrange(2))
        valid, ready, beat = ctx.get(dut.o.valid), ctx.get(dut.o.ready), ctx.get(dut.o.payload)
        await ctx.tick()
        if valid and ready:
            entries.append((beat.entry.jump, beat.entry.buddy))
            if beat.last:
                ctx.set(dut.o.ready, 0)
                return entries


async def end_batch(ctx, dut):
    await pulse(ctx, dut.ended)


def test_a_table_comes_after_every_second_batch_highest_dimension_first(run, loader):
    dice = Random(1)

    async def testbench(ctx):
        for number in range(7):
            table = TABLES[number % len(TABLES)]
            expected = list(zip(table.jump, table.buddy, strict=True))[::-1]
            assert await take_table(ctx, loader, dice) == expected
            for batch in range(2):
                for _ in range(dice.randrange(4)):
                    assert not ctx.get(loader.o.valid)
                    await ctx.tick()
                await end_batch(ctx, loader)
                assert ctx.get(loader.o.valid) == (batch == 1)  # at once

    run(loader, testbench, watch(loader.o))


def test_the_first_entry_comes_when_a_reset_is_over(run, loader):
    async def testbench(ctx):
        assert not ctx.get(loader.o.valid)
        await ctx.tick()
        assert ctx.get(loader.o.valid)
        assert ctx.get(loader.o.payload).entry.jump == 1

    run(loader, testbench)


@pytest.mark.parametrize("entries", [0, 1, N])
def test_anew_it_ends_the_present_table_and_begins_with_the_first(run, loader, entries):
    expected = [list(zip(table.jump, table.buddy, strict=True))[::-1] for table in TABLES]

    async def testbench(ctx):
        dice = Random(2)
        assert await take_table(ctx, loader, dice) == expected[0]
        for _ in range(2):
            await end_batch(ctx, loader)
        begun = []
        while len(begun) < entries:
            ctx.set(loader.o.ready, 1)
            valid, beat = ctx.get(loader.o.valid), ctx.get(loader.o.payload)
            await ctx.tick()
            begun += [(beat.entry.jump, beat.entry.buddy)] if valid else []
        ctx.set(loader.o.ready, 0)
        await pulse(ctx, loader.anew)
        rest = await take_table(ctx, loader, dice) if entries < N else []
        assert begun + rest == expected[1]
        assert await take_table(ctx, loader, dice) == expected[0]
        for _ in range(2):
            assert not ctx.get(loader.o.valid)
            await end_batch(ctx, loader)
        assert await take_table(ctx, loader, dice) == expected[1]

    run(loader, testbench, watch(loader.o))
