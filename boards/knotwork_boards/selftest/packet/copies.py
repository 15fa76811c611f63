"""Multicasts and broadcasts in the self-test, and the copies that each must become."""

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..packet_format import PacketFormat


class CopyTeller(wiring.Component):
    """Stage between a generator and the network that signals each expected copy, one per cycle.

    Meanwhile it gives a multicast its chain of members. The addresses of the members XOR the node's
    own are 1, 2, ..., so a counter names them all, in the order that the network asks for. A
    broadcast has no chain and waits.

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
        distance = Signal(range(1, members + 1), init=1)
        told = Signal()
        marked = self._format.mark_of(self.i.p)
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.payload.eq(self.i.payload),
            self.i.ready.eq(self.o.ready),
        ]
        if self._format.chained:
            m.d.comb += self.o.p.destination.eq(Mux(marked, members, self.i.p.destination))
        with m.If(marked & ~told):
            m.d.comb += self.i.ready.eq(0)
            if self._format.chained:
                m.d.comb += [
                    self.o.p.data.eq(distance ^ Const(self._address, self._format.address_width)),
                    self.o.p.last.eq(0),
                    self.sent.eq(self.o.valid & self.o.ready),
                ]
            else:
                m.d.comb += [self.o.valid.eq(0), self.sent.eq(self.i.valid)]
        with m.If(self.sent):
            final = distance == members
            m.d.sync += [distance.eq(Mux(final, 1, distance + 1)), told.eq(final)]
        with m.Elif(self.o.valid & self.o.ready & self.o.p.last):
            m.d.sync += told.eq(0)
        return m
