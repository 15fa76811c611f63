"""Broadcast rules that a network has: its own, by which its routers branch, and those by name."""

from .errors import ConfigurationError
from .network import Network
from .routing import Routing, routings_of
from .routing.broadcast import Broadcast, BroadcastOptions
from .topology import TOPOLOGIES
from .wording import not_one_of


def named_broadcast(network: Network, name: str | None, source: int) -> Broadcast:
    """Rule of that name, the network's own if unnamed.

    Raises
    ------
    ConfigurationError
        A network or routing without broadcasts, no such rule, a source that the rule has no tree
        for.
    """
    known, own = network.routing.broadcasts, network.routing.broadcast
    if not known:
        raise ConfigurationError(_no_broadcasts(network))
    if name is None and own is None:
        raise ConfigurationError(
            f"{network.name}: a rule must be named with broadcast=no: --rule "
            f"{'|'.join(known)}, not none"
        )
    chosen = own if name is None else known.get(name)
    if chosen is None:
        raise ConfigurationError(not_one_of(f"{network.name}: a rule", known, name))
    if chosen.sources is not None and source not in chosen.sources:
        raise ConfigurationError(
            f"{network.name}: the source must be one of {', '.join(map(str, chosen.sources))} for "
            f"--rule {chosen.name}, not {source}"
        )
    return chosen


def router_broadcast(network: Network) -> Broadcast:
    """Rule by which the network's routers branch.

    Raises
    ------
    ConfigurationError
        They do not branch.
    """
    own, known = network.routing.broadcast, network.routing.broadcasts
    if own is None and known:
        raise ConfigurationError(
            f"{network.name}: broadcast must be a rule for routers to branch by, not no"
        )
    if own is None:
        raise ConfigurationError(_no_broadcasts(network))
    return own


def _no_broadcasts(network: Network) -> str:
    """Line that refuses a network without broadcasts: its routings that have them, or networks."""
    able = {
        name: [routing for routing, made in routings_of(name).items() if _has_broadcasts(made)]
        for name in TOPOLOGIES
    }
    topology = network.topology
    if routings := able.get(topology.name):
        known = ", ".join(routings)
        return (
            f"{topology.name}: routing must be one of {known} for a broadcast, not "
            f"{network.routing.name}"
        )
    known = ", ".join(name for name, routings in able.items() if routings)
    return f"broadcast: a network must be one of {known}, not {topology.name}"


def _has_broadcasts(routing: type[Routing]) -> bool:
    return issubclass(routing.options_class, BroadcastOptions)
