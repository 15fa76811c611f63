"""Ends of a link that may be declared dead: what is sent there is lost, and told."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....network import Network
from ....untyped import Interface, View
from ...layouts import flit_layout, link_signature
from ...parts.crossbar import one_hot_mux
from .layouts import lost_layout


def _open_packets(m: Module, channels: int, crosses: Value, last: Value, closed: Value) -> Signal:
    """Virtual channels whose packet has begun to cross, and has not ended."""
    opened = Signal(channels, name="opened")
    for number in range(channels):
        with m.If(crosses[number] | closed[number]):
            m.d.sync += opened[number].eq(crosses[number] & ~last)
    return opened


class LinkSender(wiring.Component):
    """End of a link by which flits leave a router; over a dead link none leaves.

    Flits for a dead link are taken and dropped. A packet whose head did not cross is told of as
    lost, with its last flit, which waits while an earlier one is still to be told of; the far end
    tells of one whose head did.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    network : Network
        Layout of the flits.

    Members
    -------
    i : In(link_signature)
        From the crossbar.
    o : Out(link_signature)
        The link.
    dead : In(1)
        The link is dead; falls only while no packet crosses.
    idle : Out(1)
        No packet has begun and not ended, none is to be told of.
    lost : Out(1)
        A packet is to be told of.
    packet : Out(lost_layout)
        Which one.
    told : In(1)
        It is told of; only with `lost`.
    """

    i: Interface
    o: Interface
    dead: Signal
    idle: Signal
    lost: Signal
    packet: View
    told: Signal

    def __init__(self, network: Network) -> None:
        self._channels = network.routing.virtual_channels
        link = link_signature(network)
        super().__init__(
            {
                "i": In(link),
                "o": Out(link),
                "dead": In(1),
                "idle": Out(1),
                "lost": Out(1),
                "packet": Out(lost_layout(network)),
                "told": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count, flit = self._channels, self.i.flit
        dropping = Signal(count, name="dropping")
        crosses, drops = Signal(count, name="crosses"), Signal(count, name="drops")
        tells = Signal(name="tells")
        last: Value = flit.last
        opened = _open_packets(m, count, crosses, last, drops & last.replicate(count))
        m.d.comb += [
            Value.cast(self.o.flit).eq(Value.cast(flit)),
            self.o.valid.eq(Mux(self.dead, 0, self.i.valid)),
            self.i.ready.eq(Mux(self.dead, (~self.lost).replicate(count), self.o.ready)),
            crosses.eq(self.o.valid & self.o.ready),
            drops.eq(Mux(self.dead, self.i.valid & self.i.ready, 0)),
            self.idle.eq(~(opened | dropping).any() & ~self.lost),
        ]
        for number in range(count):
            with m.If(drops[number]):
                m.d.sync += dropping[number].eq(~last)
        m.d.comb += tells.eq((drops & ~opened).any() & last)
        with m.If(tells | self.told):
            m.d.sync += self.lost.eq(tells)
        with m.If(tells):
            m.d.sync += [
                self.packet.source.eq(flit.source),
                self.packet.destination.eq(flit.destination),
            ]
        return m


class LinkReceiver(wiring.Component):
    """End of a link by which flits reach a router; over a dead link none comes.

    A packet that has begun, and whose last flit has not come when the link dies, gets a last flit
    that is marked as lost.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    network : Network
        Layout of the flits.

    Members
    -------
    i : In(link_signature)
        The link.
    o : Out(link_signature)
        To the input channels.
    dead : In(1)
        The link is dead.
    idle : Out(1)
        No packet has begun and not ended.
    """

    i: Interface
    o: Interface
    dead: Signal
    idle: Signal

    def __init__(self, network: Network) -> None:
        self._network = network
        link = link_signature(network)
        super().__init__({"i": In(link), "o": Out(link), "dead": In(1), "idle": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count, flit = self._network.routing.virtual_channels, self.i.flit
        crosses, closes = Signal(count, name="crosses"), Signal(count, name="closes")
        closed: View = Signal(flit_layout(self._network), name="closed")
        opened = _open_packets(m, count, crosses, flit.last, closes & self.o.ready)
        kept = []
        for number in range(count):
            begun: View = Signal(lost_layout(self._network), name=f"packet_vc{number}")
            kept.append(begun)
            with m.If(crosses[number]):
                m.d.sync += [begun.source.eq(flit.source), begun.destination.eq(flit.destination)]
        first = Cat(opened[number] & ~opened[:number].any() for number in range(count))
        packet: View = data.View(lost_layout(self._network), one_hot_mux(list(closes), kept))
        m.d.comb += [
            closed.last.eq(1),
            closed.lost.eq(1),
            closed.source.eq(packet.source),
            closed.destination.eq(packet.destination),
            closes.eq(Mux(self.dead, first, 0)),
            self.o.valid.eq(Mux(self.dead, closes, self.i.valid)),
            Value.cast(self.o.flit).eq(Mux(self.dead, Value.cast(closed), Value.cast(flit))),
            self.i.ready.eq(Mux(self.dead, 0, self.o.ready)),
            crosses.eq(self.i.valid & self.i.ready),
            self.idle.eq(~opened.any()),
        ]
        return m
