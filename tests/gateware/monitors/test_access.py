"""Registers over AXI4-Lite: answers, and pauses on every channel."""

from random import Random

from amaranth.hdl import Module
from helpers.streams import consume, produce, run, watch
from knotwork.gateware.monitors.access import RegisterAccess
from knotwork.system.bus import BusParameters


def test_every_request_is_answered_once_in_order():
    dut, dice = RegisterAccess(bus=BusParameters(address_width=12, data_width=32)), Random(2)
    words = [dice.randrange(64) for _ in range(60)]
    writes = [(dice.randrange(64), dice.getrandbits(32), dice.choice([15, 15, 7])) for _ in words]
    reads, answers, written = [], [], []

    async def registers(ctx):
        async for _, _, writes, data, word in ctx.tick().sample(
            dut.writes, dut.data, dut.write_word
        ):
            if writes:
                written.append((word, data))

    m, bus = Module(), dut.bus
    m.submodules.dut = dut
    # Word n holds 5 n and may be read if n is odd, and be written if n is even.
    m.d.comb += [
        dut.value.eq(5 * dut.read_word),
        dut.readable.eq(dut.read_word[0]),
        dut.writable.eq(~dut.write_word[0]),
    ]
    run(
        m,
        produce(bus.ar, [{"address": 4 * n, "prot": 0} for n in words], seed=1),
        produce(bus.aw, [{"address": 4 * n, "prot": 0} for n, _, _ in writes], seed=2),
        produce(bus.w, [{"data": d, "strobe": s} for _, d, s in writes], seed=3),
        consume(bus.r, reads, len(words), seed=4),
        consume(bus.b, answers, len(writes), seed=5),
        background=[registers, watch(bus.r), watch(bus.b)],
    )
    assert [(one.data, one.response) for one in reads] == [
        (5 * n, 0) if n % 2 else (0, 2) for n in words
    ]
    good = [(n, d) for n, d, s in writes if n % 2 == 0 and s == 15]
    assert written == good
    assert [one.response for one in answers] == [
        0 if n % 2 == 0 and s == 15 else 2 for n, _, s in writes
    ]
