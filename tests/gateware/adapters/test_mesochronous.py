"""Nothing is lost or disordered between clocks of one frequency, at any phase and with wander."""

from random import Random

import pytest
from amaranth.hdl import ClockDomain, Module
from helpers.clocks import get_all, put_all, run_clocks
from helpers.streams import refusal
from knotwork.errors import ConfigurationError
from knotwork.gateware.adapters import MesochronousCrossing

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


def in_two_phases(**keys):
    """A crossing of bytes in the domains `left` and `right`, and their clocks."""
    dut = MesochronousCrossing(shape=8, i_domain="left", o_domain="right", **keys)
    m = Module()
    m.domains.left = left = ClockDomain()
    m.domains.right = right = ClockDomain()
    m.submodules.dut = dut
    return m, dut, left.clk, right.clk


@pytest.mark.parametrize("phase", [0.0, 0.02, 0.4, 0.7, 0.98])
@pytest.mark.parametrize(("bubble", "stall", "wander"), [(0, 0, 0), (0.5, 0.2, 0.4), (0, 0.5, 0.4)])
def test_payloads_come_out_once_and_in_order(phase, bubble, stall, wander):
    m, dut, left, right = in_two_phases()
    dice, taken = Random(f"{phase} {bubble}"), []
    sent = [dice.randrange(256) for _ in range(60)]
    run_clocks(
        m,
        [
            wandering(left, 0, wander=wander, seed=1),
            wandering(right, phase, wander=wander, seed=2),
        ],
        put_all(dut.i, sent, "left", bubble=bubble, seed=3),
        get_all(dut.o, taken, len(sent), "right", stall=stall, seed=4),
    )
    assert taken == sent


@pytest.mark.parametrize("phase", [0.02, 0.5, 0.98])
def test_a_payload_per_cycle_after_one_to_two_cycles(phase):
    m, dut, left, right = in_two_phases()
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
        [wandering(left, 0, wander=0, seed=1), wandering(right, phase, wander=0, seed=2)],
        source,
    )
    assert seen == [pytest.approx(1 + phase, abs=0.03)]


@pytest.mark.parametrize("side", ["left", "right"])
def test_clocks_that_come_apart_have_slipped(side):
    """One of them stands still for a while: nothing leaves any more."""
    m, dut, left, right = in_two_phases()

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
            wandering(clock, phase, wander=0, seed=1, stop=stops.get(name))
            for name, clock, phase in (("left", left, 0), ("right", right, 0.3))
        ],
        both,
    )


@pytest.mark.parametrize("depth", [2, 12])
def test_a_depth_that_does_not_wrap_is_refused(depth):
    said = refusal(ConfigurationError, lambda: MesochronousCrossing(shape=1, depth=depth))
    assert said == (
        f"mesochronous crossing: depth must be a power of two of at least 4, not {depth}"
    )
