"""What stands at a node of a system, between the user's ports and the planes."""

from typing import NamedTuple

from amaranth.hdl import ClockDomain, ClockSignal, DomainRenamer, Module, ResetSignal, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Member, Out
from knotwork.gateware.layouts import eject_layout, inject_layout
from knotwork.network import Network
from knotwork.untyped import Interface

from ..parameters import Node
from ..planes import REQUESTS, RESPONSES, STREAMS
from ..system import System
from .adapters import Crossing, LinkResets, NodeAdapter, header_of
from .buses.bus_kinds import BUS_KINDS
from .buses.decoder import RegionOfNode
from .buses.initiator_bridges import INITIATOR_BRIDGES
from .buses.initiator_port import InitiatorPort
from .buses.target_bridges import TARGET_BRIDGES
from .buses.target_port import TargetPort


class Side(NamedTuple):
    """End of a plane at a node.

    Members
    -------
    plane : str
        Name of the plane.
    way : str
        ``inject``: the node sends there; ``eject``: it receives.
    """

    plane: str
    way: str

    @property
    def member(self) -> str:
        """Member of what stands at the node that is this end."""
        return {"inject": "to_plane", "eject": "from_plane"}[self.way]


def sides_of(node: Node) -> tuple[Side, ...]:
    """Ends of planes that a node uses; none of a node that nothing is at."""
    if node.is_stream:
        return Side(STREAMS, "inject"), Side(STREAMS, "eject")
    if node.is_initiator:
        return Side(REQUESTS, "inject"), Side(RESPONSES, "eject")
    if node.is_target:
        return Side(RESPONSES, "inject"), Side(REQUESTS, "eject")
    return ()


def plane_member(network: Network, way: str) -> Member:
    """End of a plane, as a member of what stands at the node: it sends beats that are injected."""
    if way == "inject":
        return Out(stream.Signature(inject_layout(network)))
    return In(stream.Signature(eject_layout(network)))


_FORTH, _BACK = ("aw", "w", "ar"), ("b", "r")
"""Channels of AXI4 from a manager, and to it."""


