"""From a node's stream to the beats of its plane."""

from amaranth.hdl import Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ...payload import Payload
from .layouts import Header, node_layout, plane_layout, units_layout
from .widths import resized, with_user


class Injection(Component):
    """Turns a node's beats into those of its plane: other width, `keep` as a count, `user`.

    The first beat of a packet gives its header and its `user`; later ones are not read. In `keep`,
    all bytes of a beat must be 1, but the highest of a last beat, which may be 0, also all of them.
    A packet that breaks this is reported by `sparse` and sent nevertheless: a beat that is not its
    last goes whole, and the last one up to its highest byte with 1.

    Latency
    -------
    0 cycles, of a narrow node from the beat that ends a flit. A node whose width is a ``k``-th of
    the plane's gives a flit every ``k`` cycles; one that is ``k`` times as wide gives a beat every
    ``k`` cycles. `sparse` comes in the cycle after the packet's last beat.

    Parameters
    ----------
    width : int
        Bits of a node's beat.
    payload : Payload
        What the plane's flits carry.
    header : mapping of str to shape
        Fields of the plane's beats beside data and `last`, as in `inject_layout`.

    Members
    -------
    i : In(stream of node_layout)
        Beats from the node.
    o : Out(stream of plane_layout)
        Beats to the plane.
    sparse : Out(1)
        High for one cycle for each packet with such a `keep`; only with `keep`.
    """

    i: stream.Interface
    o: stream.Interface
    sparse: Signal

    def __init__(self, *, width: int, payload: Payload, header: Header) -> None:
        self._width, self._payload = width, payload
        self._header: dict[str, ShapeLike] = dict(header)
        members = {
            "i": In(stream.Signature(node_layout(width, payload, header))),
            "o": Out(stream.Signature(plane_layout(payload, header))),
        }
        super().__init__(members | ({"sparse": Out(1)} if payload.keep else {}))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        flit_width = self._payload.data_width
        side = with_user(self._header, self._payload)
        beats = resized(m, self._units(m, side), (self._width, flit_width), self._payload, side)
        out: View = self.o.p
        packed: View = data.View(data.StructLayout(self._payload.fields), out.data)
        beat: View = beats.p
        m.d.comb += [
            self.o.valid.eq(beats.valid),
            beats.ready.eq(self.o.ready),
            out.last.eq(beat.last),
        ]
        m.d.comb += [packed[name].eq(beat[name]) for name in self._payload.fields]
        m.d.comb += [out[name].eq(beat[name]) for name in self._header]
        return m

    def _units(self, m: Module, side: dict[str, ShapeLike]) -> stream.Interface:
        """The node's beats as units, with the fields that the packet's first beat gave."""
        beat: View = self.i.p
        units = stream.Signature(units_layout(self._width, self._payload, side)).create(
            path=("units",)
        )
        moves, in_packet = Signal(name="moves"), Signal(name="in_packet")
        m.d.comb += [
            units.valid.eq(self.i.valid),
            self.i.ready.eq(units.ready),
            units.p.data.eq(beat.data),
            units.p.last.eq(beat.last),
            moves.eq(self.i.valid & self.i.ready),
        ]
        with m.If(moves):
            m.d.sync += in_packet.eq(~beat.last)
        for name in side:
            # The network reads a packet's header with its first flit: a wide beat always has it.
            if name in self._header and self._width >= self._payload.data_width:
                m.d.comb += units.p[name].eq(beat[name])
                continue
            kept = Signal.like(Value.cast(beat[name]), name=f"kept_{name}", reset_less=True)
            m.d.comb += units.p[name].eq(Mux(in_packet, kept, beat[name]))
            with m.If(moves & ~in_packet):
                m.d.sync += kept.eq(beat[name])
        if self._payload.keep:
            self._keep(m, units, moves)
        return units

    def _keep(self, m: Module, units: stream.Interface, moves: Signal) -> None:
        """Count what a last beat lacks, and report what is no such beat."""
        beat: View = self.i.p
        count = len(beat.keep)
        lacks = Signal.like(units.p.absent, name="lacks")
        broken, seen = Signal(name="broken"), Signal(name="seen")
        m.d.comb += lacks.eq(count)
        for number in range(count):
            with m.If(beat.keep[number]):
                m.d.comb += lacks.eq(count - 1 - number)
        holes = (beat.keep[1:] & ~beat.keep[:-1]).any()
        m.d.comb += broken.eq(Mux(beat.last, holes, ~beat.keep.all()))
        with m.If(beat.last):
            m.d.comb += units.p.absent.eq(lacks)
        m.d.sync += self.sparse.eq(moves & beat.last & (seen | broken))
        with m.If(moves):
            m.d.sync += seen.eq(~beat.last & (seen | broken))
