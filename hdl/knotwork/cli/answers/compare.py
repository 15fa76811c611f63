"""What `compare` reports of a network beyond `describe`: wires, groups, ring codes."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import ConfigurationError
from ...network import Network
from ...routing.scheduling.minimum import minimum_rounds
from ...topology import FatTree, comparison
from ...topology.metrics import Bounds
from ...wording import plural
from ..message_options import MessageRequest
from .describe import Description, describe_network, measure, measure_cell
from .messages import delivery, scheduling_routing


@dataclass(frozen=True)
class Group:
    """Groups of so many nodes: how close the two farthest of a group can be."""

    nodes: int
    distance: Bounds | None

    def as_json(self) -> dict[str, object]:
        """Size and distance by the names that `compare` promises."""
        return {"nodes": self.nodes, **measure("distance", self.distance)}


@dataclass(frozen=True)
class Comparison:
    """Facts of one network among several.

    Members
    -------
    description : Description
        Answer of `describe`.
    wire_length, longest_wire : int
        Sum of the lengths of all links on a grid of nodes, and the longest one.
    groups : list of Group
        In rising order of their sizes.
    ring_codes : dict or None
        Facts of the codes that rings of the network can have, by code.
    delivery : dict or None
        How many steps it takes to deliver what the user named, if anything: ``steps`` of its
        schedule, ``rounds``, and for circuits ``lower_bound`` and ``minimum`` of the rounds.
    """

    description: Description
    wire_length: int
    longest_wire: int
    groups: list[Group]
    ring_codes: Mapping[str, Mapping[str, int]] | None
    delivery: Mapping[str, int | None] | None = None

    @property
    def links_x_diameter(self) -> int | None:
        """Cost of the network: its links times its diameter."""
        links, diameter = self.description.links, self.description.diameter
        return None if diameter is None else links * diameter

    def as_json(self) -> dict[str, object]:
        """Facts by the names that `compare` promises: those of `describe`, and more."""
        facts: dict[str, object] = {
            **self.description.as_json(),
            "links_x_diameter": self.links_x_diameter,
            "wire_length": self.wire_length,
            "longest_wire": self.longest_wire,
            "group_distances": [group.as_json() for group in self.groups],
            "ring_codes": self.ring_codes,
        }
        return facts if self.delivery is None else {**facts, "delivery": self.delivery}

    def cells(self) -> dict[str, object]:
        """Facts as a table shows them: one row per group and code, bounds where not exact."""
        cells = self.description.fact_cells()
        cells |= {
            "links_x_diameter": self.links_x_diameter,
            "wire_length": self.wire_length,
            "longest_wire": self.longest_wire,
        }
        for group in self.groups:
            cells[f"group of {group.nodes}"] = measure_cell(group.distance)
        for name, code in (self.ring_codes or {}).items():
            exact = "differing bits are the distance" if code["isometric"] else "not isometric"
            near = plural(code["one_bit_neighbours"], "word")
            cells[f"{name} code of the rings"] = (
                f"{code['bits']} bits, {exact}, {near} at a distance of one bit"
            )
        cells |= self.description.printed_cells()
        for fact, value in (self.delivery or {}).items():
            cells[f"delivery: {fact}"] = value
        return cells


def fat_tree_of(network: Network) -> Network:
    """Equivalent fat-tree of a least-common-ancestor network, with its hardware.

    Raises
    ------
    ConfigurationError
        Another network, or one whose fat-tree has switches that are too large.
    """
    topology = network.routing.level_tree
    if topology is None:
        raise ConfigurationError(
            "compare: --fat-tree must be used with least-common-ancestor networks, not "
            f"{network.topology.name}"
        )
    if topology.copies > 1:
        raise ConfigurationError(
            "compare: --fat-tree must be used with networks of one copy of their levels, not "
            f"{topology.copies}"
        )
    try:
        return Network(FatTree.equivalent(topology))
    except ConfigurationError as error:
        raise ConfigurationError(
            f"compare: {network.name} must have an equivalent fat-tree: {error}"
        ) from None


def delivered(network: Network, request: MessageRequest) -> dict[str, int | None]:
    """Steps and rounds in which a network delivers what the user named."""
    routing = scheduling_routing(network, "compare")
    wanted = delivery(request, routing, "compare")
    made = wanted.scheduled(routing)
    found: dict[str, int | None] = {"rounds": len(list(made.rounds)), "steps": made.steps}
    if "lower_bound" in made.facts:
        found["lower_bound"] = made.facts["lower_bound"]
    if routing.level_tree is not None:
        found["minimum"] = minimum_rounds(routing.level_tree, *wanted.messages)
    return found


def compare_network(
    network: Network, sizes: list[int], request: MessageRequest | None = None
) -> Comparison:
    """Facts of a network, with groups of these sizes, and the requested delivery."""
    topology = network.topology
    total, longest = comparison.wire_lengths(topology)
    groups = dict(zip(sizes, comparison.group_distances(topology, sizes), strict=True))
    return Comparison(
        describe_network(network, groups),
        total,
        longest,
        [Group(size, group) for size, group in groups.items()],
        comparison.ring_codes(topology),
        None if request is None else delivered(network, request),
    )
