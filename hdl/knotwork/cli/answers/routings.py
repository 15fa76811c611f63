"""All routings of a network side by side, under one pattern of traffic: `describe --routing`."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...costs import estimated_cost
from ...errors import ConfigurationError
from ...network import Network
from ...parameters.patterns import Pattern
from ...routing import Routing, all_routings_of
from ...routing.buildable import require_buildable
from ...routing.channel_loads import all_loads
from ...routing.generated.quality import node_distances
from ...routing.patterns import pattern_rates
from ...routing.walks.all_pairs import WalkLengths, summary
from ...routing.worst_case import worst_case
from .. import output


@dataclass(kw_only=True)
class RoutingFacts:
    """Facts of one routing; the members have the names that the answers promise.

    Members
    -------
    routing : str
        Its name.
    virtual_channels : int or None
        Virtual channels that it needs; this and all below are None where `reasons` says why.
    hops : WalkLengths or None
        Hops between all pairs of distinct nodes, of packets that are never blocked.
    load, throughput : float or None
        Flits per cycle on the fullest link if every node sends one by the pattern, and the flits
        per node per cycle that all channels can carry, injection and ejection included.
    worst_load, worst_throughput : float or None
        The same under the permutation that is worst for this routing.
    worst_permutation : list of int or None
        That permutation.
    in_order : bool or None
        Whether packets of a source and a destination arrive in the order of their sending.
    deadlock_free : bool or None
        Outcome of the deadlock check.
    luteq : int or None
        Estimated area of its largest router, see `costs`.
    reasons : dict
        Why members are None, by their names.
    """

    routing: str
    virtual_channels: int | None = None
    hops: WalkLengths | None = None
    load: float | None = None
    throughput: float | None = None
    worst_load: float | None = None
    worst_throughput: float | None = None
    worst_permutation: list[int] | None = None
    in_order: bool | None = None
    deadlock_free: bool | None = None
    luteq: int | None = None
    reasons: dict[str, str] = field(default_factory=dict)

    def lack(self, reason: str, *members: str) -> None:
        """Say why these members are None."""
        self.reasons |= dict.fromkeys(members, reason)


LOADS = ("load", "throughput", "worst_load", "worst_throughput", "worst_permutation")
MEMBERS = tuple(
    one.name for one in dataclasses.fields(RoutingFacts) if one.name not in {"routing", "reasons"}
)


@dataclass(frozen=True)
class RoutingComparison:
    """Routings of a network under a pattern.

    Members
    -------
    network : str
        Name of the network.
    pattern : Pattern
        Traffic.
    routings : list of RoutingFacts or None
        The default first; None where the network is too large.
    """

    network: str
    pattern: Pattern
    routings: list[RoutingFacts] | None

    def as_json(self) -> dict[str, object]:
        """Fields that ``describe --routing --json`` promises."""
        known = None if self.routings is None else [vars(facts) for facts in self.routings]
        return {"comparison": {**self.pattern.as_dict(), "routings": known}}

    def print_table(self) -> None:
        """Print a row per routing, and below the table why a cell has no value."""
        if self.routings is None:
            output.paragraph(
                f"Routings are compared in networks of up to {Routing.comparison_limit} nodes and "
                f"routers."
            )
            return
        title = f"Routings of {self.network} under {_named(self.pattern)}"
        heads = [column.replace(" ", "\n") for column in COLUMNS]  # a terminal has 80 columns
        output.table(title, heads, [_row(facts) for facts in self.routings])
        for line in self._reasons():
            output.paragraph(line)

    def _reasons(self) -> Iterator[str]:
        for facts in self.routings or []:
            for reason in dict.fromkeys(facts.reasons.values()):
                lacking = {name for name, why in facts.reasons.items() if why == reason}
                columns = [column for column, (name, _) in COLUMNS.items() if name in lacking]
                which = "nothing" if len(lacking) == len(MEMBERS) else f"no {', '.join(columns)}"
                yield f"{facts.routing}: {which}: {reason}."


def _named(pattern: Pattern) -> str:
    name = pattern.traffic if pattern.permutation is None else f"permutation {pattern.permutation}"
    return f"{name} traffic" if len(name) < 40 else "the permutation"


def _number(digits: int) -> Callable[[Any], str]:
    return lambda value: output.text(round(value, digits))


COLUMNS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "routing": ("routing", str),
    "VCs": ("virtual_channels", str),
    "mean hops": ("hops", lambda hops: output.text(round(hops.mean, 3))),
    "most hops": ("hops", lambda hops: str(hops.max)),
    "load": ("load", _number(3)),
    "rate": ("throughput", _number(3)),
    "worst load": ("worst_load", _number(3)),
    "worst rate": ("worst_throughput", _number(3)),
    "in order": ("in_order", output.text),
    "deadlock free": ("deadlock_free", output.text),
    "LUTeq": ("luteq", str),
}
"""Columns of the table: the member that each shows, and how."""


def _row(facts: RoutingFacts) -> list[str]:
    values = [(getattr(facts, name), show) for name, show in COLUMNS.values()]
    return [output.text(None) if value is None else show(value) for value, show in values]


def compare_routings(network: Network, pattern: Pattern) -> RoutingComparison:
    """Facts of all routings of a network that need no file, its own included.

    Its own has the keys that the user gave. The others have the same hardware where that is
    possible, and otherwise their defaults.

    Raises
    ------
    ConfigurationError
        The pattern is not defined for the network.
    """
    topology = network.topology
    size = max(topology.nodes, topology.routers)
    if size > Routing.comparison_limit:
        return RoutingComparison(network.name, pattern, None)
    rates = pattern_rates(pattern, topology)
    own = network.routing.name
    kinds = all_routings_of(type(topology)) | {own: type(network.routing)}
    found = []
    for name, kind in kinds.items():
        if name != own and _needs_keys(kind):
            continue
        facts = RoutingFacts(routing=name)
        try:
            if name == own:
                measure(facts, network, rates)
            elif size > kind.comparison_limit:
                only = f"computed beyond {kind.comparison_limit} nodes and routers only if chosen"
                facts.lack(only, *MEMBERS)
            else:
                measure(facts, network.with_routing(name), rates)
        except ConfigurationError as error:
            facts.lack(str(error), *(each for each in MEMBERS if getattr(facts, each) is None))
        found.append(facts)
    return RoutingComparison(network.name, pattern, found)


def _needs_keys(kind: type[Routing]) -> bool:
    """Whether a routing has a key without a default."""
    fields = kind.options_class.keys().values()
    return any(each.default is dataclasses.MISSING for each in fields)


def measure(facts: RoutingFacts, network: Network, rates: np.ndarray) -> None:
    """Find all facts of a network's routing, and why some are not known.

    Parameters
    ----------
    facts : RoutingFacts
        Filled.
    network : Network
        Network.
    rates : ndarray
        Flits per cycle from the node of a row to that of a column, float64.
    """
    routing = network.routing
    facts.virtual_channels = routing.needed_virtual_channels()
    facts.in_order = routing.in_order
    facts.deadlock_free = network.deadlock_report.deadlock_free
    if routing.settled is not None:
        facts.lack(routing.unwalked, "hops")
    else:
        facts.hops = summary(routing.walk_lengths(), node_distances(network.topology))
    if routing.unknown_loads is not None:
        facts.lack(routing.unknown_loads, *LOADS)
    else:
        loads = all_loads(routing, rates)
        capacity = network.link_capacity
        facts.load = round(float(loads.links.max(initial=0.0)), 9)  # sums of shares are not exact
        facts.throughput = _throughput(loads.fullest(capacity))
        worst = worst_case(routing)
        facts.worst_load = float(worst.load)
        facts.worst_throughput = _throughput(max(1.0, worst.load / capacity))
        facts.worst_permutation = worst.destinations.tolist()
    try:
        require_buildable(routing)
        facts.luteq = round(estimated_cost(network).router.luteq)
    except ConfigurationError as error:
        facts.lack(str(error), "luteq")


def _throughput(load: float) -> float:
    """Flits per node per cycle at which a channel of this load is full, at most 1."""
    return round(min(1.0, 1.0 / load), 9)
