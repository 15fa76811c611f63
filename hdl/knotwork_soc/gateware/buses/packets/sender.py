"""Packets made of headers and beats."""

from amaranth.hdl import Assert, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component

from .chunks import Cutter
from .layouts import element_layout, head_layout, sent_layout


class PacketSender(Component):
    """Sends headers as packets of their own, and headers that beats follow, in turn.

    What it is offered it must be able to finish: the beats of a burst are ready before its head is
    offered, so that no packet holds a channel of the network while its sender waits.

    Latency
    -------
    0 cycles from a head to its first flit. Between two packets it idles for no cycle.

    Parameters
    ----------
    header_width, beat_width : int
        Bits of a header, and of a beat.
    flit_width, address_width : int
        Bits of a flit, and of a node's address.

    Members
    -------
    single : In(stream of header and destination)
        Packets of a header alone; taken with their last flit.
    burst : In(stream of header and destination)
        Packets of a header and beats; taken with their last flit.
    beats : In(stream of element_layout)
        Their beats; `last` marks the last of a packet.
    o : Out(stream of sent_layout)
        Flits to the network.
    """

    single: stream.Interface
    burst: stream.Interface
    beats: stream.Interface
    o: stream.Interface

    def __init__(
        self, *, header_width: int, beat_width: int, flit_width: int, address_width: int
    ) -> None:
        self._header_width, self._beat_width = header_width, beat_width
        self._flit_width = flit_width
        head = head_layout(header_width, address_width)
        super().__init__(
            {
                "single": In(stream.Signature(head)),
                "burst": In(stream.Signature(head)),
                "beats": In(stream.Signature(element_layout(beat_width))),
                "o": Out(stream.Signature(sent_layout(flit_width, address_width))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.headers = headers = Cutter(
            width=self._header_width, flit_width=self._flit_width
        )
        m.submodules.bodies = bodies = Cutter(width=self._beat_width, flit_width=self._flit_width)
        bursts = self._choice(m)
        in_beats, taken = Signal(name="in_beats"), Signal(name="taken")
        ends, ended = Signal(name="ends"), Signal(name="ended")
        m.d.comb += [
            headers.i.valid.eq(~in_beats & Mux(bursts, self.burst.valid, self.single.valid)),
            headers.i.p.eq(Mux(bursts, self.burst.p.header, self.single.p.header)),
            headers.o.ready.eq(self.o.ready),
            bodies.i.valid.eq(in_beats & self.beats.valid),
            bodies.i.p.eq(self.beats.p.element),
            bodies.o.ready.eq(self.o.ready),
            self.beats.ready.eq(in_beats & bodies.i.ready),
            self.o.valid.eq(Mux(in_beats, bodies.o.valid, headers.o.valid)),
            self.o.p.data.eq(Mux(in_beats, bodies.o.p.element, headers.o.p.element)),
            self.o.p.destination.eq(
                Mux(bursts, self.burst.p.destination, self.single.p.destination)
            ),
            ends.eq(Mux(in_beats, bodies.o.p.last & self.beats.p.last, headers.o.p.last & ~bursts)),
            self.o.p.last.eq(ends),
            taken.eq(self.o.valid & self.o.ready),
            ended.eq(taken & ends),
            self.single.ready.eq(ended & ~bursts),
            self.burst.ready.eq(ended & bursts),
        ]
        with m.If(ended):
            m.d.sync += in_beats.eq(0)
        with m.Elif(taken & headers.o.p.last & ~in_beats):
            m.d.sync += in_beats.eq(1)
        m.d.sync += Assert(~in_beats | bursts, "sender: only bursts must have beats")
        return m

    def _choice(self, m: Module) -> Value:
        """Whether the packet is a burst; chosen once for each, and in turn where both wait."""
        bursts, chosen, keeps = Signal(name="bursts"), Signal(name="chosen"), Signal(name="keeps")
        turn = Signal(name="burst_turn")
        m.d.comb += bursts.eq(Mux(keeps, chosen, self.burst.valid & (turn | ~self.single.valid)))
        ends = Signal(name="packet_ends")
        m.d.comb += ends.eq(Mux(bursts, self.burst.ready, self.single.ready))
        m.d.sync += [
            chosen.eq(bursts),
            keeps.eq((self.burst.valid | self.single.valid) & ~ends),
        ]
        with m.If(ends):
            m.d.sync += turn.eq(~bursts)
        return bursts
