"""Streams, events and resets cross between two clocks."""

from random import Random

import pytest
from helpers.clocks import RATIOS, get_all, in_domains, jittery, put_all, run_clocks
from helpers.streams import refusal
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.errors import ConfigurationError
from knotwork_soc.gateware.adapters import LinkResets, ResetRelease
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


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("who", ["network", "node"])
def test_a_short_reset_of_either_resets_both(ratio, who):
    dut = LinkResets()
    m, network, node = in_domains(dut, "sync", "node")
    shared = {"sync": 0, "node": 0}

    async def reset(ctx):
        await ctx.delay(400e-6)
        assert not ctx.get(dut.plane) | ctx.get(dut.port)
        pin = {"network": network, "node": node}[who].rst
        ctx.set(pin, 1)
        await ctx.delay(0.3e-6)  # shorter than any of the clocks
        ctx.set(pin, 0)
        assert ctx.get(dut.port)
        shared.update(sync=0, node=0)
        await ctx.delay(400e-6)
        assert not ctx.get(dut.plane) | ctx.get(dut.port)
        assert shared["sync"] >= 4
        assert shared["node"] >= 2

    def count(domain):
        async def testbench(ctx):
            async for _, _, plane, port in ctx.tick(domain).sample(dut.plane, dut.port):
                shared[domain] += plane & port

        return testbench

    run_clocks(
        m,
        [jittery(network.clk, ratio[0], seed=1), jittery(node.clk, ratio[1], seed=2)],
        reset,
        background=[count("sync"), count("node")],
    )


@pytest.mark.parametrize(
    "gap", [pytest.param(gap, marks=pytest.mark.slow if gap % 3 else ()) for gap in range(50, 70)]
)
def test_a_reset_in_the_middle_of_another_ends(gap):
    """The network's clock is slow, so the node's side is half a handshake ahead."""
    dut = LinkResets()
    m, network, node = in_domains(dut, "sync", "node")

    async def reset(ctx):
        await ctx.delay(400e-6)
        for pause in (gap * 1e-6, 600e-6):
            ctx.set(network.rst, 1)
            await ctx.delay(10e-6)
            ctx.set(network.rst, 0)
            await ctx.delay(pause)
        assert not ctx.get(dut.plane) | ctx.get(dut.port)

    run_clocks(m, [jittery(network.clk, 10, seed=1), jittery(node.clk, 0.9, seed=2)], reset)


def test_without_the_nodes_clock_the_networks_side_stays_in_reset():
    dut = LinkResets()
    m, network, node = in_domains(dut, "sync", "node")

    async def wait(ctx):
        await ctx.delay(90e-6)
        assert ctx.get(dut.plane)
        await ctx.delay(60e-6)
        assert not ctx.get(dut.plane)

    clocks = [jittery(network.clk, 1, seed=1), jittery(node.clk, 1, seed=2, stops=[(0, 100e-6)])]
    run_clocks(m, clocks, wait)


@pytest.mark.parametrize("active_low", [False, True])
def test_a_reset_begins_at_once_and_ends_at_an_edge(active_low):
    dut = ResetRelease(active_low=active_low)
    m, network, _ = in_domains(dut, "sync", "node")

    async def pin(ctx):
        idle = int(active_low)
        ctx.set(dut.i, idle)
        await ctx.tick().repeat(4)
        assert not ctx.get(dut.o)
        await ctx.delay(0.2e-6)
        ctx.set(dut.i, not idle)
        await ctx.delay(0)
        assert ctx.get(dut.o)
        ctx.set(dut.i, idle)
        await ctx.delay(0)
        assert ctx.get(dut.o)
        _, _, before = await ctx.tick().sample(dut.o)
        _, _, after = await ctx.tick().sample(dut.o)
        assert (before, after, ctx.get(dut.o)) == (1, 1, 0)

    run_clocks(m, [jittery(network.clk, 1, seed=1, jitter=0)], pin)
