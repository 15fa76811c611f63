"""Routings of the WK-recursive networks to one node: rules, and turns in closed form.

The turns are in closed form because the networks may be large. A packet first climbs: it goes
towards digit t of the subnetwork that it has to reach. Until it is there, it alternates between a
hop to cluster sibling t and a hop over that sibling's outer link, which arrives at a router whose
flip is t. So a packet that came over an inner link is at its destination, or leaves over the outer
link. A packet that came over an outer link is in the subnetwork that it had to reach, or goes on to
the router's flip.
"""

from collections.abc import Callable
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from ...topology import LOCAL, WkRecursive
from ..base import Routing
from ..compiled.compilable import compilable
from ..options import Broadcast, RoutingOptions
from ..rules import Rule, Turn
from .broadcast import AT, RuleNumbers, WkBroadcastOptions, broadcasts_of, corner_level, top_digit


class RouterPosition(NamedTuple):
    """What the routers of a group have in common.

    Members
    -------
    w, levels : int
        Network.
    digit, level, flip : int
        Lowest digit, corner level, and digit above the equal ones, -1 where there is none.
    """

    w: int
    levels: int
    digit: int
    level: int
    flip: int

    @property
    def out(self) -> int:
        """Port of the outer link, whether there is one or not."""
        return 1 + self.digit

    @property
    def siblings(self) -> list[int]:
        """Digits of the other routers of the cluster."""
        return [h for h in range(self.w) if h != self.digit]

    @property
    def crosses(self) -> bool:
        """Whether there is an outer link."""
        return self.level < self.levels

    @property
    def above(self) -> bool:
        """Whether there are digits above the flip, for the outer link to be no top crossing."""
        return self.level + 2 <= self.levels


def unicast_turns(position: RouterPosition) -> set[Turn]:
    """Turns of self-routed packets: class 1 from the first top crossing on."""
    turns = _climb(position)
    for h in position.siblings:
        if h == position.flip and position.above:
            turns.add(Turn(1 + h, 1, position.out, 1))
    return turns


def shortest_turns(position: RouterPosition) -> set[Turn]:
    """Turns of shortest paths: a class more for each top crossing, up to 2.

    Paths by a third subnetwork have two top crossings of one place: they go through it from the
    corner of the source's digit to that of the destination's.
    """
    w, levels, _, level, flip = position
    turns, out = _climb(position), position.out
    # A path by a third subnetwork ends in one that differs in the highest place only: at least
    # two places below, of which most have the third digit.
    ends = level == levels - 1 and level >= 2 and w >= 3
    if position.above or ends:
        turns.add(Turn(out, 2, LOCAL, 0))
    for h in position.siblings:
        if position.above or (ends and (h == flip or w >= 4 or level >= 3)):
            turns.add(Turn(out, 2, 1 + h, 2))
        if levels >= 3 + (h == flip and (w == 2 or level == 2)):
            turns.add(Turn(1 + h, 2, LOCAL, 0))
        if h != flip:
            if position.crosses and level >= 2:  # out of the third subnetwork
                turns.add(Turn(1 + h, 1, out, 2))
            continue
        if position.above:
            turns.add(Turn(1 + h, 1, out, 2))
        if levels >= level + 2 + (w == 2):
            turns.add(Turn(1 + h, 1, out, 1))
        if levels >= level + 3 - (w >= 3 and level >= 2):
            turns.add(Turn(1 + h, 2, out, 2))
    return turns


def _climb(position: RouterPosition) -> set[Turn]:
    """Turns to and from class 0, and out of class 1 those that need no second top crossing."""
    out, ports = position.out, [1 + h for h in position.siblings]
    turns = {Turn(LOCAL, 0, LOCAL, 0), *(Turn(LOCAL, 0, port, 0) for port in ports)}
    turns |= {Turn(port, 0, LOCAL, 0) for port in ports}
    for port in (LOCAL, *ports):
        if position.crosses:
            turns.add(Turn(port, 0, out, 1))
        if position.above:
            turns.add(Turn(port, 0, out, 0))
    if position.above:
        turns.add(Turn(out, 0, 1 + position.flip, 0))
    if position.crosses:
        turns |= {Turn(out, 1, LOCAL, 0), *(Turn(out, 1, port, 1) for port in ports)}
    for h in position.siblings:
        # The sibling must have an outer link.
        if position.levels >= 2 + (position.level == 1 and h == position.flip):
            turns.add(Turn(1 + h, 1, LOCAL, 0))
    return turns


def broadcast_turns(position: RouterPosition) -> set[Turn]:
    """Turns of the copies of broadcasts, in the class of the highest level that they crossed.

    A copy that crossed level m and came over an inner link from sibling h is in a subnetwork that
    all copies entered at corner h, so digit m + 1 of the router is not h.
    """
    out, ports = position.out, [1 + h for h in position.siblings]
    turns = {Turn(LOCAL, 0, port, 0) for port in ports}
    if position.crosses:
        turns.add(Turn(LOCAL, 0, out, position.level))
    for m in range(position.levels):
        for h in position.siblings:
            if m == position.level and h == position.flip:
                continue
            turns.add(Turn(1 + h, m, LOCAL, 0))
            if position.crosses and (
                m < position.level or (m > position.level and h == position.flip)
            ):
                turns.add(Turn(1 + h, m, out, max(m, position.level)))
        if position.level <= m:
            turns |= {Turn(out, m, LOCAL, 0), *(Turn(out, m, port, m) for port in ports)}
    return turns


def within(turns: set[Turn], last_class: int) -> set[Turn]:
    """The same turns where packets stay in the last class that exists."""
    return {Turn(i, min(a, last_class), o, min(b, last_class)) for i, a, o, b in turns}


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
