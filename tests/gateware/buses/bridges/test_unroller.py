"""Beats of a burst have the addresses and bytes of IHI 0022, A3.4.1 and A3.4.3."""

import pytest
from helpers.streams import consume, produce, run, watch
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.gateware.buses.axi4 import Burst
from knotwork.gateware.buses.bridges.unroller import Unroller
from knotwork.system import BusParameters


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
    room = 4096 - (length + 1 << size) if kind == Burst.INCR else 4096 - (1 << size)
    offset = draw(st.integers(0, room))
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


def beats(bus, given_bursts, **pauses):
    dut, taken = Unroller(bus=bus), []
    count = sum(one["length"] + 1 for one in given_bursts)
    run(
        dut,
        produce(dut.i, given_bursts, bubble=pauses.get("bubble", 0.3)),
        consume(dut.o, taken, count, stall=pauses.get("stall", 0.3)),
        background=[watch(dut.o)],
        clocks=pauses.get("clocks", 20_000),
    )
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
    assert beats(bus, given_bursts) == wanted(bus, given_bursts)


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
    given_bursts = [
        {"id": 1, "address": start, "length": length, "size": size, "burst": kind, "prot": 0}
        | {"lock": 0, "cache": 0, "qos": 0}
    ]
    assert [one[2] for one in beats(bus, given_bursts)] == addresses
    assert [one[0] for one in expected(start, size, length, kind, 4)] == addresses


def test_the_longest_burst_and_a_beat_per_cycle_from_burst_to_burst():
    bus = BusParameters(data_width=8)
    plain = {"id": 2, "size": 0, "burst": Burst.INCR, "prot": 0, "lock": 0, "cache": 0, "qos": 0}
    given_bursts = [plain | {"address": 0x5F00, "length": 255}]
    given_bursts += [plain | {"address": at, "length": 0} for at in range(20)]
    found = beats(bus, given_bursts, bubble=0, stall=0, clocks=256 + 20 + 2)
    assert found == wanted(bus, given_bursts)


def test_bursts_of_one_beat_need_no_number():
    bus = BusParameters(burst=1)
    plain = {"id": 2, "size": 2, "burst": Burst.INCR, "prot": 0, "lock": 0, "cache": 0, "qos": 0}
    given_bursts = [plain | {"address": at, "length": 0} for at in range(9)]
    assert beats(bus, given_bursts) == wanted(bus, given_bursts)
