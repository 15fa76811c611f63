"""What bufferless routers share: ports, and the paths from and to the node."""

from amaranth.hdl import Assert, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In

from ...network import Network, RouterKind
from ...untyped import Interface, View
from ..component import Component
from .base_routes import PIN, own_table
from .layouts import packet_layout, router_signature
from .single_flit_injector import SingleBeats


class BufferlessRouter(Component):
    """Router that forwards every packet after the cycles of a hop; subclasses elaborate it.

    Parameters
    ----------
    network : Network
        Parameters.
    kind : RouterKind
        Routers that it is for.

    Members
    -------
    address, inject, eject, refused, i, o
        See `router_signature`.
    """

    address: Signal
    inject: stream.Interface
    eject: stream.Interface
    refused: Signal
    i: list[Interface]
    o: list[Interface]

    def __init__(self, network: Network, kind: RouterKind) -> None:
        self._network = network
        self._kind = kind
        table = own_table(network, kind)
        own = {} if table is None else {PIN: In(table.width)}
        super().__init__(router_signature(network, kind) | own)

    @property
    def network(self) -> Network:
        """Network that it is for."""
        return self._network

    @property
    def kind(self) -> RouterKind:
        """Routers that it is for."""
        return self._kind

    @property
    def link_names(self) -> list[str]:
        """Names of the ports of `i` and `o`."""
        return [self._network.topology.ports[port] for port in self._kind.ports[1:]]

    def elaborate(self, platform: object) -> Module:
        raise NotImplementedError

    def from_node(self, m: Module, **fields: Value) -> tuple[View, SingleBeats]:
        """Packet that the node offers, with extra fields, and the injector that qualifies it."""
        m.submodules.injector = injector = SingleBeats(self._network)
        wiring.connect(m, wiring.flipped(self.inject), injector.i)
        layout = packet_layout(self._network)
        packet: View = Signal(layout, name="node")
        fields |= {"data": self.inject.p.data, "destination": self.inject.p.destination}
        fields["source"] = self.address
        if "sequence" in layout.members:
            fields["sequence"] = injector.sequence
        m.d.comb += self.refused.eq(injector.refused)
        m.d.comb += [packet[field].eq(fields[field]) for field in layout.members]
        return packet, injector


class Ejection:
    """Register before a node's stream, with its flag for room.

    Parameters
    ----------
    m : Module
        Router.
    eject : stream.Interface
        Stream to the node, driven here.

    Members
    -------
    room : Signal
        The register is free, or becomes free in this cycle.
    """

    def __init__(self, m: Module, eject: stream.Interface) -> None:
        self._m, self._eject = m, eject
        self.room = Signal(name="eject_room")
        m.d.comb += [self.room.eq(~eject.valid | eject.ready), eject.p.last.eq(1)]

    def give(self, gives: Value, packet: View) -> None:
        """Take a packet, if `gives`, which must imply `room`."""
        m, eject = self._m, self._eject
        with m.If(self.room):
            m.d.sync += eject.valid.eq(gives)
            for field in [name for name in eject.p.shape().members if name != "last"]:
                m.d.sync += eject.p[field].eq(packet[field])
        m.d.sync += Assert(~gives | self.room, "deflection: an ejected packet must have room")


def selected(layout: data.StructLayout, select: Value, chosen: View, other: View) -> View:
    """Packet `chosen` if `select`, else `other`."""
    return data.View(layout, Mux(select, Value.cast(chosen), Value.cast(other)))
