"""Bridges between AXI4 and the other buses: their transfers, their rate, their failures."""

from random import Random

import pytest
from amaranth.hdl import Fragment, Module, Signal
from amaranth.lib.wiring import In, Out
from helpers.buses import beats, burst
from helpers.streams import assign, consume, get, passed, produce, put, refusal, run, watch
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.errors import ConfigurationError
from knotwork_soc import BusParameters
from knotwork_soc.gateware.buses.bursts import BeatMerger, BurstStage, Unroller
from knotwork_soc.gateware.buses.bus_kinds import BUS_KINDS, Burst
from knotwork_soc.gateware.buses.initiator_bridges import (
    INITIATOR_BRIDGES,
    ApbToAxi4,
    AxiLiteToAxi4,
    word_address,
)
from knotwork_soc.gateware.buses.target_bridges import TARGET_BRIDGES, Axi4ToApb, Axi4ToAxiLite
from knotwork_soc.parameters import BUS_TITLES

BUS = BusParameters()


def test_all_kinds_but_axi4_itself_have_bridges():
    assert INITIATOR_BRIDGES.keys() == TARGET_BRIDGES.keys() == BUS_KINDS.keys() - {"axi4"}


@pytest.mark.parametrize("kind", TARGET_BRIDGES)
def test_members_are_the_kinds_buses(kind):
    for bridges, towards_user in ((INITIATOR_BRIDGES, In), (TARGET_BRIDGES, Out)):
        bridge = bridges[kind](bus=BUS)
        Fragment.get(bridge, None)
        members = bridge.signature.members
        assert members.keys() == {"axi4", kind}
        assert members[kind].flow == towards_user
        assert members["axi4"].flow == (Out if towards_user is In else In)


@pytest.mark.parametrize("kind", TARGET_BRIDGES)
def test_widths_that_a_kind_does_not_have_are_refused(kind):
    for bridge in (INITIATOR_BRIDGES[kind], TARGET_BRIDGES[kind]):
        message = refusal(ConfigurationError, lambda: bridge(bus=BusParameters(data_width=1024)))  # noqa: B023
        assert message.startswith("bus: data_width must be ")
        assert message.endswith(f" for {BUS_TITLES[kind]}, not 1024")


@pytest.mark.parametrize(("width", "expected"), [(8, 0xABF), (16, 0xABE), (64, 0xAB8)])
def test_addresses_of_words(width, expected):
    m, i, o = Module(), Signal(12), Signal(12)
    m.d.comb += o.eq(word_address(BusParameters(data_width=width, address_width=12), i))

    async def testbench(ctx):
        ctx.set(i, 0xABF)
        assert ctx.get(o) == expected

    run(m, testbench)


@pytest.mark.parametrize(("bubble", "stall"), [(0, 0), (0.3, 0), (0, 0.3), (0.3, 0.3)])
def test_bursts_stay_in_order(bubble, stall):
    bursts = [burst(4 * n, n % 16 + 1, id=n % 16, qos=n % 3) for n in range(40)]
    clocks = 42 if bubble == stall == 0 else 1000
    taken = passed(BurstStage(bus=BUS), bursts, bubble=bubble, stall=stall, clocks=clocks)
    found = [{name: getattr(one, name) for name in bursts[0]} for one in taken]
    assert found == bursts


def test_a_burst_is_taken_though_nobody_takes_it_on():
    dut = BurstStage(bus=BUS)

    async def look(ctx):
        assert not ctx.get(dut.o.valid)
        await ctx.tick()
        assert ctx.get(dut.o.valid)
        assert not ctx.get(dut.i.ready)

    run(dut, produce(dut.i, [burst(0)], bubble=0), look)


def test_fixed_fields():
    dut = AxiLiteToAxi4(bus=BusParameters(data_width=64, address_width=40))

    async def testbench(ctx):
        for lite, axi4 in ((dut.axi_lite.aw, dut.axi4.aw), (dut.axi_lite.ar, dut.axi4.ar)):
            assign(ctx, lite, p={"address": 0x12_3456_789F, "prot": 5}, valid=1)
            found = ctx.get(axi4.p)
            assert ctx.get(axi4.valid)
            # B1.1.1: one beat of the bus's width, not exclusive, not modifiable or bufferable.
            assert (found.length, found.size, found.burst) == (0, 3, 1)
            assert (found.lock, found.cache, found.qos, found.id) == (0, 0, 0, 0)
            assert (found.address, found.prot) == (0x12_3456_7898, 5)
            assert not ctx.get(lite.ready)
            ctx.set(axi4.ready, 1)
            assert ctx.get(lite.ready)
        ctx.set(dut.axi_lite.w.p, {"data": 0x1122334455667788, "strobe": 0x5A})
        beat = ctx.get(dut.axi4.w.p)
        assert (beat.data, beat.strobe, beat.last) == (0x1122334455667788, 0x5A, 1)
        for response in (0, 2, 3):
            ctx.set(dut.axi4.b.p.response, response)
            assert ctx.get(dut.axi_lite.b.p.response) == response
            ctx.set(dut.axi4.r.p, {"data": 77, "response": response, "last": 1, "id": 0})
            answer = ctx.get(dut.axi_lite.r.p)
            assert (answer.data, answer.response) == (77, response)

    run(dut, testbench)


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
    assign(ctx, apb, psel=0, penable=0)
    return value, failed, cycles


