"""Keys that a routing adds to those of its router class."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ..parameters import Parameters
from ..topology import Topology


@dataclass(frozen=True, kw_only=True)
class RoutingOptions(Parameters):
    """Keys that a routing adds to those of its router class; most routings add none."""

    name: ClassVar[str] = "routing"

    def resolved(self, topology: Topology, hardware: Any) -> Self:
        """Return these options with final values, which may depend on topology and hardware.

        Raises
        ------
        ConfigurationError
            A combination that cannot work.
        """
        del topology, hardware
        return self
