"""Input channels of packet routers, with their network's gates."""

from typing import Any

from ...network import Network, RouterKind
from ...routing import Turn, routings_of
from ...topology import LOCAL, TOPOLOGIES
from ..layouts import has_parity
from ..networks import gates_of
from ..parts.route import BranchComputation, RouteComputation, TableRoute, input_turns
from .branching_channel import BranchingChannel
from .guarded_channel import GuardedChannel
from .input_channel import InputChannel


def route_computation(network: Network, *, escape: bool = False) -> type[RouteComputation]:
    """Gates of the network's routing, or of its escape: its own if registered, else a table."""
    name, routing = network.topology.name, network.routing
    if name in TOPOLOGIES and routings_of(name).get(routing.name) is type(routing):
        module = gates_of(network)
        table = module.ESCAPE_COMPUTATIONS if escape else module.ROUTE_COMPUTATIONS
        return table[routing.name]
    return TableRoute


def branch_computation(network: Network) -> type[BranchComputation]:
    """Gates of the network's broadcast."""
    broadcast: Any = network.routing.broadcast
    return gates_of(network).BRANCH_COMPUTATIONS[broadcast.name]


def make_input_channel(
    network: Network, kind: RouterKind, port: int, vc: int
) -> InputChannel | BranchingChannel:
    """Input channel of a router, with gates for its turns, and for the escapes among them."""
    routing, router = network.routing, kind.router
    turns = tuple(turn for turn in kind.turns if (turn.input_port, turn.input_vc) == (port, vc))
    alone = input_turns(kind, port, vc)

    def escapes(turn: Turn) -> bool:
        return turn.output_port != LOCAL and turn.output_vc % routing.classes == escape_class

    escape_class = routing.escape_class
    inside = vc % routing.classes == escape_class
    ways_out = () if inside else tuple(turn for turn in alone if escapes(turn))
    ways = tuple(turn for turn in alone if turn not in ways_out)
    route = None
    if ways:
        routes = route_computation(network, escape=inside)
        route = routes(network, ways, escape=inside, router=router)
    branches = kind.branches(port, vc)
    if branches:
        branch = branch_computation(network)(network, branches, router=router)
        return BranchingChannel(network, turns, route, branch)
    escape = None
    if ways_out:
        escape = route_computation(network, escape=True)(network, ways_out, escape=True)
    if has_parity(network):
        return GuardedChannel(network, turns, route, escape)
    copies = any((turn.input_port, turn.input_vc) == (port, vc) for turn in kind.broadcast_turns)
    known = network.known_header(kind, port)
    return InputChannel(network, turns, route, escape, ejects_broadcasts=copies, known=known)
