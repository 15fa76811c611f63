"""What is measured of a network, by the names that papers' facts have in `topology`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

from ...network import Network
from ...routing.batch import BatchRouting
from ...routing.walks.broadcasts import broadcast_tree
from ...topology.base import PublishedFact
from ...topology.metrics import Bounds

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
