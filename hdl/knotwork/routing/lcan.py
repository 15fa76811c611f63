"""Routings of the least-common-ancestor networks."""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..errors import ConfigurationError
from ..topology import LeastCommonAncestor
from ..topology.base import Numbers
from ..topology.levels import crossings
from ..wording import plural
from .base import Routing
from .circuits import (
    cycle_clocks,
)
from .rules import Hop, Rule, Turn
from .scheduling.rounds import Round, check_rounds, load_factor, lower_bound, schedule
from .scheduling.schedule import Frame, PacketMove, Schedule, SchedulingRouting


def unfolded_stages(levels: int, lca_level: int) -> dict[str, int]:
    """Stages that a path uses of the unfolded network, and those that it skips.

    Unfolded at the top level, the network is a multistage network of ``2 levels - 1`` stages, in
    which a switch below the top stands twice. A path that turns below the top goes from the first
    of these to the second over a virtual link.

    References
    ----------
    "Least Common Ancestor Networks", section 3.1, which counts levels from the top.
    """
    stages = 2 * levels - 1
    used = min(2 * lca_level + 2, stages)
    return {"stages": stages, "used": used, "skipped": stages - used}


class UpDown(Routing):
    """Up over the uppers that the switches choose, to a least common ancestor, and down.

    Packets travel in network cycles. In each, a PE offers one packet. Its header claims a circuit
    link by link, and the packet follows if the header got all of them.

    References
    ----------
    "Least Common Ancestor Networks"; how headers are served is decided here (`circuits`).
    """

    name: ClassVar[str] = "updown"
    router_class: ClassVar[str] = "circuit"
    is_adaptable: ClassVar[bool] = False
    distinct_groups: ClassVar[bool] = True
    settled: ClassVar[str | None] = (
        "a packet gets its circuit whole or not at all, in a bounded number of clocks, and what "
        "its header has claimed is released at the end of the network cycle: nothing waits while "
        "it holds a link"
    )
    topology: LeastCommonAncestor

    @property
    def rule(self) -> Rule:
        """There is none: raises `ConfigurationError`."""
        raise ConfigurationError(
            f"{self.topology.name}: routing={self.name} must be given two nodes (knotwork route "
            f"NET... SRC DST): its routers are no nodes, and the path depends on other packets"
        )

    @property
    def level_tree(self) -> LeastCommonAncestor | None:
        """The topology itself."""
        return self.topology

    def network_cycle(self, longest_packet: int) -> int:
        """Headers up and down, acknowledges, flits, release."""
        return cycle_clocks(self.topology, longest_packet)

    def class_turns(self, router: int) -> set[Turn]:
        """None: a switch connects its ports for a complete network cycle."""
        del router
        return set()

    @cached_property
    def router_groups(self) -> np.ndarray:
        """Levels."""
        return self.topology.level_of(np.arange(self.topology.routers))

    def group_name(self, router: int) -> str:
        """Level."""
        return f"level{self.topology.level_of(router)}"

    def turns_here(self, level: int, switch: Numbers, destination: Numbers) -> Numbers:
        """Whether a header that comes from below to a switch of a level turns down there.

        The source need not be known: the switch and the destination have the same prefix.
        """
        prefix = switch // self.topology.breadths[level]
        return self.topology.prefix(destination, level) == prefix

    def hops(self, source: int, destination: int, number: int = 0) -> list[Hop]:
        """Switches of the path with the lowest up-word; the last one's way out is to the PE."""
        del number
        return self.hops_by(source, destination, (0,) * self.topology.levels)

    def hops_by(self, source: int, destination: int, word: tuple[int, ...]) -> list[Hop]:
        """Switches of the path that takes upper ``word[i]`` on level i.

        Of parallel wires down it takes the first.
        """
        topology = self.topology
        hops: list[Hop] = []
        top, copy = (
            int(of(source, destination)) for of in (topology.lca_level, topology.nearest_copy)
        )
        source, destination = (
            int(topology.position_in_copy(copy, p)) for p in (source, destination)
        )
        first = copy * topology.switches
        switch = source // topology.radices[0]
        for level in range(top):
            router = first + topology.first_switch[level] + switch
            hops.append(Hop(router, topology.up_port(word[level]), 0))
            switch = topology.up(level, switch, word[level])[0]
        for level in range(top, -1, -1):
            downer = topology.digit(destination, level) * topology.wires[level]
            router = first + topology.first_switch[level] + switch
            hops.append(Hop(router, topology.down_port(downer), 0))
            switch = topology.down(level, switch, downer)[0]
        return hops

    def pair_facts(self, source: int, destination: int) -> dict[str, Any]:
        """LCA level, number of paths and up-word of the one that `hops` has."""
        level = int(self.topology.lca_level(source, destination))
        copies = self.topology.lca_levels(source, destination).tolist().count(level)
        return {
            "lca_level": level,
            "paths": self.topology.breadths[level] * copies,
            "unfolded": unfolded_stages(self.topology.levels, level),
            "word": [0] * level,
            "chosen": "of all paths that with the lowest uppers",
        }


