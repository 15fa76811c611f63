"""APB's transfers as AXI4's: one at a time, each once."""

from helpers.streams import consume, get, produce, put, run
from knotwork.gateware.buses.bridges import ApbToAxi4
from knotwork.system import BusParameters


async def transfer(ctx, apb, address, data=None, strobe=0xF):
    """Data, failure and cycles of a transfer of APB (IHI 0024, 3.1 and 3.3)."""
    ctx.set(apb.psel, 1)
    ctx.set(apb.paddr, address)
    ctx.set(apb.pwrite, data is not None)
    ctx.set(apb.pstrb, strobe if data is not None else 0)
    ctx.set(apb.pwdata, data or 0)
    await ctx.tick()
    ctx.set(apb.penable, 1)
    cycles, ready = 1, 0
    while not ready:
        *_, ready, value, failed = await ctx.tick().sample(apb.pready, apb.prdata, apb.pslverr)
        cycles += 1
    ctx.set(apb.psel, 0)
    ctx.set(apb.penable, 0)
    return value, failed, cycles


def test_transfers_are_made_once_and_answered():
    dut = ApbToAxi4(bus=BusParameters())
    aw, w, ar, outcomes = [], [], [], []

    async def requester(ctx):
        outcomes.append((await transfer(ctx, dut.apb, 0x107, 55, strobe=0x9))[1])
        outcomes.append((await transfer(ctx, dut.apb, 0x200))[:2])
        outcomes.append((await transfer(ctx, dut.apb, 0x204, 66))[1])
        outcomes.append((await transfer(ctx, dut.apb, 0x204))[:2])

    async def subordinate(ctx):
        await consume(dut.axi4.aw, aw, 1)(ctx)
        await consume(dut.axi4.w, w, 1)(ctx)
        await put(ctx, dut.axi4.b, {"id": 0, "response": 0})
        await consume(dut.axi4.ar, ar, 1)(ctx)
        await put(ctx, dut.axi4.r, {"id": 0, "data": 77, "response": 2, "last": 1})
        await consume(dut.axi4.w, w, 2)(ctx)
        await consume(dut.axi4.aw, aw, 2)(ctx)
        await put(ctx, dut.axi4.b, {"id": 0, "response": 3})
        await consume(dut.axi4.ar, ar, 2)(ctx)
        await put(ctx, dut.axi4.r, {"id": 0, "data": 78, "response": 0, "last": 1})

    run(dut, requester, subordinate)
    assert outcomes == [0, (77, 1), 1, (78, 0)]
    assert [(one.address, one.length, one.size) for one in aw] == [(0x104, 0, 2), (0x204, 0, 2)]
    assert [(one.data, one.strobe, one.last) for one in w] == [(55, 9, 1), (66, 15, 1)]
    assert [one.address for one in ar] == [0x200, 0x204]


def test_a_fast_subordinate_needs_no_more_than_its_own_cycle():
    dut, cycles = ApbToAxi4(bus=BusParameters()), []

    async def requester(ctx):
        for number in range(4):
            cycles.append((await transfer(ctx, dut.apb, 4 * number))[2])

    async def subordinate(ctx):
        while True:
            await get(ctx, dut.axi4.ar)
            await put(ctx, dut.axi4.r, {"id": 0, "data": 1, "response": 0, "last": 1})

    run(dut, requester, background=[subordinate, produce(dut.axi4.b, [])])
    assert cycles == [2, 2, 2, 2]
