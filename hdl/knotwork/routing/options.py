"""Keys that a routing adds to those of its router class."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar, Self

from ..parameters import Parameters, RouterParameters
from ..topology import Topology


@dataclass(frozen=True, kw_only=True)
class RoutingOptions(Parameters):
    """Keys that a routing adds to those of its router class; most routings add none."""

    name: ClassVar[str] = "routing"

    @property
    def broadcast_rule(self) -> str:
        """Name of the broadcast that branches in the routers; ``"no"`` for none."""
        return "no"

    @property
    def has_multicast(self) -> bool:
        """Whether every node has a multicast unit."""
        return False

    @property
    def longest_copied_packet(self) -> int:
        """Flits of the longest packet to several nodes; 0 where there are none."""
        return 0

    @property
    def least_buffer(self) -> int:
        """Flits that an input's buffer must hold at least; 0 for any number."""
        return 0

    def fit_defaults(
        self,
        topology: Topology,
        hardware: RouterParameters,
        *,
        named: Collection[str],
        channels: int,
        reach: int,
    ) -> Self:
        """Return these options with other values of unnamed keys, where the defaults do not fit.

        Parameters
        ----------
        topology, hardware
            As for `resolve`.
        named : collection of str
            Keys that the user named; they keep their values.
        channels : int
            Most virtual channels per link that the routing can have.
        reach : int
            Nodes to which a node can send, itself included.
        """
        del topology, hardware, named, channels, reach
        return self

    def resolve(self, topology: Topology, hardware: RouterParameters) -> Self:
        """Return these options with final values, which may depend on topology and hardware.

        Raises
        ------
        ConfigurationError
            A combination that cannot work.
        """
        del topology, hardware
        return self