class Circuit(NamedTuple):
    """Path of a packet, as `Transfer`, and the number of the upper that it takes on each level."""

    source: int
    destination: int
    path: list[int]
    word: list[int]


class Scheduled(UpDown, SchedulingRouting):
    """Up over the uppers that the header names, which are found off line, and down."""

    name: ClassVar[str] = "scheduled"
    arrivals: ClassVar[str] = "rounds"

    def schedule(self, destinations: np.ndarray) -> Schedule:
        """Rounds of a permutation, each a network cycle in which no packet loses.

        One where no switch below the top has fewer uppers than children; else see
        `scheduling.rounds.schedule`.
        """
        return self.schedule_messages(np.arange(self.topology.nodes), destinations)

    def schedule_messages(self, sources: np.ndarray, destinations: np.ndarray) -> Schedule:
        """Rounds of any messages, each a network cycle in which no packet loses.

        As many as a PE has messages, at most, where no switch below the top has fewer uppers than
        children; else see `scheduling.rounds.schedule`.
        """
        rounds = schedule(self.topology, sources, destinations)
        check_rounds(self.topology, rounds)
        load = load_factor(self.topology, sources, destinations)
        return Schedule(
            rounds=[self.circuits(found) for found in rounds],
            steps=len(rounds),
            conflict_free=True,
            facts={
                "load_factor": str(load),
                "lower_bound": lower_bound(self.topology, sources, destinations),
                "crossings": {
                    f"cut{cut}": crossings(self.topology, cut, sources, destinations)
                    for cut in range(1, self.topology.levels)
                },
            },
        )

    def circuits(self, found: Round) -> Iterator[Any]:
        """Path of each packet of a round."""
        for source, destination, word in zip(*(part.tolist() for part in found), strict=True):
            used = tuple(upper for upper in word if upper >= 0)
            path = [hop.router for hop in self.hops_by(source, destination, used)]
            yield Circuit(source, destination, path, list(used))

    def frames(self, sources: np.ndarray, destinations: np.ndarray) -> Iterator[Frame]:
        """Circuits of each network cycle."""
        rounds = schedule(self.topology, sources, destinations)
        for number, found in enumerate(rounds, start=1):
            circuits = list(self.circuits(found))
            used: Counter[tuple[int, int]] = Counter()  # wires to a child that have a circuit
            moves = [
                PacketMove(circuit.source, circuit.destination, self._apart(circuit, used), -1)
                for circuit in circuits
            ]
            caption = f"network cycle {number} of {len(rounds)}: {plural(len(moves), 'circuit')}"
            yield Frame(caption, moves, [circuit.destination for circuit in circuits])

    def _apart(self, circuit: Circuit, used: Counter[tuple[int, int]]) -> list[tuple[int, int]]:
        """Hops of a circuit, on wires down that no other one has."""
        hops = self.hops_by(circuit.source, circuit.destination, tuple(circuit.word))
        found = []
        for number, hop in enumerate(hops):
            port = hop.port
            if number >= len(circuit.word):
                port += used[hop.router, hop.port]
                used[hop.router, hop.port] += 1
            found.append((hop.router, port))
        return found

    @property
    def word_layout(self) -> dict[str, range]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Number of the upper to take on each level below the top."""
        return {f"upper{i}": range(u) for i, u in enumerate(self.topology.uppers[:-1])}


ROUTINGS = (UpDown, Scheduled)
