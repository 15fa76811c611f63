"""What a walk needs of a routing."""

from typing import ClassVar, Protocol

import numpy as np

from ...topology import Topology
from ..broadcast import Broadcast
from ..rules import Hop, Rule


class Walkable(Protocol):
    """Routing whose rule the walks follow. `routing.base.Routing` is one."""

    name: ClassVar[str]
    classes: int
    topology: Topology

    @property
    def rule(self) -> Rule:
        """Rule that is followed."""
        ...

    @property
    def parameters(self) -> np.ndarray:
        """Integers that the rule reads, int64."""
        ...

    @property
    def escape_class(self) -> int | None:
        """Class to which blocked packets may go, if there is one."""
        ...

    @property
    def injection_classes(self) -> tuple[int, ...]:
        """Classes in which packets start."""
        ...

    @property
    def chain_limit(self) -> int:
        """Most destinations of a multicast; 0 without multicast units."""
        ...

    @property
    def broadcast(self) -> Broadcast | None:
        """Broadcast that branches in the routers, if there is one."""
        ...

    def hops(self, source: int, destination: int) -> list[Hop]:
        """Path of a packet; raises `ConfigurationError` where it is a loop."""
        ...
