"""Source of a node's packets in a measured window."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...measuring.settings import LONGEST_MEASURED
from ..measure.node_source import packet_layout
from .measured_format import MeasuredFormat


class MeasuredSource(wiring.Component):
    """Gives packets a form: beats for the network.

    Parameters
    ----------
    format : MeasuredFormat
        Contents of the packets.
    payload : StructLayout
        Payload of the node's inject stream.
    address : int
        Address of the node.

    Members
    -------
    length : In
        Setting; constant while packets come.
    i : In(stream)
        Packets, from a `NodeSource`.
    o : Out(stream)
        Beats.
    sent : Out(1)
        The last beat of a packet is taken.
    """

    length: Value
    i: stream.Interface
    o: stream.Interface
    sent: Value

    def __init__(self, *, format: MeasuredFormat, payload: data.StructLayout, address: int) -> None:
        self._format = format
        self._address = address
        destination = payload["destination"].width
        super().__init__(
            {
                "length": In(range(LONGEST_MEASURED + 1)),
                "i": In(stream.Signature(packet_layout(destination, format.stamp_width))),
                "o": Out(stream.Signature(payload)),
                "sent": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count the beats; a packet stays until its last one is taken."""
        del platform
        m = Module()
        form, packet = self._format, self.i.p
        beat = Signal(range(LONGEST_MEASURED))
        final = Signal.like(beat)
        last = beat == final
        m.d.sync += final.eq(self.length - 1)
        source = form.source(self._address)
        head = form.head(
            destination=packet.destination, sample=packet.sample, stamp=packet.stamp, last=last
        )
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.p.last.eq(last),
            self.o.p.destination.eq(packet.destination),
            self.o.p.data.eq(Mux(beat == 0, head, form.body(source=source, beat=beat, last=last))),
            self.sent.eq(self.o.valid & self.o.ready & last),
            self.i.ready.eq(self.o.ready & last),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += beat.eq(Mux(last, 0, beat + 1))
        return m
