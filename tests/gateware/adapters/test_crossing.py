"""Nothing is lost, doubled or disordered between clocks that know nothing of each other."""

from random import Random

import pytest
from amaranth.hdl import ClockDomain, Module
from helpers.clocks import RATIOS, get_all, jittery, put_all, run_clocks
from helpers.streams import refusal
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.errors import ConfigurationError
from knotwork.gateware.adapters import Crossing, EventCrossing

PAUSES = st.sampled_from([0.0, 0.5, 0.9])


def in_two_clocks(dut):
    """A component in the domains `left` and `right`, and these."""
    m = Module()
    m.domains.left = left = ClockDomain()
    m.domains.right = right = ClockDomain()
    m.submodules.dut = dut
    return m, left.clk, right.clk


@given(
    ratio=st.sampled_from(RATIOS),
    depth=st.sampled_from([4, 8, 16]),
    bubble=PAUSES,
    stall=PAUSES,
    seed=st.integers(0, 999),
)
@settings(max_examples=12, deadline=None)
def test_payloads_come_out_once_and_in_order(ratio, depth, bubble, stall, seed):
    dut = Crossing(shape=16, depth=depth, i_domain="left", o_domain="right")
    m, left, right = in_two_clocks(dut)
    sent = [Random(f"{seed}").randrange(1 << 16) for _ in range(40)]
    taken = []
    run_clocks(
        m,
        [jittery(left, ratio[0], seed=seed), jittery(right, ratio[1], seed=seed + 1)],
        put_all(dut.i, sent, "left", bubble=bubble, seed=seed),
        get_all(dut.o, taken, len(sent), "right", stall=stall, seed=seed),
    )
    assert taken == sent


@pytest.mark.parametrize("ratio", [(1.0, 1.0), (1.0, 3.0), (3.0, 1.0)])
def test_the_slower_clock_moves_a_payload_per_cycle(ratio):
    dut = Crossing(shape=8, i_domain="left", o_domain="right")
    m, left, right = in_two_clocks(dut)
    sent, taken, ends = [*range(100)], [], []
    slower = "left" if ratio[0] > ratio[1] else "right"

    async def count(ctx):
        cycles = 0
        while len(taken) < len(sent):
            await ctx.tick(slower)
            cycles += 1
        ends.append(cycles)

    run_clocks(
        m,
        [jittery(left, ratio[0], seed=1, jitter=0), jittery(right, ratio[1], seed=2, jitter=0)],
        put_all(dut.i, sent, "left", bubble=0, seed=1),
        get_all(dut.o, taken, len(sent), "right", stall=0, seed=1),
        count,
    )
    assert taken == sent
    assert ends[0] <= len(sent) + 6


@given(ratio=st.sampled_from(RATIOS), seed=st.integers(0, 999), rate=st.floats(0.05, 1))
@settings(max_examples=12, deadline=None)
def test_each_event_comes_out_once(ratio, seed, rate):
    dut = EventCrossing(i_domain="left", o_domain="right")
    m, left, right = in_two_clocks(dut)
    dice, sent, taken = Random(f"{seed}"), [], []

    async def pulses(ctx):
        for _ in range(60):  # fewer than can wait
            while dice.random() > rate:
                await ctx.tick("left")
            ctx.set(dut.i, 1)
            await ctx.tick("left")
            ctx.set(dut.i, 0)
            sent.append(1)

    async def count(ctx):
        async for _, _, pulse in ctx.tick("right").sample(dut.o):
            if pulse:
                taken.append(1)

    async def settle(ctx):
        while len(sent) < 60:
            await ctx.tick("right")
        await ctx.tick("right").repeat(70)

    run_clocks(
        m,
        [jittery(left, ratio[0], seed=seed), jittery(right, ratio[1], seed=seed + 1)],
        pulses,
        settle,
        background=[count],
    )
    assert len(taken) == 60


@pytest.mark.parametrize("depth", [2, 12])
def test_a_depth_without_gray_code_is_refused(depth):
    said = refusal(ConfigurationError, lambda: Crossing(shape=1, depth=depth))
    assert said == f"crossing: depth must be a power of two of at least 4, not {depth}"
