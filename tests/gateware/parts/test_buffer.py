from random import Random

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out
from helpers.streams import consume, expect, produce, put, refusal, run, watch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from knotwork.gateware.parts.buffer import Buffer, following

# Both forms, and depths beside the powers of two, where pointers wrap early.
DEPTHS = st.integers(2, 17)
PAUSES = st.sampled_from([0, 0.3, 0.8])


@settings(max_examples=12)
@given(depth=DEPTHS, bubble=PAUSES, stall=PAUSES, seed=st.integers(0, 99))
@example(depth=2, bubble=0.3, stall=0.3, seed=1)
@example(depth=2, bubble=0, stall=0.8, seed=2)
@example(depth=3, bubble=0.3, stall=0.3, seed=3)
@example(depth=16, bubble=0, stall=0.8, seed=4)
@example(depth=17, bubble=0.3, stall=0.3, seed=5)
def test_what_goes_in_comes_out_in_order(depth, bubble, stall, seed):
    dut, taken = Buffer(8, depth=depth), []
    sent = Random(seed).choices(range(256), k=4 * depth + 10)
    run(
        dut,
        produce(dut.i, sent, bubble=bubble, seed=seed),
        consume(dut.o, taken, len(sent), stall=stall, seed=seed),
        background=[watch(dut.o)],
    )
    assert taken == sent


@pytest.mark.parametrize("depth", range(2, 18))
def test_holds_exactly_its_depth(depth):
    dut = Buffer(8, depth=depth)

    async def testbench(ctx):
        for turn in range(2):  # the second time round with pointers somewhere else
            for number in range(depth):
                assert ctx.get(dut.i.ready)
                await put(ctx, dut.i, 100 * turn + number)
            ctx.set(dut.i.valid, 1)
            for _ in range(3):
                assert not ctx.get(dut.i.ready)
                await ctx.tick()
            ctx.set(dut.i.valid, 0)
            for number in range(depth):
                await expect(ctx, dut.o, 100 * turn + number)
                assert ctx.get(dut.i.ready)
            assert not ctx.get(dut.o.valid)
            await put(ctx, dut.i, 1)
            await expect(ctx, dut.o, 1)

    run(dut, testbench)


@pytest.mark.parametrize("depth", [2, 3, 16, 17])
def test_one_entry_a_clock_one_clock_later(depth):
    dut, seen = Buffer(8, depth=depth), []

    async def testbench(ctx):
        ctx.set(dut.o.ready, 1)
        ctx.set(dut.i.valid, 1)
        for number in range(3 * depth):
            ctx.set(dut.i.p, number)
            _, _, ready, valid, payload = await ctx.tick().sample(dut.i.ready, dut.o.valid, dut.o.p)
            assert ready
            seen.append(payload if valid else None)

    run(dut, testbench)
    assert seen == [None, *range(3 * depth - 1)]


@pytest.mark.parametrize("depth", [2, 5])
def test_ready_and_valid_wait_for_no_one(depth):
    """`ready` is registered: what is taken in this cycle makes room in the next."""
    dut = Buffer(8, depth=depth)

    async def testbench(ctx):
        for number in range(depth):
            await put(ctx, dut.i, number)
        for ready in (0, 1):
            ctx.set(dut.o.ready, ready)
            assert not ctx.get(dut.i.ready)
            assert ctx.get(dut.o.valid)
        await ctx.tick()
        assert ctx.get(dut.i.ready)

    run(dut, testbench)


def test_a_depth_of_1_is_refused():
    assert refusal(ValueError, lambda: Buffer(8, depth=1)) == "depth must be at least 2, not 1"


class Stepping(wiring.Component):
    """A pointer that goes on in every cycle."""

    def __init__(self, count):
        self.count = count
        super().__init__({"pointer": Out(range(count))})

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.pointer.eq(following(self.pointer, self.count))
        return m


@pytest.mark.parametrize("count", [*range(2, 18), 32, 64, 100, 128, 256, 512, 1024])
def test_a_pointer_goes_through_all_numbers_and_round(count):
    dut, seen = Stepping(count), []

    async def testbench(ctx):
        for _ in range(count):
            seen.append(ctx.get(dut.pointer))
            await ctx.tick()
        assert ctx.get(dut.pointer) == seen[0] == 0

    run(dut, testbench)
    assert sorted(seen) == list(range(count))
