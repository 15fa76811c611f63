"""Routings generated for any graph, once per network: `updown`, `shortest` and `balanced`."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from ...errors import ConfigurationError
from ...parameters import FromFile, Integer, RouterParameters, parameter
from ...topology import Topology
from ..options import RoutingOptions
from ..table_file import BoundTable, TableRouting
from .bounds import load_bound
from .ranks import updown_ranks
from .rate_matrix import RateMatrix
from .spreading import balanced_table, orders_of, shortest_table
from .tables import GeneratedTable, best_table, only_between_nodes, uniform_flits


class GeneratedRouting(TableRouting):
    """By a table that is generated from the network's graph, once per network.

    Members
    -------
    generated : GeneratedTable
        Table, and facts of its paths.
    """

    router_limit: ClassVar[int] = 4096
    """Routers up to which a table is generated."""

    @property
    def owner(self) -> str:
        """Beginning of an error."""
        return f"{self.topology.name}: routing={self.name}"

    @cached_property
    def generated(self) -> GeneratedTable:
        """Table, and facts of its paths.

        Raises
        ------
        ConfigurationError
            The network is too large.
        """
        tables = self.topology.__dict__.setdefault("_generated_routings", {})
        key = (type(self), self.options)
        if key not in tables:
            if self.topology.routers > self.router_limit:
                raise ConfigurationError(
                    f"{self.owner} must have a network of at most {self.router_limit} routers, not "
                    f"{self.topology.routers}"
                )
            tables[key] = self._generate()
        return tables[key]

    @abstractmethod
    def _generate(self) -> GeneratedTable:
        """Table for the network."""

    @property
    def table(self) -> BoundTable:
        """Entries of the generated table."""
        return self.generated.bound


def router_distances(topology: Topology, owner: str) -> np.ndarray:
    """Hops between all routers, int32.

    Raises
    ------
    ConfigurationError
        Some router is not reached; names a pair.
    """
    from .loops import FAR, search_distances

    found = np.empty((topology.routers, topology.routers), np.int32)
    queue = np.empty(topology.routers, np.int64)
    search_distances(np.ascontiguousarray(topology.neighbours, np.int32), found, queue)
    if (found == FAR).any():
        source, target = np.argwhere(found == FAR)[0].tolist()
        raise ConfigurationError(
            f"{owner} must have a path from every router to every other, not none from {source} to "
            f"{target}"
        )
    return found


class UpDown(GeneratedRouting):
    """Up towards a root of the graph, then down: the shortest such paths, spread over the links."""

    name: ClassVar[str] = "updown"

    def _generate(self) -> GeneratedTable:
        ranks = updown_ranks(self.topology, router_distances(self.topology, self.owner))
        return best_table(self.topology, ranks, uniform_flits(self.topology), owner=self.owner)


@dataclass(frozen=True, kw_only=True)
class ShortestOptions(RoutingOptions):
    """Keys of a routing that draws numbers.

    Parameters
    ----------
    routing_seed : int
        Of what is drawn.
    """

    routing_seed: int = parameter(
        Integer(0, 2**32 - 1), help="seed of what generating the routing draws", default=1
    )


class Shortest(GeneratedRouting):
    """Minimal paths, spread over the links, with as few virtual channels as are found."""

    name: ClassVar[str] = "shortest"
    options_class: ClassVar[type[RoutingOptions]] = ShortestOptions
    options: ShortestOptions
    comparison_limit: ClassVar[int] = 64

    def _generate(self) -> GeneratedTable:
        distances = router_distances(self.topology, self.owner)
        weights, seed = uniform_flits(self.topology), self.options.routing_seed
        return shortest_table(self.topology, weights, distances, seed=seed, owner=self.owner)


@dataclass(frozen=True, kw_only=True)
class BalancedOptions(ShortestOptions):
    """Keys of a routing that balances the load of the links.

    Parameters
    ----------
    routing_matrix : RateMatrix or None
        Relative rates between all pairs of nodes; None where each sends to every other alike.
    """

    routing_matrix: RateMatrix | None = parameter(  # noqa: RUF009 - as every field
        FromFile("a file of N x N rates", RateMatrix),
        help="matrix of rates between all nodes, for which the load is balanced (default: all "
        "equal)",
        default=None,
    )

    def resolve(self, topology: Topology, hardware: RouterParameters) -> Self:
        """Refuse a matrix of another size."""
        if self.routing_matrix is not None and self.routing_matrix.nodes != topology.nodes:
            raise ConfigurationError(
                f"{topology.name}: routing_matrix must have {topology.nodes} rows, not "
                f"{self.routing_matrix.nodes}"
            )
        return super().resolve(topology, hardware)


class Balanced(GeneratedRouting):
    """Paths by which the fullest link carries little, with as few virtual channels as are found."""

    name: ClassVar[str] = "balanced"
    options_class: ClassVar[type[RoutingOptions]] = BalancedOptions
    options: BalancedOptions
    router_limit: ClassVar[int] = 1024
    comparison_limit: ClassVar[int] = 64

    def _generate(self) -> GeneratedTable:
        topology, matrix = self.topology, self.options.routing_matrix
        distances = router_distances(topology, self.owner)
        weights = uniform_flits(topology) if matrix is None else router_flits(topology, matrix)
        seed = self.options.routing_seed
        orders = list(orders_of(distances, seed))[:3]
        bound = load_bound(topology, weights)
        return balanced_table(topology, weights, bound, orders, seed=seed, owner=self.owner)


def router_flits(topology: Topology, matrix: RateMatrix) -> np.ndarray:
    """Flits per cycle between routers where each node sends one on average, -1 where none go."""
    routers, _ = topology.node_ports_table
    flits = np.zeros((topology.routers, topology.routers))
    np.add.at(flits, (routers[:, None], routers[None, :]), matrix.rates)
    return only_between_nodes(topology, flits * topology.nodes / matrix.rates.sum())
