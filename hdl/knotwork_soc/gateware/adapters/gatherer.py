"""Wide beats of several narrow ones each."""

from amaranth.hdl import Assert, Const, Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ...payload import Payload
from .layouts import Header, units_layout


class Gatherer(Component):
    """Joins narrow beats to wide ones, the first lowest; a packet's end also ends a wide beat.

    Places behind a packet's last narrow beat are 0, and told as absent. Fields beside the data are
    those of the narrow beat that ends the wide one, which must not change within a packet.

    Latency
    -------
    0 cycles from the narrow beat that ends a wide one. It takes one narrow beat per cycle, unless
    `o` refuses a wide one.

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
    i : In(stream of units_layout(narrow))
        Narrow beats.
    o : Out(stream of units_layout(wide))
        Wide beats.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, *, narrow: int, wide: int, payload: Payload, header: Header) -> None:
        self._narrow, self._pieces = narrow, wide // narrow
        self._units = narrow // payload.unit
        self._header = header
        super().__init__(
            {
                "i": In(stream.Signature(units_layout(narrow, payload, header))),
                "o": Out(stream.Signature(units_layout(wide, payload, header))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beat: View = self.i.p
        wide: View = self.o.p
        place = Signal(range(self._pieces))
        ends, moves = Signal(name="ends"), Signal(name="moves")
        m.d.comb += [
            ends.eq(beat.last | (place == self._pieces - 1)),
            self.o.valid.eq(self.i.valid & ends),
            self.i.ready.eq(self.o.ready | ~ends),
            moves.eq(self.i.valid & self.i.ready),
            wide.last.eq(beat.last),
        ]
        m.d.comb += [wide[name].eq(beat[name]) for name in self._header]
        with m.If(moves):
            m.d.sync += place.eq(place + 1)
            with m.If(ends):
                m.d.sync += place.eq(0)
        absent = beat.absent if "absent" in self.i.p.shape().members else Const(0)
        if "absent" in self.o.p.shape().members:
            behind = Signal(range((self._pieces - 1) * self._units + 1), name="behind")
            m.d.comb += [
                behind.eq((self._pieces - 1 - place) * self._units),
                wide.absent.eq(behind + absent),
            ]
        self._pieces_of(m, place, moves, ends)
        m.d.sync += Assert(
            ~self.i.valid | beat.last | (absent == 0), "gatherer: only a last beat lacks units"
        )
        return m

    def _pieces_of(self, m: Module, place: Signal, moves: Signal, ends: Signal) -> None:
        """The wide beat's data: pieces that are held, the one that comes, and zeros."""
        beat: View = self.i.p
        wide: View = self.o.p
        for number in range(self._pieces):
            here = wide.data.word_select(number, self._narrow)
            now = Signal(self._narrow, name=f"now_{number}")
            m.d.comb += here.eq(now)
            with m.If(place == number):
                m.d.comb += now.eq(beat.data)
            if number == self._pieces - 1:
                continue
            kept = Signal(self._narrow, name=f"kept_{number}", reset_less=True)
            with m.If(place > number):
                m.d.comb += now.eq(kept)
            with m.If(moves & ~ends & (place == number)):
                m.d.sync += kept.eq(beat.data)
