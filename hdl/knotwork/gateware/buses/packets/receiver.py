"""Headers and beats found in packets."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .chunks import Joiner
from .layouts import element_layout, received_layout


class PacketReceiver(wiring.Component):
    """Parts packets into headers and beats, as `PacketSender` made them.

    Latency
    -------
    0 cycles from the last flit of a header or a beat.

    Parameters
    ----------
    header_width, beat_width, flit_width, address_width : int
        As of `PacketSender`.

    Members
    -------
    i : In(stream of received_layout)
        Flits from the network.
    header : Out(stream of header and source)
        Each packet's header, before its beats.
    beats : Out(stream of element_layout)
        Beats of the packet whose header was taken last; `last` marks the last.
    """

    i: stream.Interface
    header: stream.Interface
    beats: stream.Interface

    def __init__(
        self, *, header_width: int, beat_width: int, flit_width: int, address_width: int
    ) -> None:
        self._header_width, self._beat_width = header_width, beat_width
        self._flit_width = flit_width
        head = data.StructLayout({"header": header_width, "source": address_width})
        super().__init__(
            {
                "i": In(stream.Signature(received_layout(flit_width, address_width))),
                "header": Out(stream.Signature(head)),
                "beats": Out(stream.Signature(element_layout(beat_width))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.headers = headers = Joiner(
            width=self._header_width, flit_width=self._flit_width
        )
        m.submodules.bodies = bodies = Joiner(width=self._beat_width, flit_width=self._flit_width)
        in_beats = Signal(name="in_beats")
        for joiner, here in ((headers, ~in_beats), (bodies, in_beats)):
            m.d.comb += [
                joiner.i.valid.eq(self.i.valid & here),
                joiner.i.p.element.eq(self.i.p.data),
                joiner.i.p.last.eq(self.i.p.last),
            ]
        m.d.comb += [
            self.header.valid.eq(headers.o.valid),
            self.header.p.header.eq(headers.o.p.element),
            self.header.p.source.eq(self.i.p.source),
            headers.o.ready.eq(self.header.ready),
            self.beats.valid.eq(bodies.o.valid),
            self.beats.p.eq(bodies.o.p),
            bodies.o.ready.eq(self.beats.ready),
            self.i.ready.eq(Mux(in_beats, bodies.i.ready, headers.i.ready)),
        ]
        with m.If(headers.o.valid & headers.o.ready):
            m.d.sync += in_beats.eq(~headers.o.p.last)
        with m.If(bodies.o.valid & bodies.o.ready):
            m.d.sync += in_beats.eq(~bodies.o.p.last)
        return m
