"""Headers and beats found in packets."""

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component

from .chunks import Joiner
from .layouts import element_layout, received_layout


class PacketReceiver(Component):
    """Parts packets into headers and beats, as `PacketSender` made them.

    With parity, a packet whose header is wrong is taken and dropped, and so is one that is
    unwanted.

    Latency
    -------
    0 cycles from the last flit of a header or a beat.

    Parameters
    ----------
    header_width, beat_width, flit_width, address_width : int
        As of `PacketSender`.
    has_parity : bool
        Whether flits tell that they are wrong.

    Members
    -------
    i : In(stream of received_layout)
        Flits from the network.
    header : Out(stream of header and source)
        Each packet's header, before its beats.
    beats : Out(stream of element_layout)
        Beats of the packet whose header was taken last; `last` marks the last.
    unwanted : In(1)
        Whether the packet of the header in `header.p` is; only with parity.
    """

    i: stream.Interface
    header: stream.Interface
    beats: stream.Interface
    unwanted: Signal

    def __init__(
        self,
        *,
        header_width: int,
        beat_width: int,
        flit_width: int,
        address_width: int,
        has_parity: bool = False,
    ) -> None:
        self._header_width, self._beat_width = header_width, beat_width
        self._flit_width, self._has_parity = flit_width, has_parity
        head = data.StructLayout({"header": header_width, "source": address_width})
        flit = received_layout(flit_width, address_width, has_parity=has_parity)
        beat = element_layout(beat_width, has_parity=has_parity)
        super().__init__(
            {
                "i": In(stream.Signature(flit)),
                "header": Out(stream.Signature(head)),
                "beats": Out(stream.Signature(beat)),
            }
            | ({"unwanted": In(1)} if has_parity else {})
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.headers = headers = Joiner(
            width=self._header_width, flit_width=self._flit_width
        )
        m.submodules.bodies = bodies = Joiner(width=self._beat_width, flit_width=self._flit_width)
        in_beats, dropped = Signal(name="in_beats"), self._dropped(m, headers.o)
        for joiner, here in ((headers, ~in_beats), (bodies, in_beats)):
            m.d.comb += [
                joiner.i.valid.eq(self.i.valid & here),
                joiner.i.p.element.eq(self.i.p.data),
                joiner.i.p.last.eq(self.i.p.last),
            ]
        m.d.comb += [
            self.header.valid.eq(headers.o.valid & ~dropped),
            self.header.p.header.eq(headers.o.p.element),
            self.header.p.source.eq(self.i.p.source),
            headers.o.ready.eq(self.header.ready | dropped),
            self.beats.valid.eq(bodies.o.valid & ~dropped),
            self.beats.p.element.eq(bodies.o.p.element),
            self.beats.p.last.eq(bodies.o.p.last),
            bodies.o.ready.eq(self.beats.ready | dropped),
            self.i.ready.eq(Mux(in_beats, bodies.i.ready, headers.i.ready)),
        ]
        if self._has_parity:
            m.d.comb += self.beats.p.wrong.eq(self.i.p.wrong)
        with m.If(headers.o.valid & headers.o.ready):
            m.d.sync += in_beats.eq(~headers.o.p.last)
        with m.If(bodies.o.valid & bodies.o.ready):
            m.d.sync += in_beats.eq(~bodies.o.p.last)
        return m

    def _dropped(self, m: Module, headers: stream.Interface) -> Value:
        """Whether what is shown is of a packet to drop.

        A mark stays until its packet's end, so the last flit of a header or a beat has that of all.
        """
        if not self._has_parity:
            return Const(0)
        drops, dropped = Signal(name="drops"), Signal(name="dropped")
        m.d.comb += dropped.eq(drops | (headers.valid & (self.i.p.wrong | self.unwanted)))
        with m.If(self.i.valid & self.i.ready & (headers.valid | drops)):
            m.d.sync += drops.eq(dropped & ~self.i.p.last)
        return dropped