class BusNode(wiring.Component):
    """Between a memory-mapped bus and its planes: bridge to AXI4, clocks, packets.

    With a clock of its own, the bus and its bridge are at that clock, and each channel of AXI4
    crosses by itself. The node must be reset together with the network.

    Latency
    -------
    That of the bridge, of `Crossing` with a clock of its own, and of the port.

    Parameters
    ----------
    system : System
        System of the node.
    node : Node
        One of its nodes with a memory-mapped bus.
    domain : str
        Clock of the node; ``sync`` is the network's.

    Members
    -------
    bus : In or Out(signature of the kind of bus)
        From the user's manager, or to the user's memory.
    to_plane : Out(stream of inject_layout)
        Requests of an initiator; responses of a target.
    from_plane : In(stream of eject_layout)
        Responses for an initiator; requests for a target.
    silent : Out(2)
        That of `TargetPort`; only of a target.
    """

    bus: Interface
    to_plane: stream.Interface
    from_plane: stream.Interface
    silent: Signal

    def __init__(self, *, system: System, node: Node, domain: str = "sync") -> None:
        self._system, self._node, self._domain = system, node, domain
        kind = BUS_KINDS[node.bus].signature(system.bus)
        sends, gets = (REQUESTS, RESPONSES) if node.is_initiator else (RESPONSES, REQUESTS)
        members = {
            "bus": (In if node.is_initiator else Out)(kind),
            "to_plane": plane_member(system.plane(sends).network, "inject"),
            "from_plane": plane_member(system.plane(gets).network, "eject"),
        }
        super().__init__(members | ({} if node.is_initiator else {"silent": Out(2)}))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        at_node, resets = "sync", None
        if self._domain != "sync":
            at_node = "port"
            resets = self._domains(m)
        m.submodules.port = port = self._port()
        bus = self._bridged(m, at_node)
        if resets is None:
            wiring.connect(m, *((bus, port.axi) if self._node.is_initiator else (port.axi, bus)))
        else:
            self._cross(m, bus, port.axi, resets)
        self._to_planes(m, port)
        return m

    def _domains(self, m: Module) -> LinkResets:
        """Clocks of the two sides of the crossings, reset together."""
        m.submodules.resets = resets = LinkResets(domain=self._domain)
        m.domains.port = ClockDomain("port", async_reset=True, local=True)
        m.domains.plane = ClockDomain("plane", local=True)
        m.d.comb += [
            ClockSignal("port").eq(ClockSignal(self._domain)),
            ResetSignal("port").eq(resets.port),
            ClockSignal("plane").eq(ClockSignal("sync")),
            ResetSignal("plane").eq(resets.plane),
        ]
        return resets

    def _port(self) -> Interface:
        """Port between AXI4 and packets."""
        system, network = self._system, self._system.planes[-1].network
        widths = {
            "bus": system.bus,
            "flit_width": network.hardware.data_width,
            "address_width": network.topology.address_width,
            "has_parity": network.has_parity,
        }
        if self._node.is_target:
            return TargetPort(**widths)
        regions = [
            RegionOfNode(region.base, region.size, network.topology.address(region.node))
            for region in system.map.values()
        ]
        return InitiatorPort(regions=regions, **widths)

    def _bridged(self, m: Module, domain: str) -> Interface:
        """AXI4 at the node's clock: the node's own bus, or that of a bridge."""
        bridges = INITIATOR_BRIDGES if self._node.is_initiator else TARGET_BRIDGES
        own = wiring.flipped(self.bus)
        if self._node.bus not in bridges:
            return own
        bridge: Interface = bridges[self._node.bus](bus=self._system.bus)
        m.submodules.bridge = DomainRenamer(domain)(bridge)
        wiring.connect(m, own, getattr(bridge, self._node.bus))
        return bridge.axi4

    def _cross(self, m: Module, bus: Interface, port: Interface, resets: LinkResets) -> None:
        """Each channel of AXI4 from one clock to the other; none goes while its side is reset."""
        closed = {"port": resets.port, "plane": resets.plane}
        for channel in (*_FORTH, *_BACK):
            from_node = (channel in _FORTH) == self._node.is_initiator
            source, sink = (bus, port) if from_node else (port, bus)
            i, o = getattr(source, channel), getattr(sink, channel)
            clocks = ("port", "plane") if from_node else ("plane", "port")
            crossing = Crossing(shape=i.p.shape(), i_domain=clocks[0], o_domain=clocks[1])
            m.submodules[f"{channel}_crossing"] = crossing
            m.d.comb += [
                crossing.i.p.eq(i.p),
                crossing.i.valid.eq(i.valid & ~closed[clocks[0]]),
                i.ready.eq(crossing.i.ready & ~closed[clocks[0]]),
                o.p.eq(crossing.o.p),
                o.valid.eq(crossing.o.valid),
                crossing.o.ready.eq(o.ready),
            ]

    def _to_planes(self, m: Module, port: Interface) -> None:
        """Packets of the port, whose beats have only some of the plane's fields."""
        to_plane, from_plane = self.to_plane, self.from_plane
        m.d.comb += [
            to_plane.valid.eq(port.inject.valid),
            port.inject.ready.eq(to_plane.ready),
            port.eject.valid.eq(from_plane.valid),
            from_plane.ready.eq(port.eject.ready),
        ]
        m.d.comb += [to_plane.p[name].eq(port.inject.p[name]) for name in _SENT]
        m.d.comb += [port.eject.p[name].eq(from_plane.p[name]) for name in _RECEIVED]
        if self._system.network.has_parity:
            m.d.comb += port.eject.p.wrong.eq(from_plane.p.flags)
        if self._node.is_target:
            m.d.comb += self.silent.eq(port.silent)


_SENT, _RECEIVED = ("data", "last", "destination"), ("data", "last", "source")
"""Fields of beats that packets need."""


NODE_CLOCK = "node"
"""Domain of a node's own clock."""


def has_part(system: System, node: Node) -> bool:
    """Whether something stands between a node's ports and the planes."""
    if node.is_stream:
        return node.has_own_clock or not system.payload.is_plain(node.width)
    return bool(node.side)


def node_part(system: System, node: Node) -> Interface:
    """Component that stands at a node.

    Its members `to_plane` and `from_plane` are the node's ends of its planes. A node with streams
    has `inject` and `eject`, and what else `NodeAdapter` has; others have `bus`. Its domains are
    ``sync``, the network's, and ``node`` of a node with its own clock.
    """
    domain = NODE_CLOCK if node.has_own_clock else "sync"
    if not node.is_stream:
        return BusNode(system=system, node=node, domain=domain)
    network = system.plane(STREAMS).network
    return NodeAdapter(
        width=node.width,
        payload=system.payload,
        inject_header=header_of(inject_layout(network)),
        eject_header=header_of(eject_layout(network)),
        domain=domain,
        mesochronous=node.is_mesochronous,
    )
