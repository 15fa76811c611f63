import pytest
from helpers.streams import consume, produce, run, watch
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.gateware.parts.skid import SkidBuffer

PAUSES = st.sampled_from([0, 0.3, 0.8])


@settings(max_examples=16)
@given(enabled=st.booleans(), bubble=PAUSES, stall=PAUSES, seed=st.integers(0, 99))
def test_nothing_is_lost_and_nothing_moves_under_a_stall(enabled, bubble, stall, seed):
    dut, taken, sent = SkidBuffer(8, enabled=enabled), [], list(range(50))
    run(
        dut,
        produce(dut.i, sent, bubble=bubble, seed=seed),
        consume(dut.o, taken, len(sent), stall=stall, seed=seed),
        background=[watch(dut.o)],
    )
    assert taken == sent


def test_passes_in_0_clocks_and_one_a_clock():
    dut = SkidBuffer(8)

    async def testbench(ctx):
        ctx.set(dut.o.ready, 1)
        for number in range(5):
            ctx.set(dut.i.p, number)
            ctx.set(dut.i.valid, 1)
            assert (ctx.get(dut.o.valid), ctx.get(dut.o.p)) == (1, number)
            await ctx.tick()
        ctx.set(dut.i.valid, 0)
        assert not ctx.get(dut.o.valid)

    run(dut, testbench)


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("stalled", [1, 4])
def test_keeps_one_element_and_then_says_so(stalled, enabled):
    dut = SkidBuffer(8, enabled=enabled)

    async def testbench(ctx):
        ctx.set(dut.i.p, 1)
        ctx.set(dut.i.valid, 1)
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
