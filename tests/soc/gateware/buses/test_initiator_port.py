"""An initiator alone, and its parts: what it sends and when, and what it answers itself.

Over real networks, cocotbext-axi judges it in ``test_referee.py``.
"""

from itertools import pairwise
from random import Random

import pytest
from amaranth.lib import data
from helpers.buses import read, write
from helpers.streams import assign, get, passed, put, refusal, run, watch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from knotwork_soc import BusParameters
from knotwork_soc.gateware.buses.decoder import AddressDecoder, RegionOfNode
from knotwork_soc.gateware.buses.initiator_port import InitiatorPort
from knotwork_soc.gateware.buses.packets import request_layout, response_layout
from knotwork_soc.gateware.buses.transactions import Transactions

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


def gather(dut, flits):
    """Testbench that takes all that is sent."""

    async def network(ctx):
        ctx.set(dut.inject.ready, 1)
        async for _, _, valid, flit in ctx.tick().sample(dut.inject.valid, dut.inject.p):
            if valid:
                flits.append(flit)

    return network


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
        await ctx.tick().repeat(20)
        assert not flits
        await put(ctx, dut.axi.w, {"data": 3, "strobe": 15, "last": 1})
        await ctx.tick().repeat(10)
        assert len(flits) == 5

    run(dut, manager, background=[*background, gather(dut, flits)])
    head = request(flits[0])
    assert (head.write, head.address, head.length, head.size) == (1, 0x1004, 3, 2)
    assert [flit.data for flit in flits[1:]] == [15 << 32 | word for word in range(4)]
    assert [flit.last for flit in flits] == [0, 0, 0, 0, 1]
    assert {flit.destination for flit in flits} == {2}


def test_what_no_node_answers_is_answered_here():
    dut, background = port()
    flits = []

    async def testbench(ctx):
        for count in (1, 4, 16):
            assert await write(ctx, dut.axi, NOWHERE, [1] * count, name=3) == (DECERR, 3)
            assert await read(ctx, dut.axi, NOWHERE, count, name=2) == [(0, DECERR)] * count
        # Over the edge of a region, and longer than `burst`.
        assert await write(ctx, dut.axi, 0xFFC, [1] * 2) == (SLVERR, 0)
        assert await read(ctx, dut.axi, 0x1FFC, 2) == [(0, SLVERR)] * 2
        assert await write(ctx, dut.axi, 0, [1] * 16) == (SLVERR, 0)
        assert await read(ctx, dut.axi, 0, 16) == [(0, SLVERR)] * 16
        # A burst that wraps begins at a whole beat (A3.4.1).
        for address in (0x101, 0x102, 0x103):
            assert await write(ctx, dut.axi, address, [1] * 4, burst=WRAP) == (SLVERR, 0)
            assert await read(ctx, dut.axi, address, 4, burst=WRAP) == [(0, SLVERR)] * 4

    run(dut, testbench, background=[*background, gather(dut, flits)])
    assert flits == []


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
        await ctx.tick().repeat(10)
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
        await ctx.tick().repeat(100)
        # `outstanding` of each, and room for the reads' 16 beats.
        assert sorted(head.write for head in heads()) == [0] * 4 + [1] * 4
        for head in heads():
            await answer(ctx, head)
        await ctx.tick().repeat(50)
        assert len(heads()) == 8
        ctx.set(dut.axi.b.ready, 1)
        ctx.set(dut.axi.r.ready, 1)
        for number in range(8, 16):
            while len(heads()) <= number:
                await ctx.tick()
            await answer(ctx, heads()[number])

    run(dut, manager, reader, testbench, background=[*background, gather(dut, sent)])


NAMES = ("address", "length", "size", "burst")
FIXED, INCR, WRAP = 0, 1, 2
WIDE = BusParameters(address_width=16, data_width=64, burst=16)
MAPS = {
    "pages": [RegionOfNode(0x0000, 0x4000, 1), RegionOfNode(0x5000, 0x3000, 2)],
    "whole": [RegionOfNode(0, 0x10000, 5)],
    "small": [
        RegionOfNode(0x100, 0x40, 1),
        RegionOfNode(0x140, 0x30, 2),
        RegionOfNode(0x170, 1, 3),
    ],
    "high": [RegionOfNode(0xF000, 0x1000, 7), RegionOfNode(0x7FFF, 0x2001, 6)],
    "none": [],
}


def span(address, length, size, burst):
    """First and last byte of a burst (IHI 0022, A3.4.1)."""
    beat = 1 << size
    aligned = address // beat * beat
    if burst == FIXED:
        return address, aligned + beat - 1
    if burst == INCR:
        return address, aligned + beat * (length + 1) - 1
    whole = beat * (length + 1)
    return address // whole * whole, address // whole * whole + whole - 1


