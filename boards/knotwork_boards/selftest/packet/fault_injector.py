"""Faults on purpose in the self-test of packet networks."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream

from ..fault import Fault, FaultStage
from ..packet_format import PacketFormat


class FaultInjector(FaultStage):
    """Stage between a generator and the network in which one packet per window goes wrong.

    It chooses the window's first packet of a single beat to one node other than `elsewhere`.

    Parameters
    ----------
    format : PacketFormat
        Contents of the packets.
    elsewhere : int
        Address to which it sends a packet that must be misrouted.
    nowhere : int or None
        Address that belongs to no node, to which it sends a packet that must be refused.
    single : bool
        Packets have one beat, so that one of two beats must be refused; where there is no `nowhere`
        it makes the packet such a one.
    """

    def __init__(
        self,
        *,
        format: PacketFormat,
        elsewhere: int,
        nowhere: int | None = None,
        single: bool = False,
    ) -> None:
        self._format = format
        self._elsewhere = elsewhere
        self._nowhere = nowhere
        self._single = single
        super().__init__(stream.Signature(format.packet_in))

    def elaborate(self, platform: object) -> Module:
        """Pass everything on except the chosen packet."""
        del platform
        m = Module()
        done, again = Signal(), Signal()
        first = Signal(init=1)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += first.eq(self.i.p.last)
        self.pass_on(m)
        unicast = ~self._format.mark_of(self.i.p).any()
        chosen = first & self.i.p.last & unicast & ~done
        chosen &= self.i.p.destination != self._elsewhere
        with m.If(self.start):
            m.d.sync += done.eq(0)
        with m.Elif(chosen & self.i.valid & self.i.ready):
            m.d.sync += done.eq(1)
        with m.If(chosen), m.Switch(self.fault):
            with m.Case(Fault.LOST):
                m.d.comb += [self.o.valid.eq(0), self.i.ready.eq(1)]
            with m.Case(Fault.DUPLICATED):
                self._send_twice(m, again)
            with m.Case(Fault.CORRUPTED):
                m.d.comb += self.o.p.data.eq(self.i.p.data ^ 1)
            with m.Case(Fault.MISROUTED):
                m.d.comb += self.o.p.destination.eq(self._elsewhere)
            with m.Case(Fault.REFUSED):
                if self._nowhere is not None:
                    m.d.comb += self.o.p.destination.eq(self._nowhere)
                elif self._single:
                    self._send_twice(m, again)
                    m.d.comb += self.o.p.last.eq(again)
        return m

    def _send_twice(self, m: Module, again: Signal) -> None:
        """Take the beat only when it has gone out a second time."""
        m.d.comb += self.i.ready.eq(self.o.ready & again)
        with m.If(self.i.valid & self.o.ready):
            m.d.sync += again.eq(~again)