def test_transfers_are_made_once_and_answered():
    dut = ApbToAxi4(bus=BUS)
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
    dut, cycles = ApbToAxi4(bus=BUS), []

    async def requester(ctx):
        for number in range(4):
            cycles.append((await transfer(ctx, dut.apb, 4 * number))[2])

    async def subordinate(ctx):
        while True:
            await get(ctx, dut.axi4.ar)
            await put(ctx, dut.axi4.r, {"id": 0, "data": 1, "response": 0, "last": 1})

    run(dut, requester, background=[subordinate, produce(dut.axi4.b, [])])
    assert cycles == [2, 2, 2, 2]


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
            assign(ctx, apb, pready=1, prdata=address + 1, pslverr=address in fails)
            await ctx.tick()
            data = ctx.get(apb.pwdata) if write else None
            transfers.append((write, address, data))

    return testbench


def test_two_cycles_per_beat():
    dut, done, r, b = Axi4ToApb(bus=BUS), [], [], []
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
    dut, done, r, b = Axi4ToApb(bus=BUS), [], [], []
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


def test_the_worst_response_is_the_bursts():
    dut, b, addresses = Axi4ToAxiLite(bus=BUS), [], []
    responses = [[0, 0, 0], [2, 0, 0], [0, 3, 2], [0, 2, 0], [0, 0, 3], [0, 0, 0]]
    run(
        dut,
        produce(dut.axi4.aw, [burst(64 * n, 3, id=n) for n in range(6)]),
        produce(dut.axi4.w, [one for _ in range(6) for one in beats([1, 2, 3])]),
        consume(dut.axi_lite.aw, addresses, 18),
        consume(dut.axi_lite.w, [], 18),
        produce(dut.axi_lite.b, [{"response": one} for burst_ in responses for one in burst_]),
        consume(dut.axi4.b, b, 6),
    )
    assert [(one.id, one.response) for one in b] == [(n, max(responses[n])) for n in range(6)]
    assert [one.address for one in addresses] == [
        64 * n + 4 * k for n in range(6) for k in range(3)
    ]


def test_each_read_has_its_own_response():
    dut, r = Axi4ToAxiLite(bus=BUS), []
    run(
        dut,
        produce(dut.axi4.ar, [burst(0, 2, id=5), burst(8, 3, id=1, size=0)]),
        consume(dut.axi_lite.ar, [], 5),
        produce(dut.axi_lite.r, [{"data": n, "response": n % 4 * (n % 4 != 1)} for n in range(5)]),
        consume(dut.axi4.r, r, 5),
    )
    assert [(one.id, one.data, one.response, one.last) for one in r] == [
        (5, 0, 0, 0),
        (5, 1, 0, 1),
        (1, 2, 2, 0),
        (1, 3, 3, 0),
        (1, 4, 0, 1),
    ]


def test_a_beat_per_cycle_in_each_direction():
    dut, r, b = Axi4ToAxiLite(bus=BUS), [], []
    run(
        dut,
        produce(dut.axi4.aw, [burst(0, 16), burst(64, 16)], bubble=0),
        produce(dut.axi4.w, [*beats(range(16)), *beats(range(16))], bubble=0),
        produce(dut.axi4.ar, [burst(0, 32)], bubble=0),
        consume(dut.axi_lite.aw, [], 32, stall=0),
        consume(dut.axi_lite.w, [], 32, stall=0),
        consume(dut.axi_lite.ar, [], 32, stall=0),
        produce(dut.axi_lite.b, [{"response": 0}] * 32, bubble=0),
        produce(dut.axi_lite.r, [{"data": n, "response": 0} for n in range(32)], bubble=0),
        consume(dut.axi4.b, b, 2, stall=0),
        consume(dut.axi4.r, r, 32, stall=0),
        clocks=36,
    )
    assert len(b) == 2
    assert [one.data for one in r] == [*range(32)]


