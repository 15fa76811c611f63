"""Component with all that the writer writes: a memory, registers, choices, a part within."""

from amaranth.hdl import Assert, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from knotwork.emit.modules import Shell

LAYOUT = data.StructLayout({"low": 3, "mark": 1})


class Inner(wiring.Component):
    """Sum, and the fields of what comes.

    Latency
    -------
    0 cycles.
    """

    def __init__(self):
        super().__init__({"i": In(LAYOUT), "sum": Out(4), "interface": Out(1), "code": Out(2)})

    def elaborate(self, platform):  # noqa: D102
        m = Module()
        m.d.comb += [self.sum.eq(self.i.low + 1), self.interface.eq(self.i.mark)]
        with m.Switch(self.i.low):  # of expressions alone there would be no module
            for value in range(4):
                with m.Case(value):
                    m.d.comb += self.code.eq(value ^ 1)
        return m


class Toy(wiring.Component):
    """Toy with a memory.

    Latency
    -------
    1 cycle from `i` to `o`.
    """

    def __init__(self):
        super().__init__({"i": In(LAYOUT), "go": In(1), "o": Out(4), "kind": Out(2)})

    def elaborate(self, platform):  # noqa: D102
        m = Module()
        m.submodules.inner = inner = Inner()
        m.submodules.words = words = Memory(shape=4, depth=4, init=[])
        into, out_of = words.write_port(), words.read_port(domain="comb")
        place = Signal(2, init=1)
        way = Signal(2)
        unread = Signal(8)
        m.d.comb += [
            inner.i.eq(self.i),
            into.addr.eq(place),
            into.data.eq(inner.sum),
            into.en.eq(self.go),
            out_of.addr.eq(place),
            self.o.eq(Mux(inner.interface, out_of.data ^ inner.code, (inner.sum - 3)[1:4])),
            unread.eq(place),
        ]
        m.d.comb += way.eq(place + self.go)
        with m.Switch(way):
            for value in range(4):
                with m.Case(value):
                    m.d.comb += self.kind.eq(value ^ 2)
        with m.If(self.go):
            m.d.sync += place.eq(place + 1)
        m.d.sync += Assert(place < 4, "toy: a place must be there")
        return m


def shell():
    """The toy with a plain signal per port."""
    toy = Toy()
    found = Shell(toy)
    found.input("i_flit", toy.i)
    found.input("go", toy.go)
    found.output("o", toy.o)
    found.output("kind", toy.kind)
    return found
