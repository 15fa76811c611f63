"""What `describe` and `compare` tell of a network, and as which cells of a table."""

import dataclasses
from typing import Any

from ..errors import ConfigurationError
from ..network import Network
from ..routing import Routing, routings_of
from ..topology import comparison, metrics
from ..topology.comparison import Bounds
from . import output as answers

GROUPS = "2,4,8,16,32"
"""Sizes of groups that are compared if none are named."""
MOST_IN_A_GROUP = 256
"""Nodes of the largest group."""


def describe_network(network: Network) -> dict[str, Any]:
    """Facts of a network by the names that `describe` promises."""
    topology = network.topology
    links, simple_links = metrics.link_counts(topology.neighbours, one_way=topology.is_one_way)
    least, greatest = metrics.degrees(topology.neighbours)
    routings = list(routings_of(topology.name))
    return {
        "network": topology.name,
        "parameters": network.parameters,
        "nodes": topology.nodes,
        "routers": topology.routers,
        "links": links,
        "simple_links": simple_links,
        "degree": {"min": least, "max": greatest},
        "diameter": topology.diameter,
        "average_distance": topology.average_distance,
        "routings": routings,
        "default_routing": next(iter(routings), None),
        **topology.more_facts(),
    }


def fact_cells(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts as a table shows them: a row a parameter, one degree if regular, why a fact is null."""
    degree = facts["degree"]
    cells = {"network": facts["network"], **facts["parameters"], **facts}
    del cells["parameters"]
    if degree["min"] == degree["max"]:
        cells["degree"] = degree["min"]
    for fact in ("diameter", "average_distance"):
        if facts[fact] is None:
            cells[fact] = (
                f"unknown: no formula, and all pairs are searched up to "
                f"{metrics.SEARCH_LIMIT} routers only"
            )
    if "bisection" in facts and facts["bisection"] is None:
        known = facts.get("bisection_bounds")
        cells["bisection"] = (
            f"unknown: from {known[0]} to {known[1]}"
            if known
            else "unknown: no formula, and halves are too many to search"
        )
    return cells


def describe_walks(network: Network) -> dict[str, dict[str, Any] | None]:
    """Lengths of the walks of all pairs by routing; None where they are too many or none.

    The network's own routing is taken as it is, the others with their default keys.
    """
    from ..routing.walks.lengths import summary

    topology, nodes = network.topology, network.topology.nodes
    classes = _routing_classes(network)
    walks: dict[str, dict[str, Any] | None] = dict.fromkeys(classes)
    within = [
        name
        for name, routing_class in classes.items()
        if routing_class.settled is None and nodes <= routing_class.walk_limit
    ]
    if not within:
        return walks
    distances = metrics.distances(topology.neighbours)[:nodes, :nodes]
    for name in within:
        own = name == network.routing.name
        routing = network.routing if own else Network(topology, routing=name).routing
        walks[name] = dataclasses.asdict(summary(routing.walk_lengths(), distances))
    return walks


def _routing_classes(network: Network) -> dict[str, type[Routing]]:
    return routings_of(network.topology.name) | {network.routing.name: type(network.routing)}


def walk_cells(network: Network, walks: dict[str, dict[str, Any] | None]) -> dict[str, str]:
    """Walks as a table shows them: a row a routing, and why there are none."""
    cells = {}
    for name, routing_class in _routing_classes(network).items():
        if routing_class.settled is not None:
            cell = "none: a packet's way depends on the others"
        elif (found := walks[name]) is None:
            cell = f"unknown: all pairs are walked up to {routing_class.walk_limit} nodes only"
        else:
            cell = (
                f"mean {answers.text(found['mean'])}, longest {found['max']}; "
                f"{found['nonminimal']} pairs longer than their distance"
            )
        cells[f"walks of {name}"] = cell
    return cells


def group_sizes(words: str) -> list[int]:
    """Sizes of groups, in rising order."""
    # Python makes no number of a text of thousands of digits.
    sizes = [int(word) if word.isdecimal() and len(word) < 20 else 0 for word in words.split(",")]
    if not all(2 <= size <= MOST_IN_A_GROUP for size in sizes):
        raise ConfigurationError(
            f"compare: groups must be numbers in 2..{MOST_IN_A_GROUP} with commas between them, "
            f"not {words!r}"
        )
    return sorted(set(sizes))


def compare_network(network: Network, sizes: list[int]) -> dict[str, Any]:
    """Facts of a network by the names that `compare` promises: those of `describe`, and more."""
    topology = network.topology
    facts = describe_network(network)
    bisection = comparison.bisection(topology)
    total, longest = comparison.wire_lengths(topology)
    groups = comparison.group_distances(topology, sizes)
    diameter = facts["diameter"]
    return {
        **facts,
        **_measure("bisection", bisection),
        "links_x_diameter": None if diameter is None else facts["links"] * diameter,
        "wire_length": total,
        "longest_wire": longest,
        "group_distances": [
            {"nodes": size, **_measure("distance", group)}
            for size, group in zip(sizes, groups, strict=True)
        ],
        "ring_codes": comparison.ring_codes(topology),
    }


def _measure(name: str, found: Bounds | None) -> dict[str, Any]:
    """Measure by name, its bounds, and how they were found."""
    return {
        name: found and found.exact,
        f"{name}_bounds": found and [found.low, found.high],
        f"{name}_by": found and found.by,
    }


def comparison_cells(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts as a table shows them: a row a group and a code, bounds where nothing is exact."""
    cells = fact_cells(facts)
    for key in ("bisection_bounds", "bisection_by", "group_distances", "ring_codes"):
        del cells[key]
    cells["bisection"] = _measure_cell(facts, "bisection")
    for group in facts["group_distances"]:
        cells[f"group of {group['nodes']}"] = _measure_cell(group, "distance")
    for name, code in (facts["ring_codes"] or {}).items():
        exact = "differing bits are the distance" if code["isometric"] else "not isometric"
        near = answers.counted(code["one_bit_neighbours"], "word")
        cells[f"{name} code of the rings"] = f"{code['bits']} bits, {exact}, {near} a bit away"
    return cells


def _measure_cell(facts: dict[str, Any], name: str) -> str | None:
    bounds = facts[f"{name}_bounds"]
    if bounds is None:
        return None
    low, high = bounds
    return f"{low} ({facts[f'{name}_by']})" if low == high else f"{low}..{high} (bounds)"
