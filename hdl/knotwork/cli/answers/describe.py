"""Answer of `describe`: facts of a network, measures, facts printed in papers, latency bounds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np

from ...network import Network
from ...parameters import YES_NO
from ...routing import Routing, routings_of
from ...routing.altered import ClassedRouting
from ...routing.batch import BatchRouting
from ...routing.generated import GeneratedRouting
from ...routing.generated.quality import (
    BOUND_LIMIT,
    RoutingQuality,
    node_distances,
    routing_quality,
    uniform_bound,
)
from ...routing.walks.all_pairs import WalkLengths, summary
from ...routing.walks.broadcasts import broadcast_tree
from ...routing.walks.latency_bound import LatencyBound, latency_bound
from ...topology import Topology, metrics
from ...topology.base import PublishedFact
from ...topology.metrics import Bounds
from .. import output


@dataclass(frozen=True)
class PrintedFact:
    """Fact as a paper prints it; the members have the names that the answers promise.

    Members
    -------
    fact, formula, source : str
        Name of the fact, the formula in the paper's letters, and where it is printed.
    relation : str
        ``"is"``, or ``"at least"`` or ``"at most"`` for a bound.
    printed, measured : int, float or None
        What the formula gives, and what the network has; None where that is not known.
    why : str or None
        Why they differ, where they do.
    """

    fact: str
    formula: str
    source: str
    relation: str
    printed: float
    measured: float | None
    why: str | None

    @property
    def row(self) -> str:
        """Name of its row in a table."""
        bound = "" if self.relation == "is" else f" {self.relation}"
        return f"{self.fact}{bound} as printed"

    @property
    def cell(self) -> str:
        """Fact as a table shows it, without the reason of a difference."""
        value = output.text(self.printed)
        shown = value if self.formula == value else f"{self.formula} = {value}"
        if self.measured is None:
            return f"{shown}, not measured"
        return shown if self.why is None else f"{shown}, not {output.text(self.measured)}"


def printed_facts(
    network: Network, found: Mapping[str, Any], groups: Mapping[int, Bounds | None]
) -> list[PrintedFact]:
    """What papers print of a network of these facts, with groups of these sizes and distances."""
    known, facts = Measured(network, found, groups), []
    for row in network.topology.published_facts(list(groups)):
        measured = known.measure(row)
        why = None if measured is None or row.holds(measured) else row.why
        facts.append(
            PrintedFact(row.name, row.formula, row.source, row.relation, row.value, measured, why)
        )
    return facts


PAIR_LIMIT = 1 << 16
"""Pairs of nodes up to which the broadcasts of all of them are followed."""
PATH_LIMIT = 1 << 14
"""Pairs of nodes up to which their paths are followed: in Python, for Numba is slow to load."""


@dataclass(frozen=True)
class Measured:
    """A network and what is known of it.

    Members
    -------
    network : Network
    found : mapping
        Its facts, by the names of `describe`.
    groups : mapping
        Distances of groups, by their sizes.
    """

    network: Network
    found: Mapping[str, Any]
    groups: Mapping[int, Bounds | None]

    def measure(self, printed: PublishedFact) -> float | None:
        """Measure of a fact that a paper prints; None where it is not known."""
        fact, which = printed.fact, printed.of
        if which is not None:
            return MEASURES_OF[fact](self, which) if fact in MEASURES_OF else None
        return MEASURES[fact](self) if fact in MEASURES else self.found.get(fact)

    def group(self, size: int) -> int | None:
        """Exact distance of a group; None where only bounds are known."""
        known = self.groups[size]
        return known and known.exact

    @cached_property
    def broadcast_steps(self) -> tuple[int, int] | None:
        """Fewest and most steps of the first rule of broadcasts, from any node that may begin."""
        topology, routing = self.network.topology, self.network.routing
        rule = next(iter(routing.broadcasts.values()), None)
        sources = topology.representatives
        if rule is None or rule.sources is not None or len(sources) * topology.nodes > PAIR_LIMIT:
            return None
        trees = (
            broadcast_tree(topology, rule.rule, routing.parameters, source).arrival
            for source in sources.tolist()
        )
        steps = [int(arrival.max()) for arrival in trees]
        return min(steps), max(steps)

    def path_lengths(self, routing: str) -> list[int] | None:
        """Hops of the paths between all distinct nodes by a routing."""
        topology = self.network.topology
        if topology.nodes**2 > PATH_LIMIT:
            return None
        hops = Network(topology, routing=routing).routing.hops
        pairs = permutations(range(topology.nodes), 2)
        return [len(hops(*pair)) - 1 for pair in pairs if topology.may_send(*pair)]

    def longest_path(self, routing: str) -> int | None:
        """Hops of the longest path by a routing."""
        lengths = self.path_lengths(routing)
        return None if lengths is None else max(lengths)

    def mean_path(self, routing: str) -> float | None:
        """Mean hops by a routing, over pairs of distinct nodes."""
        lengths = self.path_lengths(routing)
        return None if lengths is None else sum(lengths) / len(lengths)

    def batch_steps(self, routing: str) -> int | None:
        """Steps in which a routing moves a batch."""
        made = Network(self.network.topology, routing=routing).routing
        return made.steps if isinstance(made, BatchRouting) else None


def _common(measured: Measured) -> int | None:
    degree = measured.found["degree"]
    return degree.min if degree.min == degree.max else None


MEASURES: Mapping[str, Callable[[Measured], float | None]] = {
    "degree": _common,
    "least degree": lambda measured: measured.found["degree"].min,
    "largest degree": lambda measured: measured.found["degree"].max,
    "least broadcast steps": lambda measured: (
        measured.broadcast_steps and measured.broadcast_steps[0]
    ),
    "most broadcast steps": lambda measured: (
        measured.broadcast_steps and measured.broadcast_steps[1]
    ),
}
"""Measures that are no facts of `describe`, or not under its names."""

MEASURES_OF: Mapping[str, Callable[[Measured, Any], float | None]] = {
    "group of": Measured.group,
    "switches of level": lambda measured, level: measured.found["level_sizes"][level],
    "common ancestors of level": lambda measured, level: measured.found["paths"][level],
    "steps of": Measured.batch_steps,
    "longest path of": Measured.longest_path,
    "mean path of": Measured.mean_path,
}
"""Measures of one of several things: of a size, a level, a routing (`PublishedFact.of`)."""


def priorities(network: Network) -> dict[str, object]:
    """Bound of the highest class's latency, where there are classes of traffic."""
    routing = network.routing
    if not isinstance(routing, ClassedRouting):
        return {}
    limit = network.injection_limits[-1]
    if network.class_weights:
        found = LatencyBound(reason="the bound is that of arbitration=strict")
    else:
        found = latency_bound(
            routing.base,
            limit,
            depth=network.hardware.input_buffer,
            cycles_per_hop=network.cycles_per_hop,
        )
    packet = None if limit is None else limit.burst
    return {
        "latency_bound": {
            "class": network.traffic_classes - 1,
            "packet": packet,
            **found._asdict(),
        }
    }


