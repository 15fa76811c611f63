"""Gateware of the user's own: what is written is what Amaranth makes of it, the rest is refused."""

import re

import pytest
from amaranth.hdl import (
    Array,
    Assert,
    Assume,
    Cat,
    ClockDomain,
    Cover,
    Format,
    Instance,
    Module,
    Mux,
    Print,
    Signal,
    signed,
)
from amaranth.hdl import Assert as Holds
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from helpers.reference import prove_equal, reference
from knotwork.emit.modules import Shell, module_verilog
from knotwork.errors import ConfigurationError


class Rich(wiring.Component):
    """Arrays, signs, divisions, memories with clocks, choices within choices, assertions."""

    def __init__(self):
        super().__init__(
            {
                "a": In(4),
                "b": In(4),
                "s": In(signed(4)),
                "go": In(1),
                "now": Out(8),
                "later": Out(8),
                "words": Out(8),
                "chosen": Out(8),
                "moved": Out(signed(6)),
                "divided": Out(8),
                "part": Out(4),
                "mixed": Out(8),
            }
        )

    def elaborate(self, platform):
        m = Module()
        self._memory(m)
        self._choices(m)
        self._values(m)
        for bit in self.s:
            m.d.sync += Assert(bit == self.go, "rich: an s must be go, in all bits")
        with m.If(self.go):
            m.d.sync += Assert(self.a != self.b, 'rich: "a" is 100% not b')
            with m.Switch(self.a):
                with m.Case(1, 2):
                    m.d.comb += Assume(self.b == 3)
                with m.Default():
                    m.d.sync += Cover(self.b == 4)
        return m

    def _memory(self, m):
        m.submodules.store = store = Memory(shape=8, depth=16, init=[3, 5, 7])
        into = store.write_port(granularity=4)
        through = store.read_port(transparent_for=[into])
        kept = store.read_port()
        m.d.comb += [
            into.addr.eq(self.a),
            into.data.eq(Cat(self.b, self.a)),
            into.en.eq(self.s[:2]),
            through.addr.eq(self.b),
            kept.addr.eq(self.b),
            kept.en.eq(self.go),
            self.now.eq(through.data),
            self.later.eq(kept.data),
        ]

    def _choices(self, m):
        first, second = Signal(4), Signal(4)
        fields = Signal(8)
        m.d.comb += Array([first, second])[self.go].eq(self.a)
        m.d.sync += fields.word_select(self.b[:2], 3).eq(self.a)
        m.d.sync += self.words[2:6].bit_select(self.b, 2).eq(self.s[:2])
        self._mixed(m)
        with m.Switch(self.a):
            for value in range(5):
                with m.Case(value), m.Switch(self.b):
                    with m.Case(1):
                        m.d.comb += self.chosen.eq(first + value)
                    with m.Case("1--0"):
                        m.d.comb += self.chosen.eq(second ^ fields)
            with m.Default():
                m.d.comb += self.chosen.eq(fields)

    def _mixed(self, m):
        """Bits that are a register beside bits that a state decides."""
        m.d.sync += self.mixed[:3].eq(self.b)
        with m.FSM():
            for state, after in (("FIRST", "SECOND"), ("SECOND", "THIRD"), ("THIRD", "FIRST")):
                with m.State(state):
                    m.d.comb += self.mixed[3:6].eq(self.a + len(after))
                    with m.If(self.go):
                        m.d.comb += self.mixed[6].eq(self.b[0])
                        m.next = after

    def _values(self, m):
        table = Signal(16, init=0xA53C)
        m.d.comb += [
            self.moved.eq((self.s >> self.b[:2]) + Mux(self.go, self.s, -1)),
            self.divided.eq(Cat(self.a // self.b, self.a % self.b)),
            self.part.eq(table.word_select(self.b[:2], 4) ^ Array([1, 9, 4])[self.a[:2]]),
        ]


def shell():
    """The component with a plain signal per port."""
    rich = Rich()
    found = Shell(rich)
    for name in ("a", "b", "s", "go"):
        found.input(name, getattr(rich, name))
    for name in ("now", "later", "words", "chosen", "moved", "divided", "part", "mixed"):
        found.output(name, getattr(rich, name))
    return found


TEXT = module_verilog(shell(), "gate")


def test_it_is_what_amaranth_makes_of_it():
    prove_equal(reference(shell()), TEXT)


def test_conditions_of_assertions_are_in_them():
    wires = dict(re.findall(r"wire (holds|is_100_not_b|seen) =\s([^;]*);", TEXT))
    assert wires == {
        "holds": "~(go & ((a == 4'b0001) | (a == 4'b0010))) | (b == 4'b0011)",
        "is_100_not_b": "~go | (a != b)",
        "seen": "go & ~((a == 4'b0001) | (a == 4'b0010)) & (b == 4'b0100)",
    }
    assert re.findall(r"^    (\w+) \((\w+)\);", TEXT, re.MULTILINE) == [
        ("assume", "holds"),
        ("assert", "s_must_be_go"),
        ("assert", "is_100_not_b"),
        ("cover", "seen"),
    ]


def test_assertions_of_one_rule_are_one_which_it_names():
    (term,) = re.findall(r"wire s_must_be_go =\s([^;]*);", TEXT)
    assert term.split(" & ") == [f"(s[{bit}] == go)" for bit in range(4)]
    assert TEXT.count("an s must be go, in all bits") == 1


def test_ports_of_a_memory_are_named_for_it():
    for name in ("write_data", "read0_data", "read0_data_now", "read1_data_now"):
        assert re.search(rf"(wire|reg) \[7:0\] store_{name}\b", TEXT), name
    assert not re.search(r"\b(signature|into|through|kept)_", TEXT)


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
