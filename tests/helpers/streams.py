"""Streams in Amaranth's simulator: `put`, `get`, `get_maybe`, `expect`, and one runner.

A producer pauses and a consumer stalls at random; `watch` holds a stream to its rules.
"""

import gc
import warnings
from random import Random

from amaranth.hdl import ClockDomain, Module, UnusedElaboratable, Value
from amaranth.sim import Simulator

PERIOD = 1e-6


def assign(ctx, component, **values):
    """Set members of a component."""
    for name, value in values.items():
        ctx.set(getattr(component, name), value)


async def put(ctx, stream, payload):
    """Offer a payload until it is taken."""
    ctx.set(stream.p, payload)
    ctx.set(stream.valid, 1)
    ready = 0
    while not ready:  # `until` would warn where a run ends before it does
        _, _, ready = await ctx.tick().sample(stream.ready)
    ctx.set(stream.valid, 0)


async def get(ctx, stream):
    """Take the next payload."""
    ctx.set(stream.ready, 1)
    valid, payload = 0, None
    while not valid:
        _, _, valid, payload = await ctx.tick().sample(stream.valid, stream.p)
    ctx.set(stream.ready, 0)
    return payload


async def get_maybe(ctx, stream):
    """Take what there is in this clock, or None."""
    ctx.set(stream.ready, 1)
    _, _, valid, payload = await ctx.tick().sample(stream.valid, stream.p)
    ctx.set(stream.ready, 0)
    return payload if valid else None


async def expect(ctx, stream, payload):
    """Take the next payload, which must be this one."""
    assert await get(ctx, stream) == payload


def produce(stream, payloads, *, bubble=0.3, seed=1):
    """Testbench that puts all payloads, with random pauses before them."""
    dice = Random(f"producer {seed}")

    async def testbench(ctx):
        for payload in payloads:
            while dice.random() < bubble:
                await ctx.tick()
            await put(ctx, stream, payload)

    return testbench


def consume(stream, taken, count, *, stall=0.3, seed=1):
    """Testbench that adds `count` payloads to the list `taken`, refusing some cycles at random."""
    dice = Random(f"consumer {seed}")

    async def testbench(ctx):
        while len(taken) < count:
            if dice.random() < stall:
                await ctx.tick()
                continue
            payload = await get_maybe(ctx, stream)
            if payload is not None:
                taken.append(payload)

    return testbench


def watch(stream):
    """Testbench for the background: what is offered stays, unchanged, until it is taken."""
    bits = Value.cast(stream.p)

    async def testbench(ctx):
        held = None
        async for _, _, valid, ready, payload in ctx.tick().sample(
            stream.valid, stream.ready, bits
        ):
            if held is not None:
                assert valid, "valid must not fall before ready"
                assert payload == held, "the payload must not change before ready"
            held = payload if valid and not ready else None

    return testbench


def run(dut, *testbenches, background=(), clocks=20_000):
    """Run testbenches to their ends, `background` ones beside them, within a number of cycles."""

    async def deadline(ctx):
        await ctx.delay(clocks * PERIOD)
        raise AssertionError(f"no end after {clocks} clocks")

    simulator = Simulator(dut)
    simulator.add_clock(PERIOD, if_exists=True)
    for testbench in testbenches:
        simulator.add_testbench(testbench)
    for testbench in (*background, deadline):
        simulator.add_testbench(testbench, background=True)
    simulator.run()


def clocked(dut):
    """A component with a clock, also if it does not use it."""
    m = Module()
    m.domains.sync = ClockDomain()
    m.submodules.dut = dut
    return m


def passed(dut, sent, count=None, *, bubble=0.3, stall=0.3, seed=1, clocks=20_000):
    """Payloads that come by a component's stream `o` of those sent by `i`; as many if unnamed."""
    taken, count = [], len(sent) if count is None else count
    run(
        clocked(dut),
        produce(dut.i, sent, bubble=bubble, seed=seed),
        consume(dut.o, taken, count, stall=stall, seed=seed),
        background=[watch(dut.o)],
        clocks=clocks,
    )
    return taken


def refusal(kind, make):
    """Text of the error of this kind that `make` raises; its half-made component goes silently."""
    text = "it was not refused"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedElaboratable)
        try:
            make()
        except kind as error:
            text = str(error)
        gc.collect()
    return text
