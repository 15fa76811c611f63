"""Base of the routings that are generated for a network."""

from abc import abstractmethod
from functools import cached_property
from typing import ClassVar

import numpy as np

from ...errors import ConfigurationError
from ...topology import Topology
from ..table_file import TableRouting
from ..table_file.bound_table import BoundTable
from .tables import GeneratedTable


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
    search_distances(np.ascontiguousarray(topology.neighbours, np.int32), found)
    if (found == FAR).any():
        source, target = np.argwhere(found == FAR)[0].tolist()
        raise ConfigurationError(
            f"{owner} must have a way from every router to every other, not none from {source} to "
            f"{target}"
        )
    return found
