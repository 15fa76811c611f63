"""Nothing is lost, doubled or disordered between clocks; one that stops is found in time."""

from random import Random

import pytest
from helpers.clocks import RATIOS, get_all, in_domains, jittery, put_all, run_clocks
from helpers.streams import refusal
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.errors import ConfigurationError
from knotwork_soc.gateware.adapters.crossings import (
    ClockWatch,
    Crossing,
    EventCrossing,
    MesochronousCrossing,
)

PAUSES = st.sampled_from([0.0, 0.5, 0.9])


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
    m, left, right = in_domains(dut, "left", "right")
    sent = [Random(f"{seed}").randrange(1 << 16) for _ in range(40)]
    taken = []
    run_clocks(
        m,
        [jittery(left.clk, ratio[0], seed=seed), jittery(right.clk, ratio[1], seed=seed + 1)],
        put_all(dut.i, sent, "left", bubble=bubble, seed=seed),
        get_all(dut.o, taken, len(sent), "right", stall=stall, seed=seed),
    )
    assert taken == sent


@pytest.mark.parametrize("ratio", [(1.0, 1.0), (1.0, 3.0), (3.0, 1.0)])
def test_the_slower_clock_moves_a_payload_per_cycle(ratio):
    dut = Crossing(shape=8, i_domain="left", o_domain="right")
    m, left, right = in_domains(dut, "left", "right")
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
        [
            jittery(left.clk, ratio[0], seed=1, jitter=0),
            jittery(right.clk, ratio[1], seed=2, jitter=0),
        ],
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
    m, left, right = in_domains(dut, "left", "right")
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
        [jittery(left.clk, ratio[0], seed=seed), jittery(right.clk, ratio[1], seed=seed + 1)],
        pulses,
        settle,
        background=[count],
    )
    assert len(taken) == 60


PERIOD = 1e-6


def wandering(signal, phase, *, wander, seed, stop=None):
    """Process that drives a clock of `PERIOD`, whose edges come up to `wander` of it late."""
    dice = Random(f"clock {seed}")

    async def process(ctx):
        late, now, number = 0.0, 0.0, 0
        while True:
            number += 1
            late = min(max(late + dice.uniform(-0.2, 0.2), 0), wander)
            edge = (number + phase + late) * PERIOD
            if stop is not None and edge >= stop[0]:
                edge += stop[1]
            await ctx.delay(edge - now)
            ctx.set(signal, 1)
            await ctx.delay(0.3 * PERIOD)
            ctx.set(signal, 0)
            now = edge + 0.3 * PERIOD

    return process


@pytest.mark.parametrize("phase", [0.0, 0.02, 0.4, 0.7, 0.98])
@pytest.mark.parametrize(("bubble", "stall", "wander"), [(0, 0, 0), (0.5, 0.2, 0.4), (0, 0.5, 0.4)])
def test_payloads_come_out_in_order_at_any_phase_and_with_wander(phase, bubble, stall, wander):
    dut = MesochronousCrossing(shape=8, i_domain="left", o_domain="right")
    m, left, right = in_domains(dut, "left", "right")
    dice, taken = Random(f"{phase} {bubble}"), []
    sent = [dice.randrange(256) for _ in range(60)]
    run_clocks(
        m,
        [
            wandering(left.clk, 0, wander=wander, seed=1),
            wandering(right.clk, phase, wander=wander, seed=2),
        ],
        put_all(dut.i, sent, "left", bubble=bubble, seed=3),
        get_all(dut.o, taken, len(sent), "right", stall=stall, seed=4),
    )
    assert taken == sent


@pytest.mark.parametrize("phase", [0.02, 0.5, 0.98])
def test_a_payload_per_cycle_after_one_to_two_cycles(phase):
    dut = MesochronousCrossing(shape=8, i_domain="left", o_domain="right")
    m, left, right = in_domains(dut, "left", "right")
    seen = []

    async def source(ctx):
        ctx.set(dut.i.valid, 1)
        _, _, ready = await ctx.tick("left").sample(dut.i.ready)
        while not ready:
            _, _, ready = await ctx.tick("left").sample(dut.i.ready)
        # The word was taken at this edge.
        waited = 0
        while not ctx.get(dut.o.valid):
            waited += 1
            await ctx.delay(PERIOD / 100)
        seen.append(waited / 100)
        ctx.set(dut.o.ready, 1)
        await ctx.tick("left").repeat(10)
        for _ in range(20):
            _, _, ready = await ctx.tick("left").sample(dut.i.ready)
            assert ready

    run_clocks(
        m,
        [wandering(left.clk, 0, wander=0, seed=1), wandering(right.clk, phase, wander=0, seed=2)],
        source,
    )
    assert seen == [pytest.approx(1 + phase, abs=0.03)]


@pytest.mark.parametrize("side", ["left", "right"])
def test_clocks_that_come_apart_have_slipped(side):
    """One of them stands still for a while: nothing leaves any more."""
    dut = MesochronousCrossing(shape=8, i_domain="left", o_domain="right")
    m, left, right = in_domains(dut, "left", "right")

    async def both(ctx):
        ctx.set(dut.i.valid, 1)
        ctx.set(dut.o.ready, 1)
        await ctx.delay(40 * PERIOD)
        assert not ctx.get(dut.slipped)
        assert ctx.get(dut.o.valid)
        await ctx.delay((15 + 10) * PERIOD)  # the clock runs again, and 10 cycles later
        assert ctx.get(dut.slipped)
        assert not ctx.get(dut.o.valid)

    stops = {side: (50 * PERIOD, 5 * PERIOD)}
    run_clocks(
        m,
        [
            wandering(clock.clk, phase, wander=0, seed=1, stop=stops.get(name))
            for name, clock, phase in (("left", left, 0), ("right", right, 0.3))
        ],
        both,
    )


@pytest.mark.parametrize("depth", [2, 12])
@pytest.mark.parametrize(
    ("component", "name"), [(Crossing, "crossing"), (MesochronousCrossing, "mesochronous crossing")]
)
def test_a_depth_that_does_not_wrap_is_refused(component, name, depth):
    said = refusal(ConfigurationError, lambda: component(shape=1, depth=depth))
    assert said == f"{name}: depth must be a power of two of at least 4, not {depth}"


TIMEOUT = 40


def watched(period, stops, until):
    """Cycles of the network in which the clock counts as stopped."""
    dut, found = ClockWatch(timeout=TIMEOUT), []
    m, network, node = in_domains(dut, "sync", "node")

    async def count(ctx):
        for cycle in range(until):
            _, _, stopped = await ctx.tick().sample(dut.stopped)
            if stopped:
                found.append(cycle)

    clocks = [
        jittery(network.clk, 1, seed=1, jitter=0),
        jittery(node.clk, period, seed=2, jitter=0, stops=stops),
    ]
    run_clocks(m, clocks, count)
    return found


@pytest.mark.parametrize("period", [0.1, 0.5, 1, 2, 7.3, 12])
def test_a_clock_that_runs_is_not_stopped(period):
    assert watched(period, [], 600) == []


@pytest.mark.parametrize("period", [0.1, 1, 7.3, 12])
def test_a_clock_that_stops_is_found_in_time(period):
    found = watched(period, [(200e-6, 400e-6)], 600)
    assert found == [*range(found[0], found[-1] + 1)]
    # It may have been asked up to three of its periods before its last edge.
    assert 200 - 3 * period + TIMEOUT - 1 <= found[0] <= 200 + period + TIMEOUT + 6
    assert 400 <= found[-1] <= 400 + 3 * period + 6
