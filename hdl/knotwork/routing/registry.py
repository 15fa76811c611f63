"""Which routings a network has of its own, the default first."""

from importlib import import_module

from ..topology import TOPOLOGIES, Topology
from ..topology.altered import Classed
from .altered import classed_routing, is_alterable, several_nodes_routing
from .base import Routing
from .generated import GENERAL as GENERATED
from .generated import UpDown

_ADDED: dict[str, list[type[Routing]]] = {}


def add_routing(network: str, routing: type[Routing]) -> None:
    """Give a network one more routing; its name must be free there."""
    if routing not in _ADDED.setdefault(network, []):
        _ADDED[network].append(routing)


def routings_of(network: str | type[Topology]) -> dict[str, type[Routing]]:
    """Routings of a network by name, the default first.

    Parameters
    ----------
    network : str or type of Topology
        Name in the registry, which gives none for others; or the class of a network, whose own
        `Topology.routings` count where it is not in the registry, and without any those that are
        generated for every graph.
    """
    if isinstance(network, str):
        if network not in TOPOLOGIES:
            return {}
        if network in TOPOLOGIES.shipped:
            module = import_module(f"{__package__}.{network}")
            known = [*module.ROUTINGS, *_ADDED.get(network, ())]
            return {routing.name: routing for routing in known}
        kind = TOPOLOGIES[network]
    else:
        kind = network
        if kind.name in TOPOLOGIES.shipped and TOPOLOGIES[kind.name] is kind:
            return routings_of(kind.name)
    if kind.unaltered_class is not None:
        unaltered = routings_of(kind.unaltered_class)
        make = classed_routing if issubclass(kind, Classed) else several_nodes_routing
        return {name: make(each) for name, each in unaltered.items() if is_alterable(each)}
    known = kind.routings or (GENERATED if kind.is_direct else ())
    return {routing.name: routing for routing in known}


def one_path_routing(topology: Topology) -> Routing:
    """Routing of one path for each pair of nodes: the network's default one, or `updown`."""
    own = next(iter(routings_of(type(topology)).values()), UpDown)
    fits = own.router_class == Routing.router_class and own.unbuildable is None
    routing = (own if fits else UpDown)(topology)
    return routing if routing.has_one_path else UpDown(topology)
