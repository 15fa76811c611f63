"""Gateware of the user's own: what is written is what Amaranth makes of it, the rest is refused."""

import re

import pytest
from amaranth.hdl import Assert as Holds
from amaranth.hdl import ClockDomain, Format, Instance, Module, Print, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from helpers.reference import prove_equal, reference
from knotwork.emit.modules import Shell, module_verilog
from knotwork.errors import ConfigurationError

from .rich import shell

TEXT = module_verilog(shell(), "gate")


def test_it_is_what_amaranth_makes_of_it():
    prove_equal(reference(shell()), TEXT)


def test_conditions_of_assertions_are_in_them():
    wires = dict(re.findall(r"wire (holds\w*|seen\w*) =\s([^;]*);", TEXT))
    assert wires == {
        "holds": "~(go & ((a == 4'b0001) | (a == 4'b0010))) | (b == 4'b0011)",
        "holds_2": "~go | (a != b)",
        "seen": "go & ~((a == 4'b0001) | (a == 4'b0010)) & (b == 4'b0100)",
    }
    assert re.findall(r"^    (\w+) \((\w+)\);", TEXT, re.MULTILINE) == [
        ("assume", "holds"),
        ("assert", "holds_2"),
        ("cover", "seen"),
    ]


def test_messages_are_quoted():
    assert r'$display("rich: \"a\" is 100%% not b");' in TEXT


def falling(m, one):
    m.domains.video = video = ClockDomain(local=True, clk_edge="neg")
    m.d.comb += video.clk.eq(one.i[0])
    m.d.video += one.o.eq(one.i)


def divides(m, one):
    m.d.comb += one.o.eq(one.i.as_signed() // Signal(signed(4)))


def prints(m, one):
    m.d.sync += Print(one.i)


def tells(m, one):
    m.d.sync += Holds(one.i == 0, Format("it is {}", one.i))


def places(m, one):
    m.submodules.foreign = Instance("foreign", i_i=one.i, o_o=one.o)


@pytest.mark.parametrize(
    ("build", "what"),
    [
        (falling, "a falling edge, of clock video"),
        (divides, "operator // of signed values"),
        (prints, "a Print"),
        (tells, "a message with values in it"),
        (places, "Instance foreign"),
    ],
)
def test_what_has_no_verilog_is_refused_in_a_line(build, what):
    class Inner(wiring.Component):
        i: In(4)
        o: Out(4)

        def elaborate(self, platform):
            m = Module()
            build(m, self)
            return m

    class Outer(wiring.Component):
        i: In(4)
        o: Out(4)

        def elaborate(self, platform):
            m = Module()
            m.submodules.inner = inner = Inner()
            m.d.comb += [inner.i.eq(self.i), self.o.eq(inner.o)]
            return m

    outer = Outer()
    found = Shell(outer)
    found.input("i", outer.i)
    found.output("o", outer.o)
    with pytest.raises(ConfigurationError) as caught:
        module_verilog(found, "outer")
    rule = "gateware must have only what can be written as Verilog"
    assert str(caught.value) == f"outer.inner: {rule}, not {what}"
