"""Beats made of flits are those that the packet's units say."""

import pytest
from helpers.streams import consume, produce, run, watch
from helpers.units import cases, clocked, node_beats, plane_beats
from hypothesis import given, settings
from knotwork.gateware.adapters import Ejection
from knotwork.system import Payload


def beats_of(case, header, sent, count):
    """Beats that come of flits."""
    dut = Ejection(width=case.width, payload=case.payload, header=header)
    taken = []
    run(
        clocked(dut),
        produce(dut.i, sent, bubble=case.bubble, seed=case.seed),
        consume(dut.o, taken, count, stall=case.stall, seed=case.seed),
        background=[watch(dut.o)],
    )
    return [{name: int(one[name]) for name in one.shape().members} for one in taken]


@given(cases())
@settings(max_examples=25, deadline=None)
def test_beats_hold_the_units_in_order(case):
    sent, expected = [], []
    for number, units in enumerate(case.packets):
        header = {"source": number % 16, "user": number % 8}
        sent += plane_beats(units, case.payload, **header)
        expected += node_beats(units, case.width, case.payload, **header)
    assert beats_of(case, {"source": 4}, sent, len(expected)) == expected


@pytest.mark.parametrize(("width", "flits"), [(8, 16), (32, 16), (128, 64)])
def test_neither_side_waits_where_it_need_not(width, flits):
    dut = Ejection(width=width, payload=Payload.of(32, [8, 32, 128]), header={"source": 4})
    cycles = []

    async def sender(ctx):
        ctx.set(dut.i.valid, 1)
        ctx.set(dut.o.ready, 1)
        taken = count = 0
        while taken < flits:
            _, _, ready = await ctx.tick().sample(dut.i.ready)
            taken, count = taken + ready, count + 1
        cycles.append(count)

    run(clocked(dut), sender)
    assert cycles == [max(flits, flits * 32 // width)]


def test_a_wide_beat_has_the_flags_of_its_flits():
    payload = Payload.of(8, [32])
    dut = Ejection(width=32, payload=payload, header={"source": 4, "flags": 2})
    flags = [1, 0, 2, 0, 0, 0, 0, 2, 0]
    sent = [
        {"data": 0, "last": int(place in (4, 8)), "source": 0, "flags": flag}
        for place, flag in enumerate(flags)
    ]
    taken = []
    run(
        clocked(dut),
        produce(dut.i, sent),
        consume(dut.o, taken, 3),
        background=[watch(dut.o)],
    )
    assert [int(one.flags) for one in taken] == [3, 0, 2]
