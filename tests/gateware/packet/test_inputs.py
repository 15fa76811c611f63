from random import Random

import pytest
from amaranth.hdl import Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from helpers.streams import assign, run
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork.gateware.packet.inputs import carried, completed, known_port_bits
from knotwork.router_kind import by_class
from knotwork.routing.walks.headers import HeaderBits, KnownBits

LAYOUT = data.StructLayout({"data": 3, "destination": 5, "source": 5, "last": 1})
KNOWN = HeaderBits(KnownBits(0b00110, 0b10000), KnownBits(0b00001, 0b00010))


class Through(wiring.Component):
    """A flit, what is carried of it, and what is made of that."""

    def __init__(self):
        members = {"middle": Out(9), "o": Out(LAYOUT), "rest": Out(8), "again": Out(LAYOUT)}
        super().__init__({"address": In(5), "i": In(LAYOUT), "last": In(1), **members})

    def elaborate(self, platform):
        m = Module()
        apart = {"last": self.last}
        again = completed(self.i, KNOWN, self.address, self.rest, separate=apart)
        m.d.comb += [
            self.middle.eq(carried(self.i, KNOWN)),
            Value.cast(self.o).eq(completed(self.i, KNOWN, self.address, self.middle)),
            self.rest.eq(carried(self.i, KNOWN, separate=apart)),
            Value.cast(self.again).eq(again),
        ]
        return m


def test_a_flit_is_whole_again_when_its_known_bits_are_as_told():
    dut, dice = Through(), Random(1)
    assert len(carried(Signal(LAYOUT), KNOWN)) == 3 + 2 + 3 + 1
    assert len(carried(Signal(LAYOUT), KNOWN, separate=["last"])) == 3 + 2 + 3

    async def testbench(ctx):
        for _ in range(100):
            address, free = dice.getrandbits(5), dice.getrandbits(10)
            inverse = ~address & 0b11111
            flit = {
                "data": dice.getrandbits(3),
                "destination": (address & 0b00110) | (inverse & 0b10000) | (free & 0b01001),
                "source": (address & 0b00001) | (inverse & 0b00010) | (free >> 5 & 0b11100),
                "last": dice.getrandbits(1),
            }
            assign(ctx, dut, address=address, i=flit)
            assert ctx.get(dut.o) == LAYOUT.const(flit)
            told = dice.getrandbits(1)
            ctx.set(dut.last, told)
            assert ctx.get(dut.again) == LAYOUT.const({**flit, "last": told})
            await ctx.delay(1e-6)

    run(dut, testbench)


def test_without_the_carried_bits_only_known_ones_are_replaced():
    flit, address = Signal(LAYOUT), Signal(5)
    assert len(completed(flit, KNOWN, address)) == LAYOUT.size
    assert len(completed(flit, HeaderBits(), address)) == LAYOUT.size


@pytest.mark.parametrize(
    "word",
    [
        "mesh:x=2,y=2,classes=2,parity=yes",
        "wk:w=3,levels=2,classes=2,parity=yes,broadcast=label",
        "mesh:x=2,y=2,classes=2,parity=yes,routing=adaptive",
    ],
)
def test_with_parity_an_input_stores_every_bit_that_is_guarded(word):
    """Else the parity of a class's header would be that of other bits than are there."""
    network = Network.from_word(word)
    for kind in network.router_kinds:
        for part in by_class(network.routing, kind):
            for port in part.ports:
                if part.input_vcs(port):
                    assert known_port_bits(network, part, port) == HeaderBits()
    assert network_verilog(network)
