"""Which gates compute a network's routes: its own, a table, or those of the base network."""

from functools import cache
from typing import ClassVar

from amaranth.hdl import Module

from ...errors import ConfigurationError
from ...network import Network
from ...routing import Turn, routings_of
from ...routing.adaptive import Adaptive
from ...routing.altered import DerivedRouting
from ...routing.valiant import Valiant
from ...topology import TOPOLOGIES
from ..networks import gates_of
from .adaptive_route import escaped_route
from .route import BranchComputation, RouteComputation, own_network
from .table_route import TableRoute
from .valiant_route import valiant_route


@cache
def base_network(network: Network) -> Network:
    """Network from which one whose routers have more local ports is made.

    Only its gates for routes and branches are used: units for multicasts and lanes are none of
    their matter.
    """
    routing = DerivedRouting.of(network.routing)
    channels = None if routing.chain_limit else routing.base.classes
    return network.with_topology(
        routing.topology.unaltered, routing.base_class, virtual_channels=channels
    )


def base_turn(routing: DerivedRouting, turn: Turn) -> Turn:
    """Turn that another stands for in the network without the added ports."""
    come, go = routing.base_port(turn.input_port), routing.base_port(turn.output_port)
    return Turn(come, turn.input_vc, go, turn.output_vc)


class ServedRoute(RouteComputation):
    """Decides as other gates do by the upper bits of the address; the lower ones name the node."""

    gates: ClassVar[type[RouteComputation]]
    """Gates of the network without the added ports."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        routing = DerivedRouting.of(self.network.routing)
        bits = routing.topology.port_bits
        of_base = [base_turn(routing, turn) for turn in self.turns]
        turns = tuple(sorted(set(of_base)))
        m.submodules.route = route = self.gates(
            base_network(self.network), turns, rule_class=self._rule_class, router=self.router
        )
        m.d.comb += [
            route.address.eq(self.address[bits:]),
            route.destination.eq(self.destination[bits:]),
        ]
        port = self.destination[:bits]
        for number, (turn, base) in enumerate(zip(self.turns, of_base, strict=True)):
            chosen = route.select[turns.index(base)]
            if routing.topology.is_local(turn.output_port) and not routing.has_port_by_channel:
                chosen &= port == turn.output_port
            m.d.comb += self.select[number].eq(chosen)
        return m


@cache
def served_route(gates: type[RouteComputation]) -> type[ServedRoute]:
    """Gates where routers have more local ports, from those without."""
    return type(f"Served{gates.__name__}", (ServedRoute,), {"gates": gates})


class ServedBranch(BranchComputation):
    """Branches as other gates do by the upper bits of addresses; and to all nodes of the router.

    A turn to a node is taken by every copy: the source's own port is not among those of its input.
    """

    gates: ClassVar[type[BranchComputation]]
    """Gates of the network without the added ports."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        routing = DerivedRouting.of(self.network.routing)
        topology, bits = routing.topology, routing.topology.port_bits
        to_links = {
            turn: base_turn(routing, turn)
            for turn in self.turns
            if not topology.is_local(turn.output_port)
        }
        for number, turn in enumerate(self.turns):
            if turn not in to_links:
                m.d.comb += self.select[number].eq(1)
        if not to_links:
            return m
        turns = tuple(to_links.values())
        m.submodules.branch = branch = self.gates(
            base_network(self.network), turns, router=self.router
        )
        m.d.comb += [
            branch.address.eq(self.address[bits:]),
            branch.source.eq(self.source[bits:]),
            branch.label.eq(self.label),
        ]
        for place, turn in enumerate(to_links):
            number = self.turns.index(turn)
            m.d.comb += [
                self.select[number].eq(branch.select[place]),
                self.labels[number].eq(branch.labels[place]),
            ]
        return m


@cache
def served_branch(gates: type[BranchComputation]) -> type[ServedBranch]:
    """Gates of broadcasts where routers have more local ports, from those without."""
    return type(f"Served{gates.__name__}", (ServedBranch,), {"gates": gates})


def route_computation(network: Network, *, escape: bool = False) -> type[RouteComputation]:
    """Gates of the network's routing, or of its escape.

    Those of the network's file here, those that a user's routing names, or a table.

    Raises
    ------
    ConfigurationError
        The routing names gates that are no `RouteComputation`.
    """
    routing = network.routing
    if _has_gates(network):
        module = gates_of(network)
        table = module.ESCAPE_COMPUTATIONS if escape else module.ROUTE_COMPUTATIONS
        return table[routing.name]
    if isinstance(routing, DerivedRouting):
        gates = route_computation(base_network(network), escape=escape)
        return TableRoute if issubclass(gates, TableRoute) else served_route(gates)
    if isinstance(routing, Adaptive):
        return _adaptive_computation(network, escape=escape)
    if isinstance(routing, Valiant):
        gates = route_computation(own_network(network))
        return TableRoute if issubclass(gates, TableRoute) else valiant_route(gates)
    own = routing.gates
    if own is None:
        return TableRoute
    if not isinstance(own, type) or not issubclass(own, RouteComputation):
        raise ConfigurationError(
            f"{network.topology.name}: gates of routing={routing.name} must be a class of "
            f"RouteComputation, not {own!r}"
        )
    return own


def _adaptive_computation(network: Network, *, escape: bool) -> type[RouteComputation]:
    """Gates of an adaptive routing: of the ways that get nearer, or of those who have escaped."""
    if escape:
        gates = route_computation(own_network(network))
        return TableRoute if issubclass(gates, TableRoute) else escaped_route(gates)
    name, kind = network.topology.name, type(network.topology)
    if name not in TOPOLOGIES.shipped or TOPOLOGIES[name] is not kind:
        return TableRoute
    return getattr(gates_of(network), "NEARER_COMPUTATION", TableRoute)


def _has_gates(network: Network) -> bool:
    """Whether network and routing are of the registry, and so have gates in `networks`."""
    name, routing = network.topology.name, network.routing
    known = routings_of(name) if name in TOPOLOGIES.shipped else {}
    return known.get(routing.name) is type(routing) and routing.is_trusted


def branch_computation(network: Network) -> type[BranchComputation]:
    """Gates of the network's broadcast.

    Raises
    ------
    ConfigurationError
        The network is a user's: broadcasts in the routers need gates in `networks`.
    """
    rule = network.routing.options.broadcast_rule
    if isinstance(network.routing, DerivedRouting):
        return served_branch(branch_computation(base_network(network)))
    if not _has_gates(network):
        raise ConfigurationError(
            f"{network.topology.name}: broadcast must be no with a routing of your own, because "
            f"it has no gates, not {rule}"
        )
    return gates_of(network).BRANCH_COMPUTATIONS[rule]
