"""Input channels of packet routers, with their network's gates."""

from ...network import Network, RouterKind
from ...routing import Turn
from ...topology import LOCAL
from ..parts.network_routes import branch_computation, route_computation
from ..parts.route import input_turns
from .branching_channel import BranchingChannel
from .channel import Channel
from .guarded_channel import GuardedChannel
from .input_channel import InputChannel


def make_input_channel(network: Network, kind: RouterKind, port: int, vc: int) -> Channel:
    """Input channel of a router, with the route computations for its turns and escapes."""
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
    if network.has_parity:
        return GuardedChannel(network, turns, route, escape)
    copies = any((turn.input_port, turn.input_vc) == (port, vc) for turn in kind.broadcast_turns)
    known = network.known_header(kind, port)
    return InputChannel(network, turns, route, escape, ejects_broadcasts=copies, known=known)
