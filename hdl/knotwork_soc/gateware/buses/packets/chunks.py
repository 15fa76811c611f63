"""Elements cut into flits, and joined again."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component

from .layouts import element_layout, flits_of


class Cutter(Component):
    """Cuts elements into flits, lowest bits first; the last flit is filled up with zeros.

    Without gates where an element fits into a flit. No element is stored: it waits on `i` until
    its last flit is taken.

    Latency
    -------
    0 cycles for the first flit; one flit per cycle.

    Parameters
    ----------
    width, flit_width : int
        Bits of an element, and of a flit.

    Members
    -------
    i : In(stream of bits)
        Elements.
    o : Out(stream of element_layout)
        Flits; `last` marks the last of an element.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, *, width: int, flit_width: int) -> None:
        self._width, self._flit_width = width, flit_width
        super().__init__(
            {
                "i": In(stream.Signature(width)),
                "o": Out(stream.Signature(element_layout(flit_width))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = flits_of(self._width, self._flit_width)
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.p.last.eq(1),
            self.i.ready.eq(self.o.ready & self.o.p.last),
        ]
        if count == 1:
            m.d.comb += self.o.p.element.eq(self.i.p)
            return m
        place = Signal(range(count), name="place")
        m.d.comb += self.o.p.last.eq(place == count - 1)
        with m.Switch(place):
            for number in range(count):
                with m.Case(number) if number < count - 1 else m.Default():
                    low = number * self._flit_width
                    part = self.i.p[low : min(low + self._flit_width, self._width)]
                    m.d.comb += self.o.p.element.eq(part)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += place.eq(Mux(self.o.p.last, 0, place + 1))
        return m


class Joiner(Component):
    """Joins flits to elements, as `Cutter` cuts them.

    All flits of an element but the last are stored. Without gates where an element fits into a
    flit.

    Latency
    -------
    0 cycles from the last flit of an element.

    Parameters
    ----------
    width, flit_width : int
        Bits of an element, and of a flit.

    Members
    -------
    i : In(stream of element_layout)
        Flits; `last` is handed on.
    o : Out(stream of element_layout)
        Elements; `last` is that of the last flit.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, *, width: int, flit_width: int) -> None:
        self._width, self._flit_width = width, flit_width
        super().__init__(
            {
                "i": In(stream.Signature(element_layout(flit_width))),
                "o": Out(stream.Signature(element_layout(width))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = flits_of(self._width, self._flit_width)
        kept = [Signal(self._flit_width, name=f"flit_{number}") for number in range(count - 1)]
        ends = Signal(name="ends")
        m.d.comb += [
            self.o.valid.eq(self.i.valid & ends),
            self.o.p.last.eq(self.i.p.last),
            self.o.p.element.eq(Cat(*kept, self.i.p.element)),
            self.i.ready.eq(self.o.ready | ~ends),
        ]
        if count == 1:
            m.d.comb += ends.eq(Const(1))
            return m
        place = Signal(range(count), name="place")
        m.d.comb += ends.eq(place == count - 1)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += place.eq(Mux(ends, 0, place + 1))
            for number, flit in enumerate(kept):
                with m.If(place == number):
                    m.d.sync += flit.eq(self.i.p.element)
        return m