def test_no_more_beats_wait_than_allowed():
    dut, sent = Axi4ToAxiLite(bus=BUS, pending=4), []

    async def count(ctx):
        for _ in range(20):
            await ctx.tick()
        assert len(sent) == 4

    run(
        dut,
        count,
        background=[
            produce(dut.axi4.ar, [burst(0, 16)], bubble=0),
            consume(dut.axi_lite.ar, sent, 16, stall=0),
        ],
    )


def kinds(taken):
    return "".join("w" if one.write else "r" for one in taken)


def open_space(dut):
    async def testbench(ctx):
        assign(ctx, dut, may_read=1, may_write=1)

    return testbench


def test_reads_and_writes_take_turns():
    dut, taken = BeatMerger(bus=BUS), []
    run(
        dut,
        open_space(dut),
        produce(dut.aw, [burst(0, 8)], bubble=0),
        produce(dut.w, beats(range(8)), bubble=0),
        produce(dut.ar, [burst(64, 4), burst(128, 4)], bubble=0),
        consume(dut.o, taken, 16, stall=0),
        clocks=18,
    )
    assert kinds(taken) in ("wr" * 8, "rw" * 8)
    assert [one.word for one in taken if not one.write] == [*range(64, 80, 4), *range(128, 144, 4)]
    assert [one.data for one in taken if one.write] == [*range(8)]


def test_reads_go_on_while_a_writes_data_is_late():
    dut, taken = BeatMerger(bus=BUS), []

    async def late(ctx):
        ctx.set(dut.w.valid, 0)
        while len(taken) < 5:
            await ctx.tick()
        await produce(dut.w, beats([7, 8]), bubble=0)(ctx)

    run(
        dut,
        open_space(dut),
        produce(dut.aw, [burst(0, 2)], bubble=0),
        late,
        produce(dut.ar, [burst(64, 6)], bubble=0),
        consume(dut.o, taken, 8, stall=0),
        clocks=20,
    )
    assert kinds(taken[:5]) == "rrrrr"
    assert sorted(kinds(taken)) == list("rrrrrrww")


