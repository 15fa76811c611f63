"""Routings whose path is found at the source: without a rule, for study only."""

from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise, product
from typing import ClassVar

import numpy as np

from ...errors import ConfigurationError
from ...topology import LOCAL
from ..base import Routing
from ..rules import Hop, Rule, Turn, lane
from ..walks.all_pairs import Walks


class SourceRouted(Routing):
    """Routing that finds a packet's whole path before the packet leaves.

    A subclass gives `routers`. A router that has only the packet's address cannot continue the path
    that the source chose, so there is no rule, and no hardware or model. Paths, tables and the
    deadlock check follow the paths of all pairs in plain Python, up to `walk_limit` nodes.
    """

    unbuildable: ClassVar[str | None] = "its path is found at the source"
    walk_limit: ClassVar[int] = 512

    @abstractmethod
    def routers(self, source: int, destination: int) -> list[int]:
        """Routers of the path, both ends included."""

    @property
    def rule(self) -> Rule:
        """There is none: raises `ConfigurationError`."""
        raise ConfigurationError(
            f"{self.topology.name}: routing={self.name} must be used for paths, not for a rule: "
            f"{self.unbuildable}"
        )

    def require_sound(self) -> None:
        """There is no rule to refuse; each path is checked against the links when it is asked."""

    def hops(self, source: int, destination: int) -> list[Hop]:
        """Routers of a path with the way out of each; one virtual channel from end to end."""
        topology = self.topology
        path = self.routers(source, destination)
        channel = lane(topology.address(source), topology.address(destination), self.lanes)
        ways = [Hop(here, self._port(here, after), channel) for here, after in pairwise(path)]
        return [*ways, Hop(destination, LOCAL, 0)]

    def _port(self, router: int, after: int) -> int:
        row = self.topology.neighbours[router].tolist()
        if after not in row:
            raise ValueError(
                f"routing={self.name}: a path must follow links, not go from {router} to {after}"
            )
        return row.index(after)

    @cached_property
    def walks(self) -> Walks:
        """Channel dependencies, and turns by the routers' groups."""
        topology = self.topology
        neighbours, peer_ports = topology.neighbours, topology.peer_ports
        ports = neighbours.shape[1]
        marks = np.zeros((neighbours.size, ports, 1), np.bool_)
        groups = self.router_groups.tolist()
        turns: list[set[Turn]] = [set() for _ in range(max(groups) + 1)]
        for source, destination in self._pairs():
            hops, arrived = self.hops(source, destination), LOCAL
            for hold, want in pairwise(hops):
                turns[groups[hold.router]].add(Turn(arrived, 0, hold.port, 0))
                arrived = int(peer_ports[hold.router, hold.port])
                if want.port != LOCAL:
                    marks[hold.router * ports + hold.port, want.port, 0] = True
            turns[groups[destination]].add(Turn(arrived, 0, LOCAL, 0))
        return Walks(marks, turns, [set() for _ in turns])

    def rank(self) -> None:
        """There is none: raises `ConfigurationError`, since all pairs are too many to walk."""
        raise self._too_many()

    def first_hops(self) -> np.ndarray:
        """Next router for every (source, destination), int32, -1 on the diagonal."""
        nodes = self.topology.nodes
        table = np.full((nodes, nodes), -1, np.int32)
        for source, destination in self._pairs():
            if source != destination:
                table[source, destination] = self.routers(source, destination)[1]
        return table

    def walk_lengths(self) -> np.ndarray:
        """Hops of the path for every (source, destination), int32."""
        nodes = self.topology.nodes
        lengths = np.zeros((nodes, nodes), np.int32)
        for source, destination in self._pairs():
            lengths[source, destination] = len(self.routers(source, destination)) - 1
        return lengths

    def table_rows(self) -> Iterator[tuple[int, int, int, int]]:
        """First hop of each path, as if every router were the source of what comes to it.

        The class is the number of hops left, less one. Where paths are shortest it falls at each
        hop, so no ring of channels can form.
        """
        for source, destination in self._pairs():
            if source != destination:
                hops = self.hops(source, destination)
                yield source, destination, hops[0].port, len(hops) - 2

    def _pairs(self) -> Iterator[tuple[int, int]]:
        if self.topology.nodes > self.walk_limit:
            raise self._too_many()
        nodes = range(self.topology.nodes)
        return product(nodes, nodes)

    def _too_many(self) -> ConfigurationError:
        return ConfigurationError(
            f"{self.topology.name}: nodes must be at most {self.walk_limit} to walk all pairs "
            f"with routing={self.name}, not {self.topology.nodes}"
        )