def bound_cell(found: Any) -> str:
    """Bound of a class's latency as a table shows it."""
    if found["cycles"] is None:
        return f"none for class {found['class']}: {found['reason']}"
    flits = f"{found['packet']} flit{'s' if found['packet'] > 1 else ''}"
    which = f"packets of class {found['class']}, of up to {flits}"
    return f"{found['cycles']} cycles in the network for {which}"


@dataclass(frozen=True)
class Degree:
    """Least and greatest number of links of a router."""

    min: int
    max: int


@dataclass(frozen=True, kw_only=True)
class Description:
    """Facts of a network.

    Members
    -------
    network : str
        Name of its topology.
    parameters : mapping
        All keys with their values, resolved.
    router : str
        Router class.
    parity : str
        ``"yes"`` where flits have parity bits, else ``"no"``.
    nodes, routers, links, simple_links : int
        `simple_links` counts a pair of neighbours once, `links` each of its links.
    degree : Degree
        Links per router.
    diameter : int or None
        None where no formula gives it and a search is too long; so is the average distance.
    average_distance : float or None
        Over ordered pairs of distinct nodes, in hops between routers.
    bisection : Bounds or None
        Fewest links between two halves; None where routers are not nodes.
    routings : list of str
        The default first.
    default_routing : str or None
        None for a network of your own without one, whose routers have no nodes.
    elsewhere : str or None
        What its name means in other books and tools, if that differs.
    more : mapping
        Facts of this kind of topology only, by name.
    printed : list of PrintedFact
        What papers print of such a network.
    """

    network: str
    parameters: Mapping[str, object]
    router: str
    parity: str
    nodes: int
    routers: int
    links: int
    simple_links: int
    degree: Degree
    diameter: int | None
    average_distance: float | None
    bisection: Bounds | None
    routings: list[str]
    default_routing: str | None
    elsewhere: str | None
    more: Mapping[str, Any]
    printed: list[PrintedFact] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """Facts by the names that `describe` promises."""
        facts = dict(vars(self))
        more = facts.pop("more")
        return facts | measure("bisection", self.bisection) | more

    def cells(self) -> dict[str, object]:
        """Facts as a table shows them, with those that papers print."""
        reasons = self.printed_reasons()
        printed = {
            row: f"{cell}: {reasons[row]}" if row in reasons else cell
            for row, cell in self.printed_cells().items()
        }
        return self.fact_cells() | printed

    def printed_cells(self) -> dict[str, str]:
        """What papers print, a row each."""
        return {row: each.cell for row, each in self._printed_rows().items()}

    def printed_reasons(self) -> dict[str, str]:
        """Why what papers print is not what is measured, by the row."""
        return {row: each.why for row, each in self._printed_rows().items() if each.why}

    def _printed_rows(self) -> dict[str, PrintedFact]:
        rows: dict[str, PrintedFact] = {}
        for each in self.printed:
            rows[f"{each.row} ({each.source})" if each.row in rows else each.row] = each
        return rows

    def fact_cells(self) -> dict[str, object]:
        """Facts as a table shows them: one row per parameter, and the reason why one is null."""
        facts = self.as_json()
        for key in ("parameters", "bisection_bounds", "bisection_by", "printed"):
            del facts[key]
        cells = {"network": self.network, **self.parameters, **facts}
        low, high = self.degree.min, self.degree.max
        cells["degree"] = low if low == high else {"min": low, "max": high}
        for fact in ("diameter", "average_distance"):
            if cells[fact] is None:
                cells[fact] = (
                    f"unknown: no formula, and all pairs are searched up to "
                    f"{metrics.SEARCH_LIMIT} routers only"
                )
            elif self.bisection is None:
                cells[fact] = f"{output.text(cells[fact])} between the nodes' routers"
        if self.elsewhere is None:
            del cells["elsewhere"]
        if "channel_share" in cells:
            cells["channel_share"] = (
                f"one virtual channel fills {output.text(cells['channel_share'])} of a link: "
                f"buffer_depth is less than a round of credits"
            )
        if "latency_bound" in cells:
            cells["latency_bound"] = bound_cell(self.more["latency_bound"])
        if "collective_groups" in cells:
            cells["collective_groups"] = "\n".join(
                f"{one['name']}: {one['members']} members, depth {one['depth']}, barrier in "
                f"{one['barrier_cycles']} cycles, all_reduce of L beats in L + "
                f"{one['all_reduce_latency']}"
                for one in self.more["collective_groups"]
            )
        cells["bisection"] = measure_cell(self.bisection) or "unknown: routers are not nodes"
        return cells


