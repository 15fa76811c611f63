"""Flits made of a node's beats are those that the packet's units say."""

import pytest
from helpers.streams import consume, produce, run, watch
from helpers.units import Case, cases, clocked, node_beats, plane_beats
from hypothesis import given, settings
from knotwork.gateware.adapters import Injection
from knotwork.system import Payload

HEADER = {"destination": 4, "broadcast": 1}


def fields(payload):
    """Fields of a beat as numbers."""
    return {name: int(payload[name]) for name in payload.shape().members}


def flits_of(case, sent, count):
    """Flits that come of beats."""
    dut = Injection(width=case.width, payload=case.payload, header=HEADER)
    taken = []
    run(
        clocked(dut),
        produce(dut.i, sent, bubble=case.bubble, seed=case.seed),
        consume(dut.o, taken, count, stall=case.stall, seed=case.seed),
        background=[watch(dut.o)],
    )
    return [fields(one) for one in taken]


@given(cases())
@settings(max_examples=25, deadline=None)
def test_flits_hold_the_units_in_order(case):
    sent, expected = [], []
    for number, units in enumerate(case.packets):
        header = {"destination": number % 16, "broadcast": number & 1, "user": number % 8}
        row = node_beats(units, case.width, case.payload, **header)
        for later in row[1:]:  # not read
            later["destination"] ^= 5
            if "user" in later:
                later["user"] ^= 7
        sent += row
        expected.append((header, plane_beats(units, case.payload, **header)))
    flits = flits_of(case, sent, sum(len(row) for _, row in expected))
    for header, row in expected:
        for place, flit in enumerate(row):
            found = flits.pop(0)
            assert found["last"] == flit["last"]
            assert found["data"] == flit["data"]
            if place == 0:
                assert found["destination"] == header["destination"]
                assert found["broadcast"] == header["broadcast"]
    assert not flits


@pytest.mark.parametrize(("width", "beats"), [(8, 64), (32, 16), (128, 8)])
def test_neither_side_waits_where_it_need_not(width, beats):
    payload = Payload.of(32, [8, 32, 128])
    dut = Injection(width=width, payload=payload, header=HEADER)
    cycles = []

    async def sender(ctx):
        ctx.set(dut.i.valid, 1)
        ctx.set(dut.o.ready, 1)
        taken = count = 0
        while taken < beats:
            _, _, ready = await ctx.tick().sample(dut.i.ready)
            taken, count = taken + ready, count + 1
        cycles.append(count)

    run(clocked(dut), sender)
    assert cycles == [max(beats, beats * width // 32)]


def keeps(words, width=32):
    """Data units and reports of packets given by the `keep` of each of their beats."""
    payload = Payload.of(32, [width], keep=True)
    dut = Injection(width=width, payload=payload, header=HEADER)
    sent = [
        {"data": 0x44332211, "keep": keep, "last": int(place == len(row) - 1)}
        for row in words
        for place, keep in enumerate(row)
    ]
    taken, reports = [], []

    async def count(ctx):
        async for _, _, sparse in ctx.tick().sample(dut.sparse):
            reports.append(sparse)

    async def settle(ctx):
        await ctx.tick().repeat(3 * len(sent) + 9)

    run(
        clocked(dut),
        produce(dut.i, sent, bubble=0.3),
        consume(dut.o, taken, len(sent), stall=0.3),
        settle,
        background=[count],
    )
    absent = [int(one.data) >> 32 for one in taken]
    return absent, sum(reports)


@pytest.mark.parametrize(
    ("packets", "absent", "reports"),
    [
        ([[15], [7], [3], [1], [0]], [0, 1, 2, 3, 4], 0),
        ([[15, 15, 0]], [0, 0, 4], 0),
        # Holes: the last beat goes up to its highest byte, others go whole; one report a packet.
        ([[5]], [1], 1),
        ([[8], [15]], [0, 0], 1),
        ([[7, 0, 15], [15]], [0, 0, 0, 0], 1),
        ([[7, 5], [10]], [0, 1, 0], 2),
    ],
)
def test_keep_is_counted_and_holes_are_reported(packets, absent, reports):
    assert keeps(packets) == (absent, reports)


def test_a_beat_without_bytes_ends_a_packet_of_a_narrow_node():
    payload = Payload.of(32, [16], keep=True)
    sent = node_beats([1, 2], 16, payload, destination=3, broadcast=0)
    sent[0]["last"] = 0
    sent.append({"data": 0, "keep": 0, "last": 1, "destination": 3, "broadcast": 0})
    (flit,) = flits_of(Case(16, payload, [], 0.3, 0.3, 1), sent, 1)
    assert flit["data"] == 0x0201 | 2 << 32
