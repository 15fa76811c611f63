"""Ends of a link that may be declared dead: packets for it are lost, and each is reported."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from ....network import Network
from ....untyped import Interface, View
from ...component import Component
from ...layouts import flit_layout
from ...parts.crossbar import one_hot_mux
from ...parts.parity import is_guarded, is_last, seal
from ..credit_links import credit_signature
from .layouts import lost_layout


def _packets_inside(m: Module, name: str, passes: Value, last: Value, ends: Value) -> Signal:
    """Virtual channels by which a packet has begun to pass and not ended; `ends` ends it too."""
    inside = Signal(len(passes), name=name)
    for vc, one in enumerate(passes):
        with m.If(one | ends[vc]):
            m.d.sync += inside[vc].eq(one & ~last)
    return inside


class LinkSender(Component):
    """End of a link by which flits leave a router; those granted while it is dead are dropped.

    A dead link is dead for the grants: a flit granted before is sent, and one granted since takes
    no credit and does not leave. So credits count what was sent, whatever becomes of the link.

    While a link that is not dead is not up, packets wait.

    A packet of which nothing was sent is reported as lost, with its last flit. Until the report is
    taken, no flit is granted: nor while a dropped flit is on its way here, which may be a last one.
    The far end ends a packet whose head was sent.

    Latency
    -------
    0 cycles from `i` to `o`; a flit is here `Network.cycles_to_link` cycles after its grant.

    Parameters
    ----------
    network : Network
        Layout of the flits.

    Members
    -------
    i : In(credit_signature)
        From the crossbar: the flits that credits were taken for; with a dropped one, `valid` is 0.
    o : Out(credit_signature)
        The link.
    taken : In(virtual_channels)
        A flit of the virtual channel is granted.
    dead : In(1)
        The link is dead.
    open : Out(1)
        A flit may be granted, to be sent with a credit, or to be dropped.
    lost : Out(1)
        A packet is to be reported.
    packet : Out(lost_layout)
        Which one.
    reported : In(1)
        It is reported; only with `lost`.
    """

    i: Interface
    o: Interface
    taken: Signal
    dead: Signal
    open: Signal
    lost: Signal
    packet: View
    reported: Signal

    def __init__(self, network: Network) -> None:
        self._channels, self._stages = network.virtual_channels, network.cycles_to_link
        link = credit_signature(network)
        super().__init__(
            {
                "i": In(link),
                "o": Out(link),
                "taken": In(self._channels),
                "dead": In(1),
                "open": Out(1),
                "lost": Out(1),
                "packet": Out(lost_layout(network)),
                "reported": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        flit, last = self.i.flit, is_last(self.i.flit)
        stages = [self.taken & self.dead.replicate(self._channels)]
        for number in range(self._stages):  # along with the flit, from its grant to the link
            stage = Signal(self._channels, name=f"dropped_{number}")
            m.d.sync += stage.eq(stages[-1])
            stages.append(stage)
        dropped = stages[-1]
        ends = dropped & last.replicate(self._channels)
        sending = _packets_inside(m, "sending", self.i.valid, last, ends)
        loses = Signal(name="loses")
        m.d.comb += [
            Value.cast(self.o.flit).eq(
                Mux(dropped.any(), 0, Value.cast(flit))  # a link carries 0 without a flit
            ),
            self.o.valid.eq(self.i.valid),
            self.i.credit.eq(self.o.credit),
            loses.eq((ends & ~sending).any()),
            self.open.eq(Mux(self.dead, ~(self.lost | Cat(stages[1:]).any()), self.o.up)),
            self.i.up.eq(self.o.up),
        ]
        with m.If(loses | self.reported):
            m.d.sync += self.lost.eq(loses)
        with m.If(loses):
            m.d.sync += [
                self.packet.source.eq(flit.source),
                self.packet.destination.eq(flit.destination),
            ]
        return m


class LinkReceiver(Component):
    """End of a link by which flits reach a router; it ends the packets that a dead link cut.

    What was sent before the link's other end was declared dead may still come, and is taken. In the
    first cycle without a flit, a packet that has begun gets a last flit that is marked as lost. It
    takes the place of the packet's next flit: should that come after all, it and those behind it
    are dropped. So the buffer never has to hold more than its sender knows of. A dead link gives no
    credits: once it is alive again its sender has all of them.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    network : Network
        Layout of the flits.

    Members
    -------
    i : In(credit_signature)
        The link.
    o : Out(credit_signature)
        To the input port.
    full : In(virtual_channels)
        The buffer of the virtual channel has no place.
    dead : In(1)
        The link is dead; falls only while no packet is cut.
    idle : Out(1)
        No packet has begun and not ended.
    """

    i: Interface
    o: Interface
    full: Signal
    dead: Signal
    idle: Signal

    def __init__(self, network: Network) -> None:
        self._network = network
        link = credit_signature(network)
        super().__init__(
            {
                "i": In(link),
                "o": Out(link),
                "full": In(network.virtual_channels),
                "dead": In(1),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count, flit = self._network.virtual_channels, self.i.flit
        comes, closes = Signal(count, name="comes"), Signal(count, name="closes")
        cut = Signal(count, name="cut")  # the packet was ended here
        ended = is_last(flit)
        opened = _packets_inside(m, "opened", comes, ended, closes)
        kept = []
        for vc in range(count):
            begun: View = Signal(lost_layout(self._network), name=f"packet_vc{vc}")
            kept.append(begun)
            with m.If(comes[vc]):
                m.d.sync += [begun.source.eq(flit.source), begun.destination.eq(flit.destination)]
            with m.If(~self.dead | (self.i.valid[vc] & ended)):
                m.d.sync += cut[vc].eq(0)
            with m.Elif(closes[vc]):
                m.d.sync += cut[vc].eq(1)
        ready = Signal(count, name="ready")
        m.d.comb += ready.eq(opened & ~self.full)
        first = Cat(ready[vc] & ~ready[:vc].any() for vc in range(count))
        packet: View = Signal(lost_layout(self._network), name="packet")
        last: View = Signal(flit_layout(self._network), name="closing")
        m.d.comb += [
            comes.eq(Mux(self.dead, self.i.valid & ~cut, self.i.valid)),
            closes.eq(Mux(self.dead & ~self.i.valid.any(), first, 0)),
            Value.cast(packet).eq(one_hot_mux(list(closes), kept)),
            last.last.eq(1),
            last.lost.eq(1),
            last.source.eq(packet.source),
            last.destination.eq(packet.destination),
            *(seal(last) if is_guarded(last) else ()),
            self.o.valid.eq(comes | closes),
            # Without a flit the link carries 0.
            Value.cast(self.o.flit).eq(Value.cast(flit) | Mux(closes.any(), Value.cast(last), 0)),
            self.i.credit.eq(Mux(self.dead, 0, self.o.credit)),
            self.i.up.eq(1),
            self.idle.eq(~opened.any()),
        ]
        return m
