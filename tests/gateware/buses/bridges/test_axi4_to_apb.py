"""Bursts as APB's transfers, of two cycles each."""

from helpers.axi4_bursts import beats, burst
from helpers.streams import consume, produce, run
from knotwork.gateware.buses.bridges import Axi4ToApb
from knotwork.system import BusParameters


def peripheral(apb, transfers, fails=(), waits=()):
    """APB peripheral that notes transfers, and reads the address; waits by number."""

    async def testbench(ctx):
        while True:
            ctx.set(apb.pready, 0)
            *_, psel = await ctx.tick().sample(apb.psel)
            if not psel:
                continue
            for _ in range(waits[len(transfers)] if len(transfers) < len(waits) else 0):
                await ctx.tick()
            assert ctx.get(apb.penable)
            address, write = ctx.get(apb.paddr), ctx.get(apb.pwrite)
            ctx.set(apb.pready, 1)
            ctx.set(apb.prdata, address + 1)
            ctx.set(apb.pslverr, address in fails)
            await ctx.tick()
            data = ctx.get(apb.pwdata) if write else None
            transfers.append((write, address, data))

    return testbench


def test_two_cycles_per_beat():
    dut, done, r, b = Axi4ToApb(bus=BusParameters()), [], [], []
    run(
        dut,
        produce(dut.axi4.aw, [burst(0, 4, id=2)], bubble=0),
        produce(dut.axi4.w, beats([9, 8, 7, 6]), bubble=0),
        produce(dut.axi4.ar, [burst(256, 4, id=3)], bubble=0),
        consume(dut.axi4.r, r, 4, stall=0),
        consume(dut.axi4.b, b, 1, stall=0),
        background=[peripheral(dut.apb, done)],
        clocks=2 * 8 + 3,
    )
    assert [one[1] for one in done if one[0]] == [0, 4, 8, 12]
    assert [one.data for one in r] == [257, 261, 265, 269]
    assert [(one.id, one.last, one.response) for one in r] == [(3, n == 3, 0) for n in range(4)]
    assert [(one.id, one.response) for one in b] == [(2, 0)]
    # Reads and writes take turns.
    assert {tuple(one[0] for one in done[n : n + 2]) for n in range(0, 8, 2)} in (
        {(0, 1)},
        {(1, 0)},
    )


def test_a_failed_beat_fails_its_burst_and_no_other():
    dut, done, r, b = Axi4ToApb(bus=BusParameters()), [], [], []
    run(
        dut,
        produce(dut.axi4.aw, [burst(64 * n, 3, id=n) for n in range(4)]),
        produce(dut.axi4.w, [one for _ in range(4) for one in beats([1, 2, 3])]),
        produce(dut.axi4.ar, [burst(0, 4, id=3)]),
        consume(dut.axi4.r, r, 4),
        consume(dut.axi4.b, b, 4),
        background=[peripheral(dut.apb, done, fails=(4, 64, 136), waits=(0, 3, 1, 0, 2))],
    )
    assert [(one.id, one.response) for one in b] == [(0, 2), (1, 2), (2, 2), (3, 0)]
    assert [one.response for one in r] == [0, 2, 0, 0]
