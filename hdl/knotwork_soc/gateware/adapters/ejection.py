"""From the beats of a plane to a node's stream."""

from amaranth.hdl import Module, ShapeLike, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ...payload import Payload
from .layouts import Header, node_layout, plane_layout, units_layout
from .widths import resized, with_user


class Ejection(Component):
    """Turns a plane's beats into those of a node: other width, a count as `keep`, `user`.

    Without `keep`, the places of a last beat that its packet does not fill are 0. A node wider than
    the plane has a field `flags` set where one of the flits in its beat had it.

    Latency
    -------
    0 cycles, of a wide node from the flit that ends a beat. A node whose width is a ``k``-th of the
    plane's takes a flit every ``k`` cycles; one that is ``k`` times as wide gets a beat every ``k``
    cycles.

    Parameters
    ----------
    width : int
        Bits of a node's beat.
    payload : Payload
        What the plane's flits carry.
    header : mapping of str to shape
        Fields of the plane's beats beside data and `last`, as in `eject_layout`.

    Members
    -------
    i : In(stream of plane_layout)
        Beats from the plane.
    o : Out(stream of node_layout)
        Beats to the node.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, *, width: int, payload: Payload, header: Header) -> None:
        self._width, self._payload = width, payload
        self._header: dict[str, ShapeLike] = dict(header)
        super().__init__(
            {
                "i": In(stream.Signature(plane_layout(payload, header))),
                "o": Out(stream.Signature(node_layout(width, payload, header))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        flit_width = self._payload.data_width
        side = with_user(self._header, self._payload)
        beats = resized(m, self._units(m, side), (flit_width, self._width), self._payload, side)
        out: View = self.o.p
        beat: View = beats.p
        m.d.comb += [
            self.o.valid.eq(beats.valid),
            beats.ready.eq(self.o.ready),
            out.data.eq(beat.data),
            out.last.eq(beat.last),
        ]
        m.d.comb += [out[name].eq(beat[name]) for name in side]
        if self._payload.keep:
            count = len(out.keep)
            m.d.comb += [
                out.keep[number].eq(beat.absent < count - number) for number in range(count)
            ]
        return m

    def _units(self, m: Module, side: dict[str, ShapeLike]) -> stream.Interface:
        """The plane's beats as units."""
        beat: View = self.i.p
        packed: View = data.View(data.StructLayout(self._payload.fields), beat.data)
        units = stream.Signature(units_layout(self._payload.data_width, self._payload, side))
        flits = units.create(path=("units",))
        m.d.comb += [
            flits.valid.eq(self.i.valid),
            self.i.ready.eq(flits.ready),
            flits.p.last.eq(beat.last),
        ]
        m.d.comb += [flits.p[name].eq(packed[name]) for name in self._payload.fields]
        m.d.comb += [flits.p[name].eq(beat[name]) for name in self._header]
        if "flags" in side and self._width > self._payload.data_width:
            self._join_flags(m, flits)
        return flits

    def _join_flags(self, m: Module, flits: stream.Interface) -> None:
        """Show a wide beat's flags with those of the flits that it already holds."""
        pieces = self._width // self._payload.data_width
        place = Signal(range(pieces))
        seen = Signal.like(flits.p.flags, name="seen")
        m.d.comb += flits.p.flags.eq(self.i.p.flags | seen)
        with m.If(flits.valid & flits.ready):
            m.d.sync += [place.eq(place + 1), seen.eq(flits.p.flags)]
            with m.If(flits.p.last | (place == pieces - 1)):
                m.d.sync += [place.eq(0), seen.eq(0)]
