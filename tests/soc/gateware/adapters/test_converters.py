"""Beats between a node and its plane: of any width, in order, and none where the units end."""

import pytest
from amaranth.hdl import Shape
from helpers.streams import assign, clocked, consume, get, passed, produce, put, run
from helpers.units import cases, node_beats, plane_beats
from hypothesis import given, settings
from knotwork import Network
from knotwork.gateware.layouts import eject_layout, inject_layout
from knotwork_soc import Payload
from knotwork_soc.gateware.adapters.converters import (
    Ejection,
    Gatherer,
    Injection,
    Splitter,
    header_of,
    node_layout,
    plane_layout,
)

HEADER = {"destination": 4, "broadcast": 1}
SOURCE = {"source": 4}


def fields(payloads):
    """Fields of beats as numbers."""
    return [{name: int(one[name]) for name in one.shape().members} for one in payloads]


def pauses(case):
    return {"bubble": case.bubble, "stall": case.stall, "seed": case.seed}


@given(cases())
@settings(max_examples=25, deadline=None)
def test_flits_hold_the_units_of_beats_in_order(case):
    sent, expected = [], []
    for number, units in enumerate(case.packets):
        header = {"destination": number % 16, "broadcast": number & 1, "user": number % 8}
        row = node_beats(units, case.width, case.payload, **header)
        for later in row[1:]:  # not read
            later["destination"] ^= 5
            if "user" in later:
                later["user"] ^= 7
        sent += row
        for place, flit in enumerate(plane_beats(units, case.payload, **header)):
            names = ("last", "data", *(("destination", "broadcast") if place == 0 else ()))
            expected.append({name: flit[name] for name in names})
    dut = Injection(width=case.width, payload=case.payload, header=HEADER)
    flits = fields(passed(dut, sent, len(expected), **pauses(case)))
    for flit, wanted in zip(flits, expected, strict=True):
        assert {name: flit[name] for name in wanted} == wanted


@given(cases())
@settings(max_examples=25, deadline=None)
def test_beats_hold_the_units_of_flits_in_order(case):
    sent, expected = [], []
    for number, units in enumerate(case.packets):
        header = {"source": number % 16, "user": number % 8}
        sent += plane_beats(units, case.payload, **header)
        expected += node_beats(units, case.width, case.payload, **header)
    dut = Ejection(width=case.width, payload=case.payload, header=SOURCE)
    assert fields(passed(dut, sent, len(expected), **pauses(case))) == expected


@pytest.mark.parametrize(
    ("component", "width", "count", "cycles"),
    [
        *((Injection, 8, 64, 64), (Injection, 32, 16, 16), (Injection, 128, 8, 32)),
        *((Ejection, 8, 16, 64), (Ejection, 32, 16, 16), (Ejection, 128, 64, 64)),
    ],
)
def test_neither_side_waits_where_it_need_not(component, width, count, cycles):
    """A beat or a flit of 32 bits per cycle, whichever there are more of."""
    header = HEADER if component is Injection else SOURCE
    dut, took = component(width=width, payload=Payload.of(32, [8, 32, 128]), header=header), []

    async def sender(ctx):
        ctx.set(dut.i.valid, 1)
        ctx.set(dut.o.ready, 1)
        taken = 0
        while taken < count:
            _, _, ready = await ctx.tick().sample(dut.i.ready)
            taken += ready
            took.append(ready)

    run(clocked(dut), sender)
    assert len(took) == cycles