def expected(regions, bus, request):
    """Node and error; None where a burst crosses 4 KiB, and any error will do."""
    address, length, size, burst = request
    longest = 256 if burst == INCR else 16
    known = burst != 3 and (burst != WRAP or length + 1 in (2, 4, 8, 16))
    breaks = length + 1 > min(longest, bus.burst) or 1 << size > bus.data_bytes or not known
    breaks |= burst == WRAP and address % (1 << size) != 0
    first, last = span(address, length, size, burst)
    if first >> 12 != last >> 12:
        return None
    for base, end, node in ((one.base, one.base + one.size, one.node) for one in regions):
        if base <= first and last < end:
            return node, SLVERR if breaks else OKAY
    return None if not known else (None, DECERR)


def drawn(dice, regions):
    edges = [edge for one in regions for edge in (one.base, one.base + one.size)] or [0]
    near = dice.choice(edges) + dice.randint(-80, 80)
    address = dice.choice([near, near, dice.randrange(1 << 16)]) % (1 << 16)
    return (
        address,
        dice.choice([0, 1, 3, 7, 15, 16, 255, dice.randrange(256)]),
        dice.choice([0, 1, 2, 3, 3, 3, 4, 7]),
        dice.choice([FIXED, INCR, INCR, WRAP, 3]),
    )


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("stall", [0, 0.4])
def test_bursts_go_to_the_region_that_holds_all_their_bytes(name, stall):
    regions, dice = MAPS[name], Random(name)
    requests = [drawn(dice, regions) for _ in range(300)]
    dut = AddressDecoder(bus=WIDE, regions=regions, address_width=3)
    sent = [dict(zip(NAMES, one, strict=True)) | {"id": n % 16} for n, one in enumerate(requests)]
    taken = passed(dut, sent, bubble=0, stall=stall)
    answers = set()
    for number, (request, found) in enumerate(zip(requests, taken, strict=True)):
        assert (found.request.address, found.request.id) == (request[0], number % 16)
        want = expected(regions, WIDE, request)
        answers.add(found.response)
        if want is None:
            assert found.response in (SLVERR, DECERR), request
            continue
        node, response = want
        assert found.response == response, request
        assert node is None or found.node == node, request
    assert answers == (
        {DECERR}
        if name == "none"
        else {OKAY, SLVERR, DECERR} - ({DECERR} if name == "whole" else set())
    )


@settings(max_examples=6)
@given(base=st.integers(0, 0xFFF), size=st.integers(1, 0x1000))
@example(base=0, size=1)
@example(base=0xFFF, size=1)
def test_a_region_of_any_base_and_size(base, size):
    size = min(size, 0x1000 - base)
    regions = [RegionOfNode(base, size, 1)]
    bus = BusParameters(address_width=12, data_width=8, burst=256)
    dut = AddressDecoder(bus=bus, regions=regions, address_width=1)
    places = {0, base, max(base - 1, 0), base + size - 1, min(base + size, 0xFFF), 0xFFF}
    requests = [(place, length, 0, INCR) for place in sorted(places) for length in (0, 1, 255)]
    sent = [dict(zip(NAMES, one, strict=True)) for one in requests]
    taken = passed(dut, sent, bubble=0, stall=0)
    for request, found in zip(requests, taken, strict=True):
        want = expected(regions, bus, request)
        assert found.response in ((SLVERR, DECERR) if want is None else want[1:]), request


@pytest.mark.parametrize(
    ("region", "text"),
    [
        (RegionOfNode(0xF000, 0x1001, 0), "region must lie within 16 bits, not "),
        (RegionOfNode(0, 0, 0), "region must lie within 16 bits, not "),
        (RegionOfNode(0, 1, 8), "node of a region must have 3 bits, not 8"),
    ],
)
def test_regions_that_cannot_be_are_refused(region, text):
    def make():
        AddressDecoder(bus=WIDE, regions=[region], address_width=3)

    assert refusal(ValueError, make).startswith(text)


@pytest.mark.parametrize(("outstanding", "ids"), [(1, 1), (2, 2), (5, 2), (8, 3)])
def test_one_identifier_goes_one_way(outstanding, ids):
    bus = BusParameters(outstanding=outstanding, id_width=ids)
    dut, dice = Transactions(bus=bus, address_width=2), Random(outstanding)
    seen = set()

    async def testbench(ctx):
        under_way = {}
        for _ in range(600):
            name, node = dice.randrange(1 << ids), dice.randrange(4)
            local = dice.random() < 0.2
            assign(ctx, dut, id=name, node=node, is_local=local)
            same = [way for other, *way in under_way.values() if other == name]
            may = len(under_way) < outstanding and all(way == [node, local] for way in same)
            assert ctx.get(dut.free) == may
            seen.add((may, bool(same), len(under_way) == outstanding))
            begins = may and dice.random() < 0.7
            ends = bool(under_way) and dice.random() < 0.3
            tag = ctx.get(dut.tag)
            ended = dice.choice([*under_way]) if ends else 0
            assign(ctx, dut, begins=begins, ends=ends, ended=ended)
            if ends:
                assert ctx.get(dut.ended_id) == under_way[ended][0]
                del under_way[ended]
            if begins:
                assert tag not in under_way or tag == ended
                assert not (ends and tag == ended), "a number is free from the next cycle"
                under_way[tag] = (name, node, local)
            await ctx.tick()

    run(dut, testbench)
    assert len(seen) >= (2 if outstanding == 1 else 5)
