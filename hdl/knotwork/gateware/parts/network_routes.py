"""Which gates compute a network's routes: its own, or a table."""

from ...errors import ConfigurationError
from ...network import Network
from ...routing import routings_of
from ...routing.altered import DerivedRouting
from ...topology import TOPOLOGIES
from ..networks import gates_of
from .route import BranchComputation, RouteComputation
from .served_route import base_network, served_branch, served_route
from .table_route import TableRoute


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
    own = routing.gates
    if own is None:
        return TableRoute
    if not isinstance(own, type) or not issubclass(own, RouteComputation):
        raise ConfigurationError(
            f"{network.topology.name}: gates of routing={routing.name} must be a class of "
            f"RouteComputation, not {own!r}"
        )
    return own


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
