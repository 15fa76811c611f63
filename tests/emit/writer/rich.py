"""Component with what gateware of the user's own may have and that of Knotwork has not."""

from amaranth.hdl import Array, Assert, Assume, Cat, Cover, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from knotwork.emit.modules import Shell


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

    def elaborate(self, platform):  # noqa: D102
        m = Module()
        self._memory(m)
        self._choices(m)
        self._values(m)
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
