"""A whole system as one component."""

from collections.abc import Mapping

from amaranth.hdl import DomainRenamer, Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Member, Out
from knotwork.gateware.collectives.plan import collective_module
from knotwork.gateware.fabric import Fabric, collective_members
from knotwork.gateware.layouts import eject_layout, inject_layout
from knotwork.gateware.router_classes import outside_ports
from knotwork.untyped import Interface

from ..parameters import Node
from ..planes import STREAMS
from ..system import System
from .nodes import NODE_CLOCK, Side, has_part, node_part, sides_of


class SystemFabric(wiring.Component):
    """System to put into a design: its planes, and what stands at each node.

    For networks of a few dozen routers, as `Fabric`. The network's clock is the domain ``sync``; a
    node with a clock of its own has the domain ``node_<index>``, unless `clocks` names another.

    Latency
    -------
    That of the network and of the adapters at the two nodes.

    Parameters
    ----------
    system : System
        Network, nodes, buses and addresses.
    clocks : mapping of int to str, optional
        Clock domain of a node with a clock of its own, by the node's index.

    Members
    -------
    node_<index>
        Ports of each node but those with ``bus=none``: of a node with streams, `inject`, `eject`,
        `refused` and what else `NodeAdapter` has; of others, `bus`, and `silent` of a target, as
        `BusNode` has them.
    config, status, monitor, alarm
        Of the plane, as `network_signature` has them; of several planes, behind the plane's name:
        ``requests_monitor``.
    collective, collective0, collective1, ...
        Groups that have collectives, as `network_signature` has them.

    Raises
    ------
    DeadlockError
        The system failed its deadlock check.
    """

    def __init__(self, system: System, *, clocks: Mapping[int, str] | None = None) -> None:
        system.require_deadlock_free()
        self._system, self._clocks = system, dict(clocks or {})
        members = {
            f"node_{node.index}": Out(wiring.Signature(ports_of(system, node)))
            for node in system.nodes
            if sides_of(node)
        }
        for plane in system.planes:
            outside = outside_ports(plane.network)
            members |= {plane.outside(name): one for name, one in outside.items()}
        super().__init__(members | collective_members(system.network))

    @property
    def system(self) -> System:
        """System that this is."""
        return self._system

    def elaborate(self, platform: object) -> Module:
        m = Module()
        planes: dict[str, Interface] = {}
        for plane in self._system.planes:
            planes[plane.name] = fabric = Fabric(plane.network)
            m.submodules[plane.name] = fabric
            for name in outside_ports(plane.network):
                _hand_out(m, getattr(self, plane.outside(name)), fabric, name)
        network = self._system.network
        for group in network.collective_groups:
            module, outer = collective_module(network, group), getattr(self, group.name)
            m.submodules[group.name] = tree = module.make()
            for port in module.ports:
                own, end = port.member(tree), port.member(outer)
                if port.bundle:
                    wiring.connect(m, own, wiring.flipped(end))
                else:
                    m.d.comb += end.eq(own)
        for node in self._system.nodes:
            used = sides_of(node)
            for name, fabric in planes.items():
                if Side(name, "eject") not in used:  # nothing that comes here blocks the plane
                    m.d.comb += fabric.eject[node.index].ready.eq(1)
            if has_part(self._system, node):
                self._place(m, node, planes)
            elif used:
                self._join(m, node, planes[STREAMS])
        return m

    def _join(self, m: Module, node: Node, plane: Interface) -> None:
        """Make the plane's own streams those of a node."""
        outer = getattr(self, f"node_{node.index}")
        ports = wiring.flipped(outer)
        wiring.connect(m, ports.inject, plane.inject[node.index])
        wiring.connect(m, plane.eject[node.index], ports.eject)
        m.d.comb += outer.refused.eq(plane.refused[node.index])

    def _place(self, m: Module, node: Node, planes: Mapping[str, Interface]) -> None:
        """Place what stands at a node, and join it to the planes and to the node's ports."""
        part: Interface = node_part(self._system, node)
        placed: Interface = part
        if node.has_own_clock:
            domain = self._clocks.get(node.index, f"node_{node.index}")
            placed = DomainRenamer({NODE_CLOCK: domain})(part)
        m.submodules[f"node_{node.index}"] = placed
        for side in sides_of(node):
            end = getattr(planes[side.plane], side.way)[node.index]
            own = getattr(part, side.member)
            wiring.connect(m, *((own, end) if side.way == "inject" else (end, own)))
        if node.is_stream:
            m.d.comb += part.plane_refused.eq(planes[STREAMS].refused[node.index])
        outer = getattr(self, f"node_{node.index}")
        for name in ports_of(self._system, node):
            _hand_out(m, getattr(outer, name), part, name)


def _hand_out(m: Module, port: Interface, part: Interface, name: str) -> None:
    """Make a member of a part, an output if it is a signal, a port of the whole."""
    if part.signature.members[name].is_signature:
        wiring.connect(m, getattr(part, name), wiring.flipped(port))
    else:
        m.d.comb += port.eq(getattr(part, name))


def ports_of(system: System, node: Node) -> dict[str, Member]:
    """Ports of a node, by name."""
    if has_part(system, node):
        part = node_part(system, node)
        part._MustUse__used = True  # pyright: ignore[reportAttributeAccessIssue]: asked for its ports
        members = part.signature.members.items()
        return {name: member for name, member in members if name not in _INNER}
    network = system.plane(STREAMS).network
    return {
        "inject": In(stream.Signature(inject_layout(network))),
        "eject": Out(stream.Signature(eject_layout(network))),
        "refused": Out(1),
    }


_INNER = ("to_plane", "from_plane", "plane_refused")
"""Members of what stands at a node that go to the planes."""