def measure(name: str, found: Bounds | None) -> dict[str, object]:
    """Measure by name, its bounds, and how they were found."""
    return {
        name: found and found.exact,
        f"{name}_bounds": found and [found.low, found.high],
        f"{name}_by": found and found.by,
    }


def measure_cell(found: Bounds | None) -> str | None:
    """Measure as a table shows it; None where nothing is known."""
    if found is None:
        return None
    if found.low == found.high:
        return f"{found.low} ({found.by})"
    return f"unknown: {found.low}..{found.high}"


def describe_network(
    network: Network, groups: Mapping[int, Bounds | None] | None = None
) -> Description:
    """Facts of a network; what papers print of it, also of groups of these sizes and distances."""
    topology = network.topology
    links, simple_links = metrics.link_counts(topology.neighbours, one_way=topology.is_one_way)
    routings = list(routings_of(type(topology)))
    found = Description(
        network=topology.name,
        parameters=network.parameters,
        router=network.router_class,
        parity=YES_NO.display(network.has_parity),
        nodes=topology.nodes,
        routers=topology.routers,
        links=links,
        simple_links=simple_links,
        degree=Degree(*metrics.degrees(topology.neighbours)),
        diameter=topology.diameter,
        average_distance=topology.average_distance,
        bisection=topology.bisected,
        routings=routings,
        default_routing=next(iter(routings), None),
        elsewhere=topology.elsewhere,
        more={
            **topology.extra_facts(),
            **_latencies(topology),
            **_shares(network),
            **priorities(network),
            **_collectives(network),
        },
    )
    return replace(found, printed=printed_facts(network, found.as_json(), groups or {}))


def _collectives(network: Network) -> dict[str, object]:
    """Trees of groups that have collectives, and the cycles that these take."""
    groups = [
        {
            "name": group.name,
            "members": len(group.tree.members),
            "depth": group.tree.depth,
            "barrier_cycles": group.tree.answer_cycles(0, group.form),
            "all_reduce_latency": group.tree.answer_cycles(0, group.form),
        }
        for group in network.collective_groups
    ]
    return {"collective_groups": groups} if groups else {}


def _latencies(topology: Topology) -> dict[str, object]:
    """Links by the cycles that they take, where some take more than one."""
    latency = topology.link_latency
    if latency is None:
        return {}
    ways = latency[topology.neighbours >= 0]
    cycles, counts = np.unique(ways, return_counts=True)
    links = counts if topology.is_one_way else counts // 2
    return {"links_by_latency": dict(zip(map(str, cycles), links.tolist(), strict=True))}


