"""Components of two clocks in Amaranth's simulator: periods that share nothing, and jitter."""

from random import Random

from amaranth.hdl import ClockDomain, Module
from amaranth.sim import Simulator

RATIOS = ((1.0, 1.0), (3.0, 7.0), (10.0, 1.7), (7.0, 3.0), (1.7, 10.0))
"""Periods of the two clocks, in microseconds; equal ones are shifted against each other."""


def jittery(signal, period, *, seed, jitter=0.05, stops=()):
    """Process that drives a clock with jitter; it stands still between the given times."""
    dice = Random(f"clock {seed}")

    async def process(ctx):
        now = period * 1e-6 * dice.random()
        await ctx.delay(now)
        while True:
            for start, end in stops:
                if start <= now < end:
                    await ctx.delay(end - now)
                    now = end
            for level in (1, 0):
                ctx.set(signal, level)
                step = period * 1e-6 * (0.5 + jitter * (dice.random() - 0.5))
                await ctx.delay(step)
                now += step

    return process


def in_domains(dut, *names):
    """A component in a module that has these clock domains, and the domains."""
    m, domains = Module(), [ClockDomain(name) for name in names]
    m.domains += domains
    m.submodules.dut = dut
    return m, *domains


def put_all(side, payloads, domain, *, bubble, seed):
    """Testbench that puts all payloads, with pauses, at a clock."""
    dice = Random(f"put {seed}")

    async def testbench(ctx):
        for payload in payloads:
            while dice.random() < bubble:
                await ctx.tick(domain)
            ctx.set(side.payload, payload)
            ctx.set(side.valid, 1)
            ready = 0
            while not ready:
                _, _, ready = await ctx.tick(domain).sample(side.ready)
            ctx.set(side.valid, 0)

    return testbench


def get_all(side, taken, count, domain, *, stall, seed):
    """Testbench that takes so many payloads, with pauses, at a clock."""
    dice = Random(f"get {seed}")

    async def testbench(ctx):
        while len(taken) < count:
            ready = dice.random() >= stall
            ctx.set(side.ready, ready)
            _, _, valid, payload = await ctx.tick(domain).sample(side.valid, side.payload)
            if valid and ready:
                taken.append(payload)
        ctx.set(side.ready, 0)

    return testbench


def run_clocks(dut, clocks, *testbenches, background=(), until=0.02):
    """Run testbenches to their ends; `clocks` are processes that drive the clocks."""

    async def deadline(ctx):
        await ctx.delay(until)
        raise AssertionError(f"no end after {until} s")

    simulator = Simulator(dut)
    for clock in clocks:
        simulator.add_process(clock)
    for testbench in testbenches:
        simulator.add_testbench(testbench)
    for testbench in (*background, deadline):
        simulator.add_testbench(testbench, background=True)
    simulator.run()
