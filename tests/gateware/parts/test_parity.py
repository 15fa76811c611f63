import pytest
from amaranth.hdl import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from helpers.streams import assign, passed, run
from knotwork import Hypercube, Network
from knotwork.gateware.layouts import flit_layout
from knotwork.gateware.parts.parity import (
    Marker,
    is_data_broken,
    is_header_broken,
    seal,
    voted_last,
)

NETWORK = Network(Hypercube(n=3), data_width=8, parity="yes")
FLIT = flit_layout(NETWORK)
ADDRESS = 0b101
PLAIN = ("data", "last", "destination", "source")
HEADER = ("destination", "source", "header_parity")
DATA = ("data", "data_parity")


class Checks(wiring.Component):
    """Sealed flit, with the bits of `flips` turned, and what is read of it."""

    def __init__(self):
        ports = {name: In(FLIT[name].shape) for name in PLAIN}
        ports |= {"flips": In(FLIT.size), "flit": Out(FLIT)}
        super().__init__(ports | {name: Out(1) for name in ("header", "contents", "last_read")})

    def elaborate(self, platform):
        m = Module()
        sealed = FLIT(Value.cast(self.flit) ^ self.flips)
        m.d.comb += [self.flit[name].eq(getattr(self, name)) for name in PLAIN]
        m.d.comb += [
            *seal(self.flit),
            self.header.eq(is_header_broken(sealed)),
            self.contents.eq(is_data_broken(sealed)),
            self.last_read.eq(voted_last(sealed)),
        ]
        return m


def ones(number):
    return bin(number).count("1")


def sealed(data, last, destination, source):
    """Flit by the definition: an even number of ones with the parity bit."""
    return {
        "data": data,
        "last": last,
        "destination": destination,
        "source": source,
        "header_parity": (ones(destination) + ones(source)) % 2,
        "data_parity": ones(data) % 2,
        "last_copies": 3 * last,
        "wrong": 0,
    }


FLITS = [(0, 0, 0, 0), (0xFF, 1, 7, 7), (0x5B, 1, 5, 2), (0x80, 0, 1, 4)]


@pytest.mark.parametrize("fields", FLITS)
def test_every_bit_that_flips_is_seen_but_that_of_last_which_is_outvoted(fields):
    dut = Checks()

    async def testbench(ctx):
        for name, value in zip(PLAIN, fields, strict=True):
            ctx.set(getattr(dut, name), value)
        assert ctx.get(Value.cast(dut.flit)) == FLIT.const(sealed(*fields)).as_bits()
        for bit in (None, *range(FLIT.size)):
            ctx.set(dut.flips, 0 if bit is None else 1 << bit)
            hit = None
            if bit is not None:
                hit = next(n for n, f in FLIT if f.offset <= bit < f.offset + f.width)
            assert ctx.get(dut.header) == (hit in HEADER)
            assert ctx.get(dut.contents) == (hit in DATA)
            assert ctx.get(dut.last_read) == fields[1]

    run(dut, testbench)


def marked(flits):
    """(data, source, last, mark) of every beat by `Marker`."""
    taken = passed(Marker(NETWORK), flits)
    return [(beat.data, beat.source, beat.last, beat.flags) for beat in taken]


def test_what_is_whole_is_not_marked():
    flits = [sealed(n, n % 3 == 2, ADDRESS, n % 8) for n in range(30)]
    assert marked(flits) == [(n, n % 8, int(n % 3 == 2), 0) for n in range(30)]


@pytest.mark.parametrize("place", range(4))
def test_what_the_router_calls_wrong_marks_from_its_beat_to_its_packets_last(place):
    packet = [sealed(0x5B, n == 3, ADDRESS, 2) for n in range(4)]
    broken = [flit | {"wrong": int(n == place)} for n, flit in enumerate(packet)]
    marks = [mark for *_, mark in marked([*packet, *broken, *packet])]
    assert marks == [0] * (4 + place) + [1] * (4 - place) + [0] * 4


def test_what_waited_in_the_skid_buffer_is_looked_at_again():
    """They come broken, and not called so: as if they broke while they waited."""
    dut = Marker(NETWORK)
    whole = sealed(0x5B, 1, ADDRESS, 2)

    async def testbench(ctx):
        for fault, mark in (({}, 0), ({"data": 0x5A}, 1), ({"source": 3}, 1)):
            assign(ctx, dut.i, p=whole | fault, valid=1)
            assert ctx.get(dut.o.p.flags) == 0
            await ctx.tick()
            ctx.set(dut.i.valid, 0)
            assert (ctx.get(dut.o.valid), ctx.get(dut.o.p.flags)) == (1, mark)
            ctx.set(dut.o.ready, 1)
            await ctx.tick()
            ctx.set(dut.o.ready, 0)

    run(dut, testbench)
