"""Packets that stay whole, whatever bit is wrong; and headers that a copy changes."""

from random import Random

import pytest
from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from helpers.streams import assign, passed, run
from knotwork import Hypercube, Network
from knotwork.gateware.layouts import flit_layout, label_width
from knotwork.gateware.packet.copies import relabelled
from knotwork.gateware.parts.parity import (
    Guard,
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


GUARDED = Network.from_word("wk:w=3,levels=2,parity=yes,pipeline=2,data_width=8")
GUARDED_FLIT = flit_layout(GUARDED)
EJECTS = 0b100


class Guarded:
    """Guard of a channel to which a flit comes with the ways that the gates found."""

    def __init__(self, ejects):
        self.m, self.flit, guard = Module(), Signal(GUARDED_FLIT), Guard({0: ejects})
        self.found = Signal(3)
        self.arrives, self.last, self.cancels = (Signal(name=n) for n in ("comes", "last", "drop"))
        guard.watch(self.m, self.flit)
        found, last = self.found, self.last
        self.ways = guard.taken(self.m, 0, found, arrives=self.arrives, last=last)
        guard.drop(self.m, 0, self.cancels)

    def taken(self, ctx, found, *, broken):
        """Ways of a flit that comes."""
        ctx.set(self.found, found)
        ctx.set(self.flit.header_parity, broken)
        return ctx.get(self.ways)


@pytest.mark.parametrize("ejects", [EJECTS, 0])
def test_all_flits_take_the_ways_of_the_first_which_is_ejected_if_it_is_broken(ejects):
    dut, dice = Guarded(ejects), Random(1)

    async def testbench(ctx):
        inside, first = False, 0
        for _ in range(300):
            found, broken, last = dice.randrange(1, 8), dice.random() < 0.3, dice.random() < 0.4
            wanted = first if inside else ejects if broken and ejects else found
            assert dut.taken(ctx, found, broken=broken) == wanted
            arrives = dice.random() < 0.7
            cancels = not arrives and dice.random() < 0.2
            ctx.set(dut.arrives, arrives)
            ctx.set(dut.last, last)
            ctx.set(dut.cancels, cancels)
            await ctx.tick()
            if arrives:
                inside, first = not last, wanted
            if cancels:
                inside = False

    run(dut.m, testbench)


def test_a_label_that_changes_leaves_a_header_as_right_or_wrong_as_it_was():
    m, dice, bits = Module(), Random(2), label_width(GUARDED)
    plain, flips, label = Signal(GUARDED_FLIT), Signal(GUARDED_FLIT.size), Signal(bits)
    sealed = Signal(GUARDED_FLIT)
    names = ("data", "last", "destination", "source", "broadcast")
    m.d.comb += [sealed[name].eq(plain[name]) for name in names]
    m.d.comb += seal(sealed)
    came, left = GUARDED_FLIT(Value.cast(sealed) ^ flips), Signal(GUARDED_FLIT)
    turned = (Value.cast(came.destination)[:bits] ^ label).xor()
    m.d.comb += Value.cast(left).eq(relabelled(came, label, turned))
    broken = Signal()
    m.d.comb += broken.eq(is_header_broken(left))
    header = ("destination", "source", "broadcast", "header_parity")

    async def testbench(ctx):
        for _ in range(20):
            ctx.set(Value.cast(plain), dice.randrange(1 << GUARDED_FLIT.size))
            new = dice.randrange(1 << bits)
            ctx.set(label, new)
            for name, field in GUARDED_FLIT:
                for bit in range(field.offset, field.offset + field.width):
                    ctx.set(flips, 1 << bit)
                    assert ctx.get(broken) == (name in header)
            ctx.set(flips, 0)
            assert not ctx.get(broken)
            assert ctx.get(left.destination) & (1 << bits) - 1 == new

    run(m, testbench)
