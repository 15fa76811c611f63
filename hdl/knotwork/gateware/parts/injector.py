"""From a node's stream into its router."""

from collections.abc import Hashable

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...topology import LOCAL, Topology
from ...topology.altered import Classed
from ...untyped import Interface
from ..component import Component
from ..layouts import inject_layout, injection_signature
from .draws import draw, node_constants
from .parity import seal


def is_node(topology: Topology, address: Value) -> Value:
    """Whether some node has this address."""
    codes = sorted(topology.address(node) for node in range(topology.nodes))
    if len(codes) == 1 << topology.address_width:
        return Const(1)
    if codes == list(range(len(codes))):
        return address < len(codes)
    return address.matches(*codes)


def flow_lane(source: Value, destination: Value, lanes: int) -> Value:
    """Lane of a flow, 0..lanes - 1: `routing.lane` in gates."""
    if lanes == 1:
        return Const(0)
    folded: Value = Const(0, 4)
    for low in range(0, len(source), 4):
        nibble = Cat(source[low : low + 4], Const(0, 4))[:4]
        folded = folded ^ nibble.rotate_left(1) ^ destination[low : low + 4]
    return folded[:4] % Const(lanes, 4)


def is_receiver(network: Network, port: int, address: Value) -> Value:
    """Whether this is the address of a node to which the node at a local port may send.

    With classes of traffic, the lowest bits are those of the class, which the port decides.
    """
    topology = network.topology
    if not isinstance(topology, Classed):
        return is_node(topology, address)
    bits = topology.port_bits
    return is_node(topology.unaltered, address[bits:]) & (
        address[:bits] == topology.port_class(port)
    )


def node_lane(
    network: Network, port: int, source: Value, destination: Value
) -> tuple[Value, range]:
    """Lane of a flow from the node at a local port, among the lanes that this node may use."""
    topology, lanes = network.topology, range(network.routing.lanes)
    if not isinstance(topology, Classed):
        return flow_lane(source, destination, len(lanes)), lanes
    bits, share = topology.port_bits, len(lanes) // topology.count
    first = topology.port_class(port) * share
    own = lanes[first : first + share]
    return flow_lane(source[bits:], destination[bits:], share), own


class Injector(Component):
    """Makes flits of a node's beats; drops packets to an address that no node has.

    It also drops broadcasts of more than `max_packet` beats, and cancels what it has sent of them.

    Latency
    -------
    0 cycles; `refused` comes in the cycle after the dropped packet's last beat.

    Parameters
    ----------
    network : Network
        Addresses, lanes and widths.
    port : int
        Port of its router that leads to the node.

    Members
    -------
    address : In(address_width)
        The node's own address; beside it `written`, where there is one: see `parts.draws`.
    i : In(stream of inject_layout)
        Beats; `destination` is read on a packet's first.
    o : Out(injection_signature)
        Flits, in the virtual channel of the flow's lane.
    refused : Out(1)
        High for one cycle for each packet dropped.
    """

    address: Signal
    i: stream.Interface
    o: Interface
    refused: Signal

    def __init__(self, network: Network, port: int = LOCAL) -> None:
        self._network = network
        self._port = port
        super().__init__(
            {
                **node_constants(network),
                "i": In(stream.Signature(inject_layout(network))),
                "o": Out(injection_signature(network)),
                "refused": Out(1),
            }
        )

    @property
    def parameters(self) -> Hashable:
        return self._network, self._network.topology.port_class(self._port)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        routing = self._network.routing
        beat = self.i.p
        in_packet, dropped = Signal(name="in_packet"), Signal(name="dropped")
        kept = Signal.like(beat.destination)
        self.in_packet, self.dropped, self.kept = in_packet, dropped, kept
        destination = Signal.like(beat.destination)
        drop = Signal()
        ends = self.i.valid & self.i.ready & beat.last
        self.generator, drawn = draw(m, routing, self, destination, ends)
        m.d.comb += [
            destination.eq(Mux(in_packet, kept, beat.destination)),
            self.o.flit.data.eq(beat.data),
            self.o.flit.last.eq(beat.last),
            self.o.flit.destination.eq(Cat(destination, drawn)),
            self.o.flit.source.eq(self.address),
        ]
        if self._network.has_parity:
            m.d.comb += seal(self.o.flit)
        known = is_receiver(self._network, self._port, beat.destination)
        follows: Value = destination
        too_long: Value = Const(0)
        if self._network.has_broadcast:
            broadcast = Signal()
            too_long = self._too_long(m, broadcast, in_packet & ~dropped)
            known |= broadcast
            follows = Mux(broadcast, self.address, destination)
        m.d.comb += drop.eq(Mux(in_packet, dropped | too_long, ~known))
        # Lane l starts in virtual channel l * classes: class 0 of the lane.
        lane, lanes = node_lane(self._network, self._port, self.address, follows)
        room = Signal()
        for number, each in enumerate(lanes):
            channel = each * routing.classes
            with m.If(lane == Const(number, len(lane))):
                m.d.comb += [
                    self.o.valid[channel].eq(self.i.valid & ~drop),
                    room.eq(self.o.ready[channel]),
                ]
                if self._network.has_broadcast:
                    m.d.comb += self.o.cancel[channel].eq(self.i.valid & too_long)
        m.d.comb += self.i.ready.eq(room | drop)
        m.d.sync += self.refused.eq(self.i.valid & self.i.ready & beat.last & drop)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [in_packet.eq(~beat.last), kept.eq(destination), dropped.eq(drop)]
        return m

    def _too_long(self, m: Module, broadcast: Signal, in_packet: Value) -> Value:
        """Whether this beat is the first beyond a broadcast's limit; marks the flits."""
        longest = self._network.routing.options.longest_copied_packet
        marked, beats = Signal(name="marked"), Signal(range(longest + 1), name="beats")
        self.marked, self.beats = marked, beats
        first = beats == 0
        m.d.comb += [
            broadcast.eq(Mux(first, self.i.p.broadcast, marked)),
            self.o.flit.broadcast.eq(broadcast),
        ]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [
                marked.eq(broadcast),
                beats.eq(Mux(self.i.p.last, 0, Mux(beats == longest, beats, beats + 1))),
            ]
        return broadcast & in_packet & (beats == longest)
