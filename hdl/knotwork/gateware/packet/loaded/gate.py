"""Gate between a node and the network, which closes between packets."""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ....network import Network
from ...component import Component
from ...layouts import inject_layout


class InjectionGate(Component):
    """Lets no packet begin while it is held; a packet that has begun goes on.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    network : Network
        Layout of the beats.

    Members
    -------
    i, o : stream of inject_layout
        From the node, and on to the network.
    hold : In(1)
        Begin no packet.
    idle : Out(1)
        No packet has begun and not ended.
    """

    i: stream.Interface
    o: stream.Interface
    hold: Signal
    idle: Signal

    def __init__(self, network: Network) -> None:
        beats = stream.Signature(inject_layout(network))
        super().__init__({"i": In(beats), "o": Out(beats), "hold": In(1), "idle": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        in_packet, passes = Signal(name="in_packet"), Signal(name="passes")
        # A beat that was offered stays offered: `hold` waits until it is taken.
        waits = Signal(name="waits")
        m.d.comb += [
            passes.eq(in_packet | waits | ~self.hold),
            Value.cast(self.o.p).eq(Value.cast(self.i.p)),
            self.o.valid.eq(self.i.valid & passes),
            self.i.ready.eq(self.o.ready & passes),
            self.idle.eq(~in_packet & ~waits),
        ]
        m.d.sync += waits.eq(self.o.valid & ~self.o.ready)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += in_packet.eq(~self.i.p.last)
        return m
