"""An initiator alone: what it sends and when, and what it answers itself.

Over real networks, cocotbext-axi judges it in ``test_referee.py``.
"""

from itertools import pairwise

import pytest
from amaranth.lib import data
from helpers.bus_memory import read, write
from helpers.streams import get, put, run, watch
from knotwork.gateware.buses.packets.layouts import request_layout, response_layout
from knotwork.gateware.buses.ports.decoder import RegionOfNode
from knotwork.gateware.buses.ports.initiator_port import InitiatorPort
from knotwork.system import BusParameters

OKAY, SLVERR, DECERR = 0, 2, 3
BUS = BusParameters(burst=4, outstanding=4, id_width=2)
REGIONS = [RegionOfNode(0, 0x1000, 1), RegionOfNode(0x1000, 0x1000, 2)]
NOWHERE = 0x8000


def port():
    dut = InitiatorPort(bus=BUS, regions=REGIONS, flit_width=80, address_width=2)
    return dut, [watch(one) for one in (dut.axi.b, dut.axi.r, dut.inject)]


def request(flit):
    """Fields of a header, which fits into a flit here."""
    return data.Const(request_layout(BUS), flit.data & ((1 << request_layout(BUS).size) - 1))


def response(**fields):
    layout = response_layout(BUS)
    return {"data": sum(value << layout[name].offset for name, value in fields.items()), "last": 1}


async def idle(ctx, count):
    for _ in range(count):
        await ctx.tick()


async def ask(ctx, dut, address, *, name=0, length=0):
    fields = {"id": name, "address": address, "length": length, "size": 2, "burst": 1}
    await put(ctx, dut.axi.ar, fields)


def test_a_write_leaves_once_its_last_beat_is_there():
    dut, background = port()
    flits = []

    async def manager(ctx):
        # Data may come before their address (A3.3.1).
        for word in range(3):
            await put(ctx, dut.axi.w, {"data": word, "strobe": 15, "last": 0})
        await put(ctx, dut.axi.aw, {"address": 0x1004, "length": 3, "size": 2, "burst": 1})
        await idle(ctx, 20)
        assert not flits
        await put(ctx, dut.axi.w, {"data": 3, "strobe": 15, "last": 1})
        await idle(ctx, 10)
        assert len(flits) == 5

    async def network(ctx):
        ctx.set(dut.inject.ready, 1)
        async for _, _, valid, flit in ctx.tick().sample(dut.inject.valid, dut.inject.p):
            if valid:
                flits.append(flit)

    run(dut, manager, background=[*background, network])
    head = request(flits[0])
    assert (head.write, head.address, head.length, head.size) == (1, 0x1004, 3, 2)
    assert [flit.data for flit in flits[1:]] == [15 << 32 | word for word in range(4)]
    assert [flit.last for flit in flits] == [0, 0, 0, 0, 1]
    assert {flit.destination for flit in flits} == {2}


def test_what_no_node_answers_is_answered_here():
    dut, background = port()

    async def testbench(ctx):
        for count in (1, 4, 16):
            assert await write(ctx, dut.axi, NOWHERE, [1] * count, name=3) == (DECERR, 3)
            assert await read(ctx, dut.axi, NOWHERE, count, name=2) == [(0, DECERR)] * count
        # Over the edge of a region, and longer than `burst`.
        assert await write(ctx, dut.axi, 0xFFC, [1] * 2) == (SLVERR, 0)
        assert await read(ctx, dut.axi, 0x1FFC, 2) == [(0, SLVERR)] * 2
        assert await write(ctx, dut.axi, 0, [1] * 16) == (SLVERR, 0)
        assert await read(ctx, dut.axi, 0, 16) == [(0, SLVERR)] * 16

    async def network(ctx):
        ctx.set(dut.inject.ready, 1)
        async for _, _, valid in ctx.tick().sample(dut.inject.valid):
            assert not valid, "nothing of these must be sent"

    run(dut, testbench, background=[*background, network])


