"""Routings of the WK-recursive networks."""

from functools import cached_property
from typing import ClassVar

import numpy as np
from numba.extending import register_jitable

from ..topology import LOCAL, WkRecursive
from .base import Routing, RoutingOptions, Rule
from .broadcast import Broadcast
from .wk_broadcast import WkBroadcastOptions, broadcasts_of
from .wk_digits import corner_level, top_digit


@register_jitable
def self_routed(parameters, router, port, channel_class, destination):
    """By the destination's digit in the highest place that differs."""
    w, levels, last_class = parameters[0], parameters[1], parameters[2]
    if router == destination:
        return LOCAL, 0
    place, digit = top_digit(w, router, destination)
    if digit == router % w and corner_level(w, levels, router) == place - 1:
        channel_class = min(channel_class + 1, last_class)
    return 1 + digit, channel_class


class Unicast(Routing):
    """Self-routing: by the destination's digit in the highest place that differs."""

    name: ClassVar[str] = "unicast"
    options_class: ClassVar[type[RoutingOptions]] = WkBroadcastOptions
    distinct_groups: ClassVar[bool] = True
    topology: WkRecursive

    def needed_virtual_channels(self) -> int:
        """Two, or one a level."""
        return max(2, self.topology.levels if self.options.broadcast != "no" else 0)

    @property
    def rule(self) -> Rule:
        """See `self_routed`."""
        return self_routed

    @property
    def parameters(self) -> np.ndarray:
        """w, levels, last class of unicasts, last class of broadcasts."""
        topology = self.topology
        last = self.classes - 1
        return np.array([topology.w, topology.levels, min(1, last), last], np.int64)

    @property
    def broadcasts(self) -> dict[str, Broadcast]:
        """See `wk_broadcast`."""
        return broadcasts_of(self.topology, self.classes)

    @cached_property
    def router_groups(self) -> np.ndarray:
        """By own digit, corner level and flip."""
        topology = self.topology
        facts = np.stack([topology.digits[:, 0], topology.corner_levels, topology.flips], axis=1)
        return np.unique(facts, axis=0, return_inverse=True)[1].reshape(-1)

    @cached_property
    def module_groups(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """By own digit and corner level."""
        topology = self.topology
        facts = np.stack([topology.digits[:, 0], topology.corner_levels], axis=1)
        return np.unique(facts, axis=0, return_inverse=True)[1].reshape(-1)

    def place(self, router: int) -> str:
        """Own digit and corner level."""
        topology = self.topology
        return f"digit{topology.digits[router, 0]}_level{topology.corner_levels[router]}"


ROUTINGS = (Unicast,)
