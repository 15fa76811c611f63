"""Buffers, skid buffers and RAMs."""

from random import Random

import pytest
from amaranth.hdl import Module, Signal
from helpers.streams import assign, expect, passed, put, refusal, run
from hypothesis import example, given, settings
from hypothesis import strategies as st
from knotwork.gateware.parts.buffer import Buffer, SkidBuffer, Write, following

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
    sent = Random(seed).choices(range(256), k=4 * depth + 10)
    assert passed(Buffer(8, depth=depth), sent, bubble=bubble, stall=stall, seed=seed) == sent


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


@pytest.mark.parametrize("count", [*range(2, 18), 32, 64, 100, 128, 256, 512, 1024])
def test_a_pointer_goes_through_all_numbers_and_round(count):
    m, pointer, seen = Module(), Signal(range(count)), []
    m.d.sync += pointer.eq(following(pointer, count))

    async def testbench(ctx):
        for _ in range(count):
            seen.append(ctx.get(pointer))
            await ctx.tick()
        assert ctx.get(pointer) == seen[0] == 0

    run(m, testbench)
    assert sorted(seen) == list(range(count))


@settings(max_examples=16)
@given(bubble=PAUSES, stall=PAUSES, seed=st.integers(0, 99))
def test_nothing_is_lost_and_nothing_moves_under_a_stall(bubble, stall, seed):
    dut, sent = SkidBuffer(8), list(range(50))
    assert passed(dut, sent, bubble=bubble, stall=stall, seed=seed) == sent


def test_passes_in_0_clocks_and_one_a_clock():
    dut = SkidBuffer(8)

    async def testbench(ctx):
        ctx.set(dut.o.ready, 1)
        for number in range(5):
            assign(ctx, dut.i, p=number, valid=1)
            assert (ctx.get(dut.o.valid), ctx.get(dut.o.p)) == (1, number)
            await ctx.tick()
        ctx.set(dut.i.valid, 0)
        assert not ctx.get(dut.o.valid)

    run(dut, testbench)


@pytest.mark.parametrize("stalled", [1, 4])
def test_keeps_one_element_and_then_says_so(stalled):
    dut = SkidBuffer(8)

    async def testbench(ctx):
        assign(ctx, dut.i, p=1, valid=1)
        assert ctx.get(dut.i.ready)  # although no one takes it
        await ctx.tick()
        ctx.set(dut.i.p, 2)
        for _ in range(stalled):
            assert (ctx.get(dut.o.valid), ctx.get(dut.o.p), ctx.get(dut.i.ready)) == (1, 1, 0)
            await ctx.tick()
            assert (ctx.get(dut.full), ctx.get(dut.kept)) == (1, 1)
        ctx.set(dut.o.ready, 1)
        assert (ctx.get(dut.o.p), ctx.get(dut.i.ready)) == (1, 0)  # ready is registered
        await ctx.tick()
        assert (ctx.get(dut.o.valid), ctx.get(dut.o.p), ctx.get(dut.i.ready)) == (1, 2, 1)

    run(dut, testbench)


def test_each_ram_keeps_its_value_of_what_arrived_last_at_a_place():
    m, arrives, into, found = Module(), Signal(), Signal(3), Signal(3)
    values = [Signal(width, name=f"value{width}") for width in (3, 8)]
    write = Write(m, arrives, into)
    shown = [write.ram(f"ram{len(value)}", value, found) for value in values]

    async def testbench(ctx):
        rng, kept = Random(1), {}
        for _ in range(300):
            comes, place = rng.random() < 0.5, rng.randrange(8)
            new = [rng.randrange(1 << len(value)) for value in values]
            ctx.set(arrives, comes)
            ctx.set(into, place)
            for signal, value in zip(values, new, strict=True):
                ctx.set(signal, value)
            for at, expected in kept.items():
                ctx.set(found, at)
                assert [ctx.get(one) for one in shown] == expected
            await ctx.tick()
            if comes:
                kept[place] = new
        assert len(kept) == 8

    run(m, testbench)
