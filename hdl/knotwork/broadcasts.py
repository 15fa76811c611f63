"""Broadcast rules of a network: the one by which its routers branch, and all by name."""

from .errors import ConfigurationError
from .network import Network
from .routing import routings_of
from .routing.options import Broadcast, BroadcastOptions
from .topology import TOPOLOGIES
from .wording import not_one_of


def named_broadcast(network: Network, name: str | None, source: int) -> Broadcast:
    """Rule of that name; that of the routers if unnamed.

    Raises
    ------
    ConfigurationError
        A network or routing without broadcasts, no such rule, a source that the rule has no tree
        for.
    """
    rules, default = network.routing.broadcasts, network.routing.broadcast
    if not rules:
        raise ConfigurationError(_no_broadcasts(network))
    if name is None and default is None:
        raise ConfigurationError(
            f"{network.name}: a rule must be given with broadcast=no: --rule {'|'.join(rules)}, "
            "not none"
        )
    chosen = default if name is None else rules.get(name)
    if chosen is None:
        raise ConfigurationError(not_one_of(f"{network.name}: a rule", rules, name))
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
    rule, rules = network.routing.broadcast, network.routing.broadcasts
    if rule is None and rules:
        raise ConfigurationError(
            f"{network.name}: broadcast must be one of the broadcast rules, not no"
        )
    if rule is None:
        raise ConfigurationError(_no_broadcasts(network))
    return rule


def _no_broadcasts(network: Network) -> str:
    """Line that refuses a network without broadcasts: its routings that have them, or networks."""
    able = {
        name: [
            routing
            for routing, kind in routings_of(name).items()
            if issubclass(kind.options_class, BroadcastOptions)
        ]
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
