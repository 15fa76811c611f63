"""Routings and broadcasts of the WK-recursive networks."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numba.extending import register_jitable

from ..errors import ConfigurationError
from ..parameters import Choice, Integer, parameter
from ..topology import LOCAL, Topology, WkRecursive
from .base import Routing, RoutingOptions, Rule
from .broadcast import Broadcast


@register_jitable
def corner_level(w, levels, router):
    """Equal digits of a router from the lowest on."""
    own, level = router % w, 0
    while level < levels and router % w == own:
        router //= w
        level += 1
    return level


@register_jitable
def top_digit(w, router, destination):
    """Highest place, from 1, in which two addresses differ, and the destination's digit there."""
    place, digit = 0, 0
    while router != destination:
        digit = destination % w
        router, destination = router // w, destination // w
        place += 1
    return place, digit


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


@register_jitable
def by_label(parameters, router, port, channel_class, label, source, output):
    """Broadcast by the highest level crossed, m, and the source's digit above it, t."""
    w, levels, last_class = parameters[0], parameters[1], parameters[3]
    own, level = router % w, corner_level(w, levels, router)
    flip = router // w**level % w
    m, t = label // w, label % w
    crosses = output == 1 + own
    if port == LOCAL:
        if crosses:
            return level * w + flip, min(level, last_class)
        return own, 0
    if port == 1 + own:
        return (-1, 0) if crosses else (label, min(m, last_class))
    if not crosses or level == m:
        return -1, 0
    if level > m:
        return level * w + flip, min(level, last_class)
    return (label, min(m, last_class)) if flip == t else (-1, 0)


BROADCASTS = ("label", "address", "mask", "no")


@dataclass(frozen=True, kw_only=True)
class BroadcastOptions(RoutingOptions):
    """Keys of a routing beside which packets can be broadcast.

    Parameters
    ----------
    broadcast : str
        Rule by which the routers branch; ``"no"`` for routers that do not.
    max_packet : int or None
        Flits of the longest broadcast, 1..1024; `buffer_depth` if unnamed, and no more.
    """

    broadcast: str = parameter(
        Choice(BROADCASTS), help="rule by which the routers branch", default="label"
    )
    max_packet: int | None = parameter(
        Integer(1, 1024),
        help="flits of the longest broadcast (default: buffer_depth)",
        default=None,
    )

    def resolved(self, topology: Topology, hardware: Any) -> Self:
        """Fill in `max_packet`; refuse what no buffer could hold."""
        if self.broadcast == "no":
            return self
        longest = self.max_packet or hardware.buffer_depth
        if longest > hardware.buffer_depth:
            raise ConfigurationError(
                f"{topology.name}: buffer_depth must be at least max_packet with "
                f"broadcast={self.broadcast}, {longest}, not {hardware.buffer_depth}"
            )
        return replace(self, max_packet=longest)


class Unicast(Routing):
    """Self-routing: by the destination's digit in the highest place that differs."""

    name: ClassVar[str] = "unicast"
    options_class: ClassVar[type[RoutingOptions]] = BroadcastOptions
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
    def broadcast(self) -> Broadcast | None:
        """Rule that ``broadcast`` names."""
        if self.options.broadcast == "no":
            return None
        return Broadcast("label", by_label, self.topology.digit_bits, 0)

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