def test_a_wide_beat_has_the_flags_of_its_flits():
    dut = Ejection(width=32, payload=Payload.of(8, [32]), header=SOURCE | {"flags": 2})
    sent = [
        {"data": 0, "last": int(place in (4, 8)), "source": 0, "flags": flag}
        for place, flag in enumerate([1, 0, 2, 0, 0, 0, 0, 2, 0])
    ]
    assert [int(one.flags) for one in passed(dut, sent, 3)] == [3, 0, 2]


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
    """Packets by the `keep` of each of their beats."""
    dut = Injection(width=32, payload=Payload.of(32, [32], keep=True), header=HEADER)
    sent = [
        {"data": 0x44332211, "keep": keep, "last": int(place == len(row) - 1)}
        for row in packets
        for place, keep in enumerate(row)
    ]
    taken, reported = [], []

    async def count(ctx):
        async for _, _, sparse in ctx.tick().sample(dut.sparse):
            reported.append(sparse)

    async def settle(ctx):
        await ctx.tick().repeat(3 * len(sent) + 9)

    sides = [produce(dut.i, sent), consume(dut.o, taken, len(sent)), settle]
    run(clocked(dut), *sides, background=[count])
    assert [int(one.data) >> 32 for one in taken] == absent
    assert sum(reported) == reports


def test_a_beat_without_bytes_ends_a_packet_of_a_narrow_node():
    payload = Payload.of(32, [16], keep=True)
    sent = node_beats([1, 2], 16, payload, destination=3, broadcast=0)
    sent[0]["last"] = 0
    sent.append({"data": 0, "keep": 0, "last": 1, "destination": 3, "broadcast": 0})
    (flit,) = passed(Injection(width=16, payload=payload, header=HEADER), sent, 1)
    assert flit.data == 0x0201 | 2 << 32


def test_a_wide_beat_is_there_with_its_last_narrow_one():
    dut = Gatherer(narrow=8, wide=24, payload=Payload.of(24, [8]), header={})

    async def sender(ctx):
        ctx.set(dut.o.ready, 0)
        for number in (1, 2):  # taken although `o` takes nothing
            await put(ctx, dut.i, {"data": number, "last": 0})
            assert not ctx.get(dut.o.valid)
        assign(ctx, dut.i, p={"data": 3, "last": 0}, valid=1)
        await ctx.delay(0)
        assert ctx.get(dut.o.valid)
        assert not ctx.get(dut.i.ready)
        assert (await get(ctx, dut.o)).data == 0x030201

    run(dut, sender)


def test_places_behind_the_end_are_zero_and_absent():
    dut = Gatherer(narrow=8, wide=24, payload=Payload.of(24, [8]), header={})
    sent = [{"data": 0xFF, "last": 0}] * 3 + [{"data": 0xAA, "last": 0}, {"data": 0xBB, "last": 1}]
    for stall in (0, 0.5):
        word = passed(dut, sent, 2, stall=stall)[1]
        assert (word.data, word.absent, word.last) == (0xBBAA, 1, 1)


def test_narrow_beats_end_where_the_units_do():
    """None has no units but a packet's only one."""
    dut = Splitter(narrow=16, wide=48, payload=Payload.of(48, [16], keep=True), header={})
    sent = [
        {"data": 0x060504030201, "absent": absent, "last": last}
        for absent, last in ((0, 0), (3, 1), (6, 1))
    ]
    found = [(one.data, one.absent, one.last) for one in passed(dut, sent, 6)]
    assert found[:3] == [(0x0201, 0, 0), (0x0403, 0, 0), (0x0605, 0, 0)]
    assert found[3:] == [(0x0201, 0, 0), (0x0403, 1, 1), (0x0201, 2, 1)]


def test_a_planes_beat_is_that_of_its_network():
    payload = Payload.of(32, [8, 32, 64], keep=True, user_width=5)
    network = Network.from_words(f"mesh x=2 y=2 data_width={payload.width}".split())
    for layout in (inject_layout(network), eject_layout(network)):
        assert plane_layout(payload, header_of(layout)) == layout


def test_a_nodes_beat_has_its_keys_fields():
    payload = Payload.of(32, [64], keep=True, user_width=5)
    beat = node_layout(64, payload, {"destination": 4})
    bits = {name: Shape.cast(shape).width for name, shape in beat.members.items()}
    assert bits == {"data": 64, "keep": 8, "last": 1, "user": 5, "destination": 4}
    plain = node_layout(64, Payload.of(32, [64]), {"source": 2})
    assert [*plain.members] == ["data", "last", "source"]