@pytest.mark.parametrize("length", [0, 3, 255])
def test_a_decode_error_comes_within_a_bound(length):
    """3 cycles from a read's address; 4 from a write's last beat."""
    dut, background = port()

    async def cycles_until(ctx, stream):
        for cycle in range(20):
            if ctx.get(stream.valid):
                return cycle
            await ctx.tick()
        return None

    async def testbench(ctx):
        await ask(ctx, dut, NOWHERE, length=length)
        assert await cycles_until(ctx, dut.axi.r) <= 3
        ctx.set(dut.axi.r.ready, 1)
        for beat in range(length + 1):
            assert (ctx.get(dut.axi.r.valid), ctx.get(dut.axi.r.p.last)) == (1, beat == length)
            await ctx.tick()
        await put(ctx, dut.axi.aw, {"address": NOWHERE, "length": length})
        for _ in range(length + 1):
            await put(ctx, dut.axi.w, {"data": 0})
        assert await cycles_until(ctx, dut.axi.b) <= 4

    run(dut, testbench, background=background)


def test_an_identifier_goes_to_one_node_at_a_time():
    dut, background = port()

    async def testbench(ctx):
        await ask(ctx, dut, 0x0000, name=1)
        first = await get(ctx, dut.inject)
        await ask(ctx, dut, 0x0004, name=1)  # the same node: it follows at once
        second = await get(ctx, dut.inject)
        await ask(ctx, dut, 0x1000, name=1)  # another: it waits for both
        ctx.set(dut.inject.ready, 1)
        for answered in (first, second):
            for _ in range(20):
                await ctx.tick()
                assert not ctx.get(dut.inject.valid)
            await put(ctx, dut.eject, response(tag=request(answered).tag) | {"last": 0})
            await put(ctx, dut.eject, {"data": 7, "last": 1})
            await get(ctx, dut.axi.r)
        third = await get(ctx, dut.inject)
        assert (first.destination, second.destination, third.destination) == (1, 1, 2)
        await ask(ctx, dut, NOWHERE, name=1)  # nor may an error overtake it
        await idle(ctx, 10)
        assert not ctx.get(dut.axi.r.valid)
        await put(ctx, dut.eject, response(tag=request(third).tag) | {"last": 0})
        await put(ctx, dut.eject, {"data": 8, "last": 1})
        assert (await get(ctx, dut.axi.r)).data == 8
        assert (await get(ctx, dut.axi.r)).response == DECERR

    run(dut, testbench, background=background)


def test_answers_always_find_room_though_the_manager_takes_none():
    """As many are asked for as may be; all answers come while the manager sleeps."""
    dut, background = port()
    sent = []

    async def manager(ctx):
        for number in range(8):
            await put(ctx, dut.axi.aw, {"id": 1, "address": 4 * number, "size": 2, "burst": 1})
            await put(ctx, dut.axi.w, {"data": number, "strobe": 15, "last": 1})

    async def reader(ctx):
        for number in range(8):
            await ask(ctx, dut, 0x100 * number, name=2, length=3)

    async def network(ctx):
        ctx.set(dut.inject.ready, 1)
        async for _, _, valid, flit in ctx.tick().sample(dut.inject.valid, dut.inject.p):
            if valid:
                sent.append(flit)

    def heads():
        starts = sent[:1] + [flit for before, flit in pairwise(sent) if before.last]
        return [request(flit) for flit in starts]

    async def answer(ctx, head):
        beats = [] if head.write else [{"data": n, "last": n == 3} for n in range(4)]
        own = response(write=head.write, tag=head.tag) | {"last": head.write}
        for flit in [own, *beats]:
            assert ctx.get(dut.eject.ready)
            await put(ctx, dut.eject, flit)

    async def testbench(ctx):
        await idle(ctx, 100)
        # `outstanding` of each, and room for the reads' 16 beats.
        assert sorted(head.write for head in heads()) == [0] * 4 + [1] * 4
        for head in heads():
            await answer(ctx, head)
        await idle(ctx, 50)
        assert len(heads()) == 8
        ctx.set(dut.axi.b.ready, 1)
        ctx.set(dut.axi.r.ready, 1)
        for number in range(8, 16):
            while len(heads()) <= number:
                await ctx.tick()
            await answer(ctx, heads()[number])

    run(dut, manager, reader, testbench, background=[*background, network])
