"""Bufferless router: its harness, and the claims that hold of every such router."""

from typing import NamedTuple

from amaranth.hdl import Cat, Const, Signal, Value
from amaranth.lib import data

from ...emit.modules import planned_ports
from ...gateware.deflection.node import BufferlessRouter, packet_layout
from ...gateware.wiring_plan import router_module
from ...network import Network, RouterKind
from ..elaboration import Elaboration
from ..harness import Harness
from ..property import Property


class LinkPacket(NamedTuple):
    """Packet on a link.

    Members
    -------
    valid : Value
        There is one.
    packet : View
        That packet.
    """

    valid: Value
    packet: data.View


class DeflectionHarness(Harness):
    """Harness of a bufferless router: packets on its links are for nodes.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router.

    Members
    -------
    address : Signal
        The router's address, any constant.
    incoming, outgoing : list of LinkPacket
        Incoming and outgoing packet of each link.
    unchanged_fields : list of str
        Fields of a packet that no router changes.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        module = router_module(network, kind)
        ports = planned_ports(network, module)
        super().__init__(kind.name, *ports, Elaboration(module.make()))
        self.network, self.kind = network, kind
        self._injector = self.component("", BufferlessRouter).injector
        self.address = self.constant("address")
        self.unchanged_fields = [name for name in packet_layout(network).members if name != "first"]
        topology = network.topology
        self._nodes = sorted(topology.address(node) for node in range(topology.nodes))
        names = [topology.ports[port] for port in kind.ports[1:]]
        self.incoming = [self._link(f"{name}_i") for name in names]
        self.outgoing = [self._link(f"{name}_o") for name in names]
        for valid, packet in self.incoming:
            self.environment(~valid | packet.destination.matches(*self._nodes))

    def _link(self, name: str) -> LinkPacket:
        packet = data.View(packet_layout(self.network), self.port(f"{name}_packet"))
        return LinkPacket(self.port(f"{name}_valid"), packet)

    def is_node(self, address: Value) -> Value:
        """Whether some node has this address."""
        return address.matches(*self._nodes)

    def delayed(self, value: Value, name: str) -> Value:
        """Value of as many cycles ago as a hop takes; 0 where that was before the reset."""
        for number in range(self.network.cycles_per_hop):
            later = self.register(len(value), f"{name}_{number}")
            self.m.d.sync += later.eq(value)
            value = later
        return value

    def enters(self) -> Value:
        """Whether the node's packet enters in this cycle."""
        return self.sends() & self.port("s_axis_tready")

    def sends(self) -> Value:
        """Whether the node offers a packet that can be sent: a single beat, to a node."""
        inside = self.register(1, "inside")
        valid, last = self.port("s_axis_tvalid"), self.port("s_axis_tlast")
        with self.m.If(valid & self.port("s_axis_tready")):
            self.m.d.sync += inside.eq(~last)
        self.claim(self.probe(self._injector.in_packet) == inside)
        return valid & last & ~inside & self.is_node(self.port("s_axis_tdest"))


class Before:
    """Packets that came in as long ago as a hop takes.

    Parameters
    ----------
    harness : DeflectionHarness
        Harness of the router.
    enters : Value
        The node's packet enters.

    Members
    -------
    valid : list of Value
        Whether there was a packet, by link, and last from the node.
    packets : list of View
        Likewise, the packet; only data, destination and source of the node's packet are meaningful.
    running : Value
        That cycle came after the reset.
    has_space : Signal
        The node's register could take a packet in the last cycle.
    """

    def __init__(self, harness: DeflectionHarness, enters: Value) -> None:
        layout = packet_layout(harness.network)
        node: data.View = Signal(layout, name="node_now")
        fields = {"data": "tdata", "destination": "tdest"}
        harness.m.d.comb += [
            node[field].eq(harness.port(f"s_axis_{port}")) for field, port in fields.items()
        ]
        if harness.network.has_source:
            harness.m.d.comb += node.source.eq(harness.address)
        came = [*harness.incoming, LinkPacket(enters, node)]
        self.valid = [
            harness.delayed(valid, f"came_{number}") for number, (valid, _) in enumerate(came)
        ]
        self.packets = [
            data.View(layout, harness.delayed(packet.as_value(), f"was_{number}"))
            for number, (_, packet) in enumerate(came)
        ]
        self.running = harness.delayed(Const(1), "was_running")
        self.has_space = harness.register(1, "room")
        ready = harness.port("m_axis_tready")
        harness.m.d.sync += self.has_space.eq(~harness.port("m_axis_tvalid") | ready)


def _claim_passes(harness: DeflectionHarness) -> None:
    before = Before(harness, harness.enters())
    ejects = harness.named(harness.port("m_axis_tvalid") & before.has_space, "given")
    out = [*(valid for valid, _ in harness.outgoing), ejects]
    harness.claim(~before.running | (sum(before.valid, Const(0)) == sum(out, Const(0))))
    names = [
        name for name in ("destination", "source") if name in packet_layout(harness.network).members
    ]
    for number, (valid, packet) in enumerate(zip(before.valid, before.packets, strict=True)):
        others = [
            v & (p.data == packet.data)
            for n, (v, p) in enumerate(zip(before.valid, before.packets, strict=True))
            if n != number
        ]
        is_node = number == len(harness.incoming)
        checked = harness.named(before.running & valid & ~Cat(others).any(), f"alone_{number}")
        places = [v & (p.data == packet.data) for v, p in harness.outgoing]
        home = ejects & (harness.port("m_axis_tdata") == packet.data)
        harness.claim(~checked | (sum([*places, home], Const(0)) == 1))
        for place, (_, found) in zip(places, harness.outgoing, strict=True):
            kept = names if is_node else harness.unchanged_fields
            same: Value = Cat(found[name] == packet[name] for name in kept).all()
            harness.claim(~(checked & place) | same)
            if not is_node:
                harness.cover(checked & place)
        right: Value = packet.destination == harness.address
        if harness.network.has_source:
            right &= harness.port("m_axis_tid") == packet.source
        harness.claim(~(checked & home) | (right & harness.port("m_axis_tlast")))
        harness.cover(checked & home)


def _claim_streams(harness: DeflectionHarness) -> None:
    names = [f"m_axis_{name}" for name in ("tdata", "tlast", "tid")]
    beat = Cat(harness.port(name) for name in names if harness.has_port(name))
    valid, ready = harness.port("m_axis_tvalid"), harness.port("m_axis_tready")
    harness.claim_held(valid, ready, beat, "m_axis")
    harness.cover(valid & ~ready)


def _claim_injection(harness: DeflectionHarness) -> None:
    valid, last = harness.port("s_axis_tvalid"), harness.port("s_axis_tlast")
    sends = harness.named(harness.sends(), "sends")
    refused = harness.register(1, "refused")
    harness.m.d.sync += refused.eq(valid & last & ~sends)
    harness.claim(harness.port("refused") == refused)
    harness.claim(~valid | sends | harness.port("s_axis_tready"))
    harness.cover(refused)
    harness.cover(sends & ~harness.port("s_axis_tready"))


PASSES = Property(
    name="passes",
    text="every packet leaves after the cycles of a hop, once and unchanged, and a packet that is "
    "ejected is for the node",
    claim=_claim_passes,
)
STREAMS = Property(
    name="streams", text="on m_axis, valid and payload stay until a transfer", claim=_claim_streams
)
INJECTION = Property(
    name="injection",
    text="a packet that has several beats, or is for no node, is taken and refused whole",
    claim=_claim_injection,
)
