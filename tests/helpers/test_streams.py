"""The helpers in tests/streams.py catch what they are there to catch."""

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import Out
from helpers.streams import consume, expect, get_maybe, put, run, watch


class Source(wiring.Component):
    """Counter that breaks a rule of streams, or none."""

    def __init__(self, breach):
        self.breach = breach
        super().__init__({"o": Out(stream.Signature(8))})

    def elaborate(self, platform):
        m = Module()
        clock = Signal(8)
        m.d.sync += clock.eq(clock + 1)
        m.d.comb += [self.o.valid.eq(1), self.o.p.eq(7)]
        if self.breach == "valid":
            m.d.comb += self.o.valid.eq(clock[1])
        if self.breach == "payload":
            m.d.comb += self.o.p.eq(clock)
        return m


def test_watch_lets_a_lawful_stream_pass():
    dut, taken = Source(None), []
    run(dut, consume(dut.o, taken, 10), background=[watch(dut.o)])
    assert taken == [7] * 10


@pytest.mark.parametrize("breach", ["valid", "payload"])
def test_watch_catches_a_breach(breach):
    dut = Source(breach)
    with pytest.raises(AssertionError, match=f"{breach} must not"):
        run(dut, consume(dut.o, [], 10), background=[watch(dut.o)])


def test_run_has_a_deadline():
    dut = Source(None)

    async def waits_for_ever(ctx):
        while True:
            await ctx.tick()

    with pytest.raises(AssertionError, match="no end after 30 clocks"):
        run(dut, waits_for_ever, clocks=30)


def test_expect_and_get_maybe():
    dut, seen = Source("valid"), []

    async def testbench(ctx):
        seen.extend([await get_maybe(ctx, dut.o) for _ in range(4)])
        with pytest.raises(AssertionError):
            await expect(ctx, dut.o, 8)
        await expect(ctx, dut.o, 7)

    run(dut, testbench)
    assert seen == [None, None, 7, 7]


def test_put_holds_out_until_taken():
    sink = stream.Signature(8).create()
    clocks = []

    async def producer(ctx):
        await put(ctx, sink, 5)
        await put(ctx, sink, 6)

    async def consumer(ctx):
        for ready in (0, 0, 1, 0, 1):
            ctx.set(sink.ready, ready)
            _, _, valid, payload = await ctx.tick().sample(sink.valid, sink.p)
            clocks.append((valid, payload))

    m = Module()
    m.d.sync += Signal().eq(sink.valid)
    run(m, producer, consumer)
    assert clocks == [(1, 5), (1, 5), (1, 5), (1, 6), (1, 6)]
