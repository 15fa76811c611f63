"""Which gates compute a network's routes: its own, or a table."""

from ...network import Network
from ...routing import routings_of
from ...topology import TOPOLOGIES
from ..networks import gates_of
from .route import BranchComputation, RouteComputation, TableRoute


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
    rule = network.routing.options.broadcast_rule
    return gates_of(network).BRANCH_COMPUTATIONS[rule]
