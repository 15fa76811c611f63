"""Packets that stay whole, whatever bit is wrong; and headers that a copy changes."""

from random import Random

import pytest
from amaranth.hdl import Module, Signal, Value
from helpers.streams import run
from knotwork import Network
from knotwork.gateware.layouts import flit_layout, label_width
from knotwork.gateware.packet.copies import relabelled
from knotwork.gateware.packet.guard import Guard
from knotwork.gateware.parts.parity import is_header_broken, seal

NETWORK = Network.from_word("wk:w=3,levels=2,parity=yes,pipeline=2,data_width=8")
FLIT = flit_layout(NETWORK)
EJECTS = 0b100


class Guarded:
    """Guard of a channel to which a flit comes with the ways that the gates found."""

    def __init__(self, ejects):
        self.m, self.flit, guard = Module(), Signal(FLIT), Guard({0: ejects})
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
    m, dice, bits = Module(), Random(2), label_width(NETWORK)
    plain, flips, label = Signal(FLIT), Signal(FLIT.size), Signal(bits)
    sealed = Signal(FLIT)
    names = ("data", "last", "destination", "source", "broadcast")
    m.d.comb += [sealed[name].eq(plain[name]) for name in names]
    m.d.comb += seal(sealed)
    came, left = FLIT(Value.cast(sealed) ^ flips), Signal(FLIT)
    turned = (Value.cast(came.destination)[:bits] ^ label).xor()
    m.d.comb += Value.cast(left).eq(relabelled(came, label, turned))
    broken = Signal()
    m.d.comb += broken.eq(is_header_broken(left))
    header = ("destination", "source", "broadcast", "header_parity")

    async def testbench(ctx):
        for _ in range(20):
            ctx.set(Value.cast(plain), dice.randrange(1 << FLIT.size))
            new = dice.randrange(1 << bits)
            ctx.set(label, new)
            for name, field in FLIT:
                for bit in range(field.offset, field.offset + field.width):
                    ctx.set(flips, 1 << bit)
                    assert ctx.get(broken) == (name in header)
            ctx.set(flips, 0)
            assert not ctx.get(broken)
            assert ctx.get(left.destination) & (1 << bits) - 1 == new

    run(m, testbench)