def test_what_is_offered_stays():
    dut, taken = BeatMerger(bus=BUS), []
    dice = Random(5)
    words = [dice.randrange(1 << 32) for _ in range(60)]
    reads, writes = [burst(4 * n, 3) for n in range(20)], [burst(4 * n, 3) for n in range(20)]

    async def space(ctx):
        # It goes only when a beat of its kind is taken.
        while True:
            *_, valid, ready, write = await ctx.tick().sample(
                dut.o.valid, dut.o.ready, dut.o.p.write
            )
            for kind, may in ((0, dut.may_read), (1, dut.may_write)):
                goes = valid and ready and write == kind
                if goes or not ctx.get(may):
                    ctx.set(may, dice.random() < 0.4)

    run(
        dut,
        produce(dut.aw, writes),
        produce(dut.w, [one for n in range(20) for one in beats(words[3 * n : 3 * n + 3], n % 16)]),
        produce(dut.ar, reads),
        consume(dut.o, taken, 120),
        background=[watch(dut.o), space],
    )
    written = [one for one in taken if one.write]
    assert [one.data for one in written] == words
    assert [one.lanes for one in written] == [n // 3 % 16 for n in range(60)]
    addresses = [4 * (n + k) for n in range(20) for k in range(3)]
    assert [one.word for one in written] == addresses
    assert [one.word for one in taken if not one.write] == addresses
    assert all(one.lanes == 0xF for one in taken if not one.write)
    assert [bool(one.last) for one in written] == [False, False, True] * 20


def expected(start, size, length, kind, bus_bytes):
    """Address and byte lanes of each beat: the standard's formulas, beat by beat."""
    number_bytes, burst_length = 1 << size, length + 1
    aligned = start // number_bytes * number_bytes
    total = number_bytes * burst_length
    lower_wrap = start // total * total
    found = []
    for number in range(burst_length):
        if kind == Burst.FIXED:
            address = start
        else:
            address = start if number == 0 else aligned + number * number_bytes
            if kind == Burst.WRAP and address >= lower_wrap + total:
                address -= total
        # A3.4.3: the first beat of an unaligned burst lacks the bytes before it.
        first = address % bus_bytes
        last = address // number_bytes * number_bytes + number_bytes - 1
        word = address // bus_bytes * bus_bytes
        lanes = sum(1 << lane for lane in range(first, last - word + 1))
        found.append((address, word, lanes, number == length))
    return found


@st.composite
def bursts(draw, bus):
    """Burst that the standard allows: within 4 KiB; wrapping ones aligned, of 2 to 16 beats."""
    kind = draw(st.sampled_from(Burst))
    size = draw(st.integers(0, (bus.data_bytes - 1).bit_length()))
    lengths = {
        Burst.FIXED: st.integers(0, min(15, bus.burst - 1)),
        Burst.WRAP: st.sampled_from([n - 1 for n in (2, 4, 8, 16) if n <= bus.burst]),
        Burst.INCR: st.integers(0, min(20, bus.burst - 1)),
    }
    length = draw(lengths[kind])
    page = draw(st.integers(0, (1 << bus.address_width) - 1)) >> 12 << 12
    space = 4096 - (length + 1 << size) if kind == Burst.INCR else 4096 - (1 << size)
    offset = draw(st.integers(0, space))
    if kind == Burst.WRAP:
        offset = offset >> size << size
    return {
        "id": draw(st.integers(0, (1 << bus.id_width) - 1)),
        "address": page + offset,
        "length": length,
        "size": size,
        "burst": kind,
        "prot": draw(st.integers(0, 7)),
        "lock": 0,
        "cache": 0,
        "qos": 0,
    }


def unrolled(bus, given_bursts, **pauses):
    count = sum(one["length"] + 1 for one in given_bursts)
    taken = passed(Unroller(bus=bus), given_bursts, count, **pauses)
    return [(one.id, one.prot, one.address, one.word, one.lanes, bool(one.last)) for one in taken]


def wanted(bus, given_bursts):
    return [
        (one["id"], one["prot"], *beat)
        for one in given_bursts
        for beat in expected(
            one["address"], one["size"], one["length"], one["burst"], bus.data_bytes
        )
    ]


@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_beats_are_the_standards(data):
    bus = BusParameters(
        address_width=data.draw(st.sampled_from([12, 13, 32, 64])),
        data_width=data.draw(st.sampled_from([8, 32, 64, 1024])),
        burst=data.draw(st.sampled_from([2, 16, 256])),
    )
    given_bursts = data.draw(st.lists(bursts(bus), min_size=1, max_size=8))
    assert unrolled(bus, given_bursts) == wanted(bus, given_bursts)


PLAIN = {"id": 1, "size": 0, "burst": Burst.INCR, "prot": 0, "lock": 0, "cache": 0, "qos": 0}
EXAMPLES = [
    # Start, size, length, kind, and the beats' addresses, worked out by hand.
    (0x07, 2, 3, Burst.INCR, [0x07, 0x08, 0x0C, 0x10]),
    (0x34, 2, 3, Burst.WRAP, [0x34, 0x38, 0x3C, 0x30]),
    # The sum carries beyond the burst.
    (0x7C, 2, 3, Burst.WRAP, [0x7C, 0x70, 0x74, 0x78]),
    (0xFFC, 2, 15, Burst.WRAP, [0xFFC, *range(0xFC0, 0xFFC, 4)]),
    (0x03, 0, 4, Burst.INCR, [0x03, 0x04, 0x05, 0x06, 0x07]),
    (0x12, 1, 2, Burst.FIXED, [0x12, 0x12, 0x12]),
]


@pytest.mark.parametrize(("start", "size", "length", "kind", "addresses"), EXAMPLES)
def test_examples(start, size, length, kind, addresses):
    bus = BusParameters()
    given_bursts = [PLAIN | {"address": start, "length": length, "size": size, "burst": kind}]
    assert [one[2] for one in unrolled(bus, given_bursts)] == addresses
    assert [one[0] for one in expected(start, size, length, kind, 4)] == addresses


def test_the_longest_burst_and_a_beat_per_cycle_from_burst_to_burst():
    bus = BusParameters(data_width=8)
    given_bursts = [PLAIN | {"address": 0x5F00, "length": 255}]
    given_bursts += [PLAIN | {"address": at, "length": 0} for at in range(20)]
    found = unrolled(bus, given_bursts, bubble=0, stall=0, clocks=256 + 20 + 2)
    assert found == wanted(bus, given_bursts)


def test_bursts_of_one_beat_need_no_number():
    bus = BusParameters(burst=1)
    given_bursts = [PLAIN | {"address": at, "length": 0, "size": 2} for at in range(9)]
    assert unrolled(bus, given_bursts) == wanted(bus, given_bursts)
