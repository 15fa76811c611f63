"""Bursts against regions: what the gates say, and the bytes that the standard's formulas give."""

from random import Random

import pytest
from helpers.streams import consume, produce, refusal, run, watch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from knotwork.gateware.buses.ports.decoder import AddressDecoder, RegionOfNode
from knotwork.system import BusParameters

OKAY, SLVERR, DECERR = 0, 2, 3
FIXED, INCR, WRAP = 0, 1, 2
BUS = BusParameters(address_width=16, data_width=64, burst=16)
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
    asked = [drawn(dice, regions) for _ in range(300)]
    dut, taken = AddressDecoder(bus=BUS, regions=regions, address_width=3), []
    run(
        dut,
        produce(
            dut.i,
            [
                dict(zip(("address", "length", "size", "burst"), one, strict=True)) | {"id": n % 16}
                for n, one in enumerate(asked)
            ],
            bubble=0,
        ),
        consume(dut.o, taken, len(asked), stall=stall),
        background=[watch(dut.o)],
    )
    answers = set()
    for number, (request, found) in enumerate(zip(asked, taken, strict=True)):
        assert (found.request.address, found.request.id) == (request[0], number % 16)
        want = expected(regions, BUS, request)
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
    dut, taken = AddressDecoder(bus=bus, regions=regions, address_width=1), []
    places = {0, base, max(base - 1, 0), base + size - 1, min(base + size, 0xFFF), 0xFFF}
    asked = [(place, length, 0, INCR) for place in sorted(places) for length in (0, 1, 255)]
    names = ("address", "length", "size", "burst")
    run(
        dut,
        produce(dut.i, [dict(zip(names, one, strict=True)) for one in asked], bubble=0),
        consume(dut.o, taken, len(asked), stall=0),
    )
    for request, found in zip(asked, taken, strict=True):
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
        AddressDecoder(bus=BUS, regions=[region], address_width=3)

    assert refusal(ValueError, make).startswith(text)
