"""Links between bufferless routers, and how a node sends and receives there."""

from functools import lru_cache

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Member, Out

from ...network import Network, RouterKind
from ...routing.deflection import Deflection
from ...topology import LOCAL
from ...untyped import Interface, View
from ..component import Component
from ..layouts import eject_layout, inject_layout
from ..parts.injector import is_node
from ..parts.network_routes import route_computation
from ..parts.table_route import RouteTable, TableRoute, route_table
from ..router_class import address_constant


def packet_layout(network: Network) -> data.StructLayout:
    """Packet on a link: data, the destination's address, and the source's where packets carry it.

    Where packets are numbered, also `sequence`. Where they grow old, also `phase`: the number of
    the phase of its injection, modulo 2, and `first`: at the router that sent it, it was old and to
    the address whose turn it was.
    """
    address = network.topology.address_width
    members = {"data": network.hardware.data_width, "destination": address}
    if network.has_source:
        members["source"] = address
    if network.sequence_width:
        members["sequence"] = network.sequence_width
    if Deflection.of(network.routing).has_phases:
        members |= {"phase": 1, "first": 1}
    return data.StructLayout(members)


def packet_signature(network: Network) -> wiring.Signature:
    """Channel of a link, seen from its sender; all signals come from registers.

    Members
    -------
    valid : Out(1)
        There is a packet, which the receiver takes in this cycle.
    packet : Out(packet_layout)
        The packet.
    """
    return wiring.Signature({"valid": Out(1), "packet": Out(packet_layout(network))})


def router_signature(network: Network, kind: RouterKind) -> dict[str, Member]:
    """Members of a bufferless router.

    Members
    -------
    address : In(address_width)
        The router's own address, constant.
    inject, eject : stream.Interface
        From and to the node; every packet has one beat.
    refused : Out(1)
        High for one cycle after the last beat of each packet dropped.
    i, o : arrays of packet_signature
        Links, by position in ``kind.ports[1:]``.
    """
    links = len(kind.ports) - 1
    return {
        "address": In(network.topology.address_width),
        "inject": In(stream.Signature(inject_layout(network))),
        "eject": Out(stream.Signature(eject_layout(network))),
        "refused": Out(1),
        "i": In(packet_signature(network)).array(links),
        "o": Out(packet_signature(network)).array(links),
    }


PIN = "routes"
"""Router's input for a table of its own, which serves all its inputs."""


@lru_cache(maxsize=4)
def base_network(network: Network) -> Network:
    """Network whose gates decide where packets want to go."""
    base_class = Deflection.of(network.routing).base_class
    return Network(network.topology, routing=base_class)


@lru_cache(maxsize=8)
def own_table(network: Network, kind: RouterKind) -> RouteTable | None:
    """Table that each router of a kind has of its own; None where it has none."""
    if not Deflection.of(network.routing).has_phases:
        return None
    base = base_network(network)
    if not issubclass(route_computation(base), TableRoute):
        return None
    table = route_table(base, kind.turns, router=kind.router)
    return table if table.width else None


def constants(network: Network, router: int) -> dict[str, Const]:
    """Constant inputs of a router: its address, and a table of its own."""
    table = own_table(network, network.router_kinds[network.router_number[router]])
    own = {} if table is None else {PIN: table.constant(router)}
    return address_constant(network, router) | own


def preference(m: Module, router: Interface, name: str, destination: Value) -> tuple[Value, Value]:
    """Whether a packet is for the node of a router, and the link that it wants, one-hot.

    Parameters
    ----------
    m : Module
        Router's module, to which the gates of the route are added.
    router : BufferlessRouter
        Router.
    name : str
        Where the packet comes from.
    destination : Value
        Address to which the packet goes.
    """
    base, turns = base_network(router.network), router.kind.turns
    route: Interface = route_computation(base)(base, turns, router=router.kind.router)
    m.submodules[f"route_{name}"] = route
    if own_table(router.network, router.kind) is not None:
        m.d.comb += route.table.eq(router.routes)
    m.d.comb += [route.address.eq(router.address), route.destination.eq(destination)]
    wants = {
        port: Cat(route.select[n] for n, turn in enumerate(turns) if turn.output_port == port).any()
        for port in router.kind.ports
    }
    return wants.pop(LOCAL), Cat(wants.values())


class SingleBeats(Component):
    """Passes packets of one beat; drops longer ones whole, and those to no node.

    Where packets are numbered, a memory holds the number of the next packet to each address. It is
    cleared after a reset, so no packet passes in the first ``2^address_width`` cycles.

    Latency
    -------
    0 cycles; `refused` comes in the cycle after the dropped packet's last beat.

    Parameters
    ----------
    network : Network
        Addresses and widths.

    Members
    -------
    i : In(stream of inject_layout)
        Beats from the node.
    valid : Out(1)
        There is a packet to send: the beat of `i`.
    ready : In(1)
        The router takes one with this cycle.
    refused : Out(1)
        High for one cycle for each packet dropped.
    sequence : Out(sequence_width)
        Number of the packet among those to its destination; only where they are numbered.
    """

    i: stream.Interface
    valid: Signal
    ready: Signal
    refused: Signal
    sequence: Signal

    def __init__(self, network: Network) -> None:
        self._network = network
        members: dict[str, Member] = {
            "i": In(stream.Signature(inject_layout(network))),
            "valid": Out(1),
        }
        members |= {"ready": In(1), "refused": Out(1)}
        if network.sequence_width:
            members["sequence"] = Out(network.sequence_width)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.in_packet = in_packet = Signal(name="in_packet")
        drop = Signal(name="drop")
        beat = self.i.p
        known = is_node(self._network.topology, beat.destination)
        numbered = self._number(m) if "sequence" in self.signature.members else Const(1)
        m.d.comb += [
            drop.eq(in_packet | ~beat.last | ~known),
            self.valid.eq(self.i.valid & ~drop & numbered),
            self.i.ready.eq(drop | (self.ready & numbered)),
        ]
        m.d.sync += self.refused.eq(self.i.valid & beat.last & drop)
        with m.If(self.i.valid):  # beats of longer packets are dropped, so they are taken
            m.d.sync += in_packet.eq(~beat.last)
        return m

    def _number(self, m: Module) -> Value:
        """Number the packets; whether the memory is cleared."""
        width = self._network.topology.address_width
        m.submodules.numbers = numbers = Memory(shape=len(self.sequence), depth=1 << width, init=[])
        into, out_of = numbers.write_port(), numbers.read_port(domain="comb")
        cleared = Signal(width + 1)
        numbered = cleared[-1]
        m.d.comb += [
            out_of.addr.eq(self.i.p.destination),
            self.sequence.eq(out_of.data),
            into.addr.eq(Mux(numbered, self.i.p.destination, cleared[:-1])),
            into.data.eq(Mux(numbered, self.sequence + 1, 0)),
            into.en.eq(~numbered | (self.valid & self.ready)),
        ]
        with m.If(~numbered):
            m.d.sync += cleared.eq(cleared + 1)
        return numbered


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
        m.submodules.injector = self.injector = injector = SingleBeats(self._network)
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
