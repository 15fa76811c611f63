"""Multicasts and broadcasts in the self-test, and the copies that each must become."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..packet_format import PacketFormat


class CopyAnnouncer(wiring.Component):
    """Stage between a generator and the network that signals each expected copy, one per cycle.

    Meanwhile it gives a multicast its chain of members: a counter numbers them, in the order that
    the network needs, and `PacketFormat.member_of` gives their addresses. A broadcast has no
    chain and waits.

    Parameters
    ----------
    format : PacketFormat
        Contents of the packets in a network with multicasts or broadcasts.
    address : int
        Address of the node.

    Members
    -------
    i : In(stream)
        From the generator.
    o : Out(stream)
        To the network.
    sent : Out(1)
        High for one cycle per expected copy; with a chain, the cycle in which the network takes the
        address of the member.
    """

    i: stream.Interface
    o: stream.Interface
    sent: Value

    def __init__(self, *, format: PacketFormat, address: int) -> None:
        self._format = format
        self._address = address
        super().__init__(
            {
                "i": In(stream.Signature(format.packet_in)),
                "o": Out(stream.Signature(format.packet_in)),
                "sent": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Hold a multicast or broadcast back at its first beat until all copies are signalled."""
        del platform
        m = Module()
        members = self._format.members
        number = Signal(range(1, members + 1), init=1)
        announced = Signal()
        marked = self._format.mark_of(self.i.p)
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.payload.eq(self.i.payload),
            self.i.ready.eq(self.o.ready),
        ]
        if self._format.chained:
            m.d.comb += self.o.p.destination.eq(Mux(marked, members, self.i.p.destination))
        with m.If(marked & ~announced):
            m.d.comb += self.i.ready.eq(0)
            if self._format.chained:
                m.d.comb += [
                    self.o.p.data.eq(self._format.member_of(self._address, number)),
                    self.o.p.last.eq(0),
                    self.sent.eq(self.o.valid & self.o.ready),
                ]
            else:
                m.d.comb += [self.o.valid.eq(0), self.sent.eq(self.i.valid)]
        with m.If(self.sent):
            final = number == members
            m.d.sync += [number.eq(Mux(final, 1, number + 1)), announced.eq(final)]
        with m.Elif(self.o.valid & self.o.ready & self.o.p.last):
            m.d.sync += announced.eq(0)
        return m