def _shares(network: Network) -> dict[str, object]:
    """Part of a link that one virtual channel fills, where it is not all."""
    share = network.channel_share
    return {} if share == 1 else {"channel_share": share}


@dataclass(frozen=True)
class Walks:
    """What is known of a routing's walks of all pairs.

    Members
    -------
    lengths : WalkLengths
        Their hops.
    quality : RoutingQuality
        Detours, the fullest link, and channels.
    """

    lengths: WalkLengths
    quality: RoutingQuality


def describe_walks(network: Network) -> dict[str, Walks | None]:
    """Walks of all pairs by routing; None where there are too many, or none.

    The network's own routing has the keys that were given, the others their defaults.
    """
    topology, nodes = network.topology, network.topology.nodes
    classes = _routing_classes(network)
    walks: dict[str, Walks | None] = dict.fromkeys(classes)
    within = [
        name
        for name, routing_class in classes.items()
        if routing_class.settled is None and nodes <= routing_class.walk_limit
        if name == network.routing.name or not _is_slow_to_compute(routing_class, topology)
    ]
    if not within:
        return walks
    distances, bound = node_distances(topology), uniform_bound(topology)
    for name in within:
        own = name == network.routing.name
        routing = network.routing if own else Network(topology, routing=name).routing
        lengths = summary(routing.walk_lengths(), distances)
        walks[name] = Walks(lengths, routing_quality(routing, distances, bound))
    return walks


def _is_slow_to_compute(routing: type[Routing], topology: Topology) -> bool:
    """Whether the making of a routing takes long, so that a user must request it."""
    return issubclass(routing, GeneratedRouting) and topology.routers > BOUND_LIMIT


def _routing_classes(network: Network) -> dict[str, type[Routing]]:
    return routings_of(type(network.topology)) | {network.routing.name: type(network.routing)}


def walks_as_json(walks: Mapping[str, Walks | None]) -> dict[str, object]:
    """Walks by the names that `describe` promises: their lengths, and the routings' quality."""
    quality = {
        name: found and vars(found.quality) | {"channels_are_least": found.quality.is_least}
        for name, found in walks.items()
    }
    return {
        "walks": {name: found and found.lengths for name, found in walks.items()},
        "quality": quality,
    }


def walk_cells(network: Network, walks: Mapping[str, Walks | None]) -> dict[str, str]:
    """Walks as a table shows them: three rows per routing, or the reason why it has none."""
    cells = {}
    for name, routing_class in _routing_classes(network).items():
        if routing_class.settled is not None:
            cells[f"walks of {name}"] = f"none: {routing_class.unwalked}"
        elif (found := walks[name]) is None:
            why = f"all pairs are walked up to {routing_class.walk_limit} nodes only"
            if _is_slow_to_compute(routing_class, network.topology):
                why = f"beyond {BOUND_LIMIT} routers computed only if chosen"
            cells[f"walks of {name}"] = f"unknown: {why}"
        else:
            lengths, quality = found.lengths, found.quality
            cells[f"walks of {name}"] = (
                f"mean {output.text(lengths.mean)}, longest {lengths.max}; "
                f"{lengths.nonminimal} pairs longer than their distance, by up to a factor of "
                f"{output.text(quality.max_stretch)}, mean {output.text(quality.mean_stretch)}"
            )
            if quality.fullest_link is not None:
                cells[f"links of {name}"] = _link_cell(quality, quality.fullest_link)
                cells[f"channels of {name}"] = _channel_cell(quality)
    return cells


def _link_cell(quality: RoutingQuality, load: float) -> str:
    """Fullest link beside its bound."""
    fullest = f"fullest {output.text(load)} flits/cycle at one per node"
    bound = quality.fullest_link_bound
    if bound is None:
        return f"{fullest}; at least: unknown beyond {BOUND_LIMIT} routers"
    over = f", {100 * abs(load / bound - 1):.1f} % above" if bound else ""
    return f"{fullest}; at least {output.text(bound)} ({quality.bound_by}){over}"


def _channel_cell(quality: RoutingQuality) -> str:
    """Channels, whether fewer would do, and the table's entries."""
    least = quality.least_channels
    if least is None:
        verdict = "packets may take several paths"
    elif quality.is_least:
        verdict = "proven least for these paths"
    elif quality.is_least is None:
        verdict = f"at least {least[0]} for these paths"
    else:
        verdict = f"{least[1]} would do for these paths"
    table = "" if quality.table_entries is None else f"; table of {quality.table_entries} entries"
    return f"{quality.channels}: {verdict}{table}"
