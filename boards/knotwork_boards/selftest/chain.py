"""Chains of the self-test's multicasts."""

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .packet import PacketFormat


class ChainWriter(wiring.Component):
    """Way from a generator to the network on which each multicast gets its chain.

    The members' addresses XOR the own one are 1, 2, ..., so a counter names them all, in the order
    that the network asks for.

    Parameters
    ----------
    format : PacketFormat
        Contents of the packets, of a network with multicasts.
    address : int
        Own address.

    Members
    -------
    i : In(stream)
        From the generator.
    o : Out(stream)
        To the network.
    sent : Out(1)
        High in the clock in which a member's address is taken: it stands for the copy to be.
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
        """Hold a multicast back at its first beat until all members are named."""
        del platform
        m = Module()
        members = self._format.members
        distance = Signal(range(1, members + 1), init=1)
        named = Signal()
        multicast = self.i.p.multicast
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.payload.eq(self.i.payload),
            self.o.p.destination.eq(Mux(multicast, members, self.i.p.destination)),
            self.i.ready.eq(self.o.ready),
        ]
        with m.If(multicast & ~named):
            m.d.comb += [
                self.o.p.data.eq(distance ^ Const(self._address, self._format.address_width)),
                self.o.p.last.eq(0),
                self.i.ready.eq(0),
                self.sent.eq(self.o.valid & self.o.ready),
            ]
        with m.If(self.sent):
            final = distance == members
            m.d.sync += [distance.eq(Mux(final, 1, distance + 1)), named.eq(final)]
        with m.Elif(self.o.valid & self.o.ready & self.o.p.last):
            m.d.sync += named.eq(0)
        return m
