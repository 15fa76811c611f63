"""Routings of the WK-recursive networks."""

from collections.abc import Callable
from functools import cached_property
from typing import ClassVar

import numpy as np

from ...topology import LOCAL, WkRecursive
from ..base import Routing
from ..broadcast import Broadcast
from ..compiled.compilable import compilable
from ..options import RoutingOptions
from ..rules import Rule, Turn
from .broadcast import WkBroadcastOptions, broadcasts_of
from .digits import AT, RuleNumbers, corner_level, top_digit
from .turns import RouterPosition, broadcast_turns, shortest_turns, unicast_turns, within


@compilable
def self_routed(parameters, router, port, channel_class, destination):
    """By the destination's digit in the highest place that differs."""
    w, levels = parameters[AT.w], parameters[AT.levels]
    last_class = parameters[AT.last_unicast_class]
    if router == destination:
        return LOCAL, 0
    place, digit = top_digit(w, router, destination)
    if digit == router % w and corner_level(w, levels, router) == place - 1:
        channel_class = min(channel_class + 1, last_class)
    return 1 + digit, channel_class


@compilable
def weight(w, node, places, digit):
    """Sum of 2^(i - 1) over the places i, up to `places`, that have this digit."""
    total = 0
    for place in range(places):
        if node % w == digit:
            total += 1 << place
        node //= w
    return total


@compilable
def shortest(parameters, router, port, channel_class, destination):
    """By the destination's digit in the highest place that differs, or by a third subnetwork.

    Paths through subnetwork z win where both ends have z in most places below, so in the next one
    at least one of them has it.
    """
    w, levels = parameters[AT.w], parameters[AT.levels]
    last_class = parameters[AT.last_unicast_class]
    if router == destination:
        return LOCAL, 0
    place, digit = top_digit(w, router, destination)
    if place > 2:
        below = place - 1
        here, there = router // w**below % w, digit
        direct = weight(w, router, below, there) + weight(w, destination, below, here)
        for end in (router, destination):
            # If z is `here` or `there`, the sum is too small anyway.
            z = end // w ** (below - 1) % w
            found = weight(w, router, below, z) + weight(w, destination, below, z)
            if found > direct + (1 << below):
                digit = z
    if digit == router % w and corner_level(w, levels, router) == place - 1:
        channel_class = min(channel_class + 1, last_class)
    return 1 + digit, channel_class


class Unicast(Routing):
    """Self-routing: by the destination's digit in the highest place that differs."""

    name: ClassVar[str] = "unicast"
    options_class: ClassVar[type[RoutingOptions]] = WkBroadcastOptions
    distinct_groups: ClassVar[bool] = True
    options: WkBroadcastOptions
    topology: WkRecursive

    closed_form: ClassVar[Callable[[RouterPosition], set[Turn]]] = staticmethod(unicast_turns)
    """Turns of its packets to one node."""

    @property
    def unicast_classes(self) -> int:
        """Classes that packets to one node need."""
        return 2

    def needed_virtual_channels(self) -> int:
        """Those of unicasts, or one per level for broadcasts."""
        levels = self.topology.levels if self.options.broadcast != "no" else 0
        return max(self.unicast_classes, levels)

    @property
    def rule(self) -> Rule:
        """See `self_routed`."""
        return self_routed

    @property
    def parameters(self) -> np.ndarray:
        """See `RuleNumbers`."""
        topology = self.topology
        last = self.classes - 1
        last_unicast = min(self.unicast_classes - 1, last)
        return np.array(RuleNumbers(topology.w, topology.levels, last_unicast, last), np.int64)

    @property
    def broadcasts(self) -> dict[str, Broadcast]:
        """See `wk.broadcast`."""
        return broadcasts_of(self.topology, self.classes)

    @cached_property
    def router_groups(self) -> np.ndarray:
        """By own digit, corner level and flip."""
        topology = self.topology
        facts = self._modules * (topology.w + 1) + topology.flips
        return np.unique(facts, return_inverse=True)[1].reshape(-1)

    @cached_property
    def module_groups(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """By own digit and corner level."""
        return np.unique(self._modules, return_inverse=True)[1].reshape(-1)

    @property
    def _modules(self) -> np.ndarray:
        """Number for own digit and corner level of each router."""
        topology = self.topology
        return topology.digits[:, 0] * (topology.levels + 1) + topology.corner_levels

    def class_turns(self, router: int) -> set[Turn]:
        """Turns in closed form; see `wk.turns`."""
        last = min(self.unicast_classes, self.classes) - 1
        return within(type(self).closed_form(self._position(router)), last)

    def broadcast_class_turns(self, router: int) -> set[Turn]:
        """Turns in closed form, those of every rule; see `wk.turns`."""
        if self.broadcast is None:
            return set()
        return within(broadcast_turns(self._position(router)), self.classes - 1)

    def _position(self, router: int) -> RouterPosition:
        topology = self.topology
        facts = topology.digits[router, 0], topology.corner_levels[router], topology.flips[router]
        return RouterPosition(topology.w, topology.levels, *map(int, facts))

    def rank(self) -> np.ndarray | None:
        """Weights M of the digits that packets go by, then in every class how they fall again.

        M(v, c) is the sum of 2^(i - 1) over all places i with digit c. On its way to corner c a
        packet climbs: each hop by port c raises M(v, c) of where it is. From a top crossing on it
        comes from a corner, and M of that corner's digit falls. None with fewer classes than it
        needs.
        """
        if self.classes < self.needed_virtual_channels():
            return None
        topology = self.topology
        routers, ports = topology.neighbours.shape
        weights = 1 << np.arange(topology.levels)
        rank = np.zeros((routers, ports, self.classes), np.int32)
        for digit in range(topology.w):
            rank[:, 1 + digit, 0] = (topology.digits == digit) @ weights
        far, peer = np.maximum(topology.neighbours, 0), np.maximum(topology.peer_ports, 0)
        falling = -rank[far, peer, 0]
        for number in range(1, self.classes):
            rank[:, :, number] = falling + (number << topology.levels + 1)
        return rank

    def group_name(self, router: int) -> str:
        """Own digit and corner level."""
        topology = self.topology
        return f"digit{topology.digits[router, 0]}_level{topology.corner_levels[router]}"


class Shortest(Unicast):
    """Shortest paths: self-routing, but by a third subnetwork where that is shorter."""

    name: ClassVar[str] = "shortest"
    closed_form: ClassVar[Callable[[RouterPosition], set[Turn]]] = staticmethod(shortest_turns)

    @property
    def unicast_classes(self) -> int:
        """Three; up to two levels no third subnetwork makes a path shorter, so two."""
        return 2 if self.topology.levels <= 2 else 3

    @property
    def rule(self) -> Rule:
        """See `shortest`."""
        return shortest


ROUTINGS = (Unicast, Shortest)
