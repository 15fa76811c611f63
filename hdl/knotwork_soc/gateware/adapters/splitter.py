"""Narrow beats, several of each wide one."""

from amaranth.hdl import Assert, Const, Module, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ...payload import Payload
from .layouts import Header, units_layout


class Splitter(Component):
    """Sends each wide beat as narrow ones, the lowest first, without those that lack all units.

    Fields beside the data stand on every narrow beat.

    Latency
    -------
    0 cycles from a wide beat to its first narrow one; one narrow beat per cycle follows. The wide
    beat is taken with its last narrow one.

    Parameters
    ----------
    narrow, wide : int
        Bits of data of each beat; `wide` is a multiple of `narrow`.
    payload : Payload
        Units.
    header : mapping of str to shape
        Fields beside the data.

    Members
    -------
    i : In(stream of units_layout(wide))
        Wide beats.
    o : Out(stream of units_layout(narrow))
        Narrow beats.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, *, narrow: int, wide: int, payload: Payload, header: Header) -> None:
        self._narrow, self._pieces = narrow, wide // narrow
        self._units = narrow // payload.unit
        self._header = header
        super().__init__(
            {
                "i": In(stream.Signature(units_layout(wide, payload, header))),
                "o": Out(stream.Signature(units_layout(narrow, payload, header))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beat: View = self.i.p
        narrow: View = self.o.p
        place = Signal(range(self._pieces))
        ends, last = Signal(name="ends"), Signal(name="last")
        pieces = Signal(self._pieces * self._narrow, name="pieces")
        absent = beat.absent if "absent" in self.i.p.shape().members else Const(0)
        ends_here, lacks = self._ends(m, place, absent)
        m.d.comb += [
            ends.eq((place == self._pieces - 1) | (beat.last & ends_here)),
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready & ends),
            last.eq(beat.last & ends),
            narrow.last.eq(last),
            pieces.eq(beat.data),
            narrow.data.eq(pieces.word_select(place, self._narrow)),
        ]
        m.d.comb += [narrow[name].eq(beat[name]) for name in self._header]
        if "absent" in self.o.p.shape().members:
            with m.If(last):
                m.d.comb += narrow.absent.eq(lacks)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += place.eq(place + 1)
            with m.If(ends):
                m.d.sync += place.eq(0)
        m.d.sync += Assert(
            ~self.i.valid | beat.last | (absent == 0), "splitter: only a last beat lacks units"
        )
        return m

    def _ends(self, m: Module, place: Signal, absent: Value) -> tuple[Signal, Signal]:
        """Whether no unit is behind this piece of a last beat; if so, how many it lacks itself."""
        behind = Signal(range((self._pieces - 1) * self._units + 1))
        ends_here, lacks = Signal(name="ends_here"), Signal(len(absent), name="lacks")
        m.d.comb += [
            behind.eq((self._pieces - 1 - place) * self._units),
            ends_here.eq(absent >= behind),
            lacks.eq(absent - behind),
        ]
        return ends_here, lacks
