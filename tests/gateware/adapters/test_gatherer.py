"""What joins narrow beats waits only for those that a wide one needs."""

from helpers.streams import get, put, run
from knotwork.gateware.adapters import Gatherer
from knotwork.system import Payload


def test_a_wide_beat_is_there_with_its_last_narrow_one():
    dut = Gatherer(narrow=8, wide=24, payload=Payload.of(24, [8]), header={})

    async def sender(ctx):
        ctx.set(dut.o.ready, 0)
        for number in (1, 2):  # taken although `o` takes nothing
            await put(ctx, dut.i, {"data": number, "last": 0})
            assert not ctx.get(dut.o.valid)
        ctx.set(dut.i.p, {"data": 3, "last": 0})
        ctx.set(dut.i.valid, 1)
        await ctx.delay(0)
        assert ctx.get(dut.o.valid)
        assert not ctx.get(dut.i.ready)
        assert (await get(ctx, dut.o)).data == 0x030201

    run(dut, sender)


def test_places_behind_the_end_are_zero_and_absent():
    dut = Gatherer(narrow=8, wide=24, payload=Payload.of(24, [8]), header={})

    async def sender(ctx):
        ctx.set(dut.o.ready, 1)
        await put(ctx, dut.i, {"data": 0xFF, "last": 0})
        await put(ctx, dut.i, {"data": 0xFF, "last": 0})
        await put(ctx, dut.i, {"data": 0xFF, "last": 0})
        await put(ctx, dut.i, {"data": 0xAA, "last": 0})
        ctx.set(dut.i.p, {"data": 0xBB, "last": 1})
        ctx.set(dut.i.valid, 1)
        _, _, valid, word = await ctx.tick().sample(dut.o.valid, dut.o.p)
        assert valid
        assert (word.data, word.absent, word.last) == (0xBBAA, 1, 1)

    run(dut, sender)
