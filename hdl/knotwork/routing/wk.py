# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Routings and broadcasts of the WK-recursive networks."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

import numpy as np

from ..errors import ConfigurationError
from ..parameters import Choice, RouterParameters, parameter
from ..topology import LOCAL, Topology, WkRecursive
from .base import Routing
from .compiled.compilable import compilable
from .options import Broadcast, BroadcastOptions, RoutingOptions
from .rules import Rule, Turn


class RuleNumbers(NamedTuple):
    """Integers that every rule of a WK-recursive network reads, in this order.

    Members
    -------
    w : int
        Radix of the digits.
    levels : int
        Digits of an address.
    last_unicast_class : int
        Last virtual-channel class of packets to one node.
    last_broadcast_class : int
        Last virtual-channel class of the copies of broadcasts.
    """

    w: int
    levels: int
    last_unicast_class: int
    last_broadcast_class: int


AT = RuleNumbers(*range(len(RuleNumbers._fields)))
"""Place of each among the rule's parameters."""


@compilable
def corner_level(w, levels, router):
    """Equal digits of a router from the lowest on."""
    own, level = router % w, 0
    while level < levels and router % w == own:
        router //= w
        level += 1
    return level


@compilable
def top_digit(w, router, destination):
    """Highest place, from 1, in which two addresses differ, and the destination's digit there."""
    place, digit = 0, 0
    while router != destination:
        digit = destination % w
        router, destination = router // w, destination // w
        place += 1
    return place, digit


MOST_LEVELS = 8
"""Most levels of a network with broadcasts: as many as there can be virtual channels."""


@compilable
def by_label(parameters, router, port, channel_class, label, source, output):
    """By the highest level crossed, m, and the source's digit above it, t; the label is m w + t."""
    w, levels = parameters[AT.w], parameters[AT.levels]
    last_class = parameters[AT.last_broadcast_class]
    own, level = router % w, corner_level(w, levels, router)
    m, t = label // w, label % w
    crosses = output == 1 + own
    if crosses and (level == levels or port == output):
        return -1, 0
    flip = router // w**level % w
    if port == LOCAL:
        return (level * w + flip, min(level, last_class)) if crosses else (own, 0)
    if crosses and level > m:
        return level * w + flip, min(level, last_class)
    if crosses and (level == m or flip != t):
        return -1, 0
    if not crosses and port != 1 + own:
        return -1, 0
    return label, min(m, last_class)


@compilable
def by_address(parameters, router, port, channel_class, label, source, output):
    """By the source's address: the label of `by_label` follows from where the router differs."""
    w = parameters[AT.w]
    place, digit = top_digit(w, router, source)
    known = max(place - 1, 0) * w + digit
    sent, out_class = by_label(parameters, router, port, channel_class, known, source, output)
    return min(sent, 0), out_class


@compilable
def by_mask(parameters, router, port, channel_class, label, source, output):
    """By the levels crossed since the last crossing of a higher one; level i is bit i - 1."""
    w, levels = parameters[AT.w], parameters[AT.levels]
    last_class = parameters[AT.last_broadcast_class]
    own, level = router % w, corner_level(w, levels, router)
    crosses = output == 1 + own
    if crosses and (level == levels or label >> (level - 1) & 1):
        return -1, 0
    if port == 1 + own:
        if crosses:
            return -1, 0
        label = label >> level << level | 1 << (level - 1)
    elif port != LOCAL and not crosses:
        return -1, 0
    highest = level if crosses else 0
    while label >> highest:
        highest += 1
    return label, min(highest, last_class)


@compilable
def by_stack(parameters, router, port, channel_class, label, source, output):
    """By a stack of the levels of links, 0 within a cluster: push where it came, pop what is lower.

    The label's fields of `stack_field` bits are the entries plus one, the top lowest; the first
    entry, that of a port without a link, is never popped and left out.
    """
    w, levels = parameters[AT.w], parameters[AT.levels]
    last_class = parameters[AT.last_broadcast_class]
    own, level, base = router % w, corner_level(w, levels, router), 2
    while base <= levels:
        base *= 2
    if port != LOCAL:
        came = level if port == 1 + own else 0
        while label > 0 and label % base - 1 <= came:
            label //= base
        label = label * base + came + 1
    leaves = level if output == 1 + own else 0
    if leaves == levels:
        return -1, 0
    rest, highest = label, leaves
    while rest > 0:
        entry = rest % base - 1
        if entry == leaves:
            return -1, 0
        highest = max(highest, entry)
        rest //= base
    return label, min(highest, last_class)


@compilable
def from_corner(parameters, router, port, channel_class, label, source, output):
    """From a node of equal digits, by that digit: out of the cluster where it is the flip."""
    w, levels = parameters[AT.w], parameters[AT.levels]
    last_class = parameters[AT.last_broadcast_class]
    own, level = router % w, corner_level(w, levels, router)
    digit = own if port == LOCAL else label
    crosses = output == 1 + own
    if crosses and (level == levels or router // w**level % w != digit or port == output):
        return -1, 0
    if not crosses and port not in {LOCAL, 1 + own}:
        return -1, 0
    place, _ = top_digit(w, router, digit * ((w**levels - 1) // (w - 1)))
    highest = max(place - 1, level if crosses else 0)
    return digit, min(highest, last_class)


@compilable
def as_printed(parameters, router, port, channel_class, label, source, output):
    """As the paper prints it: the source sends its own digit, not its flip, to other clusters.

    From a source of corner level 2..levels - 1 this never reaches some nodes.
    """
    w, own = parameters[AT.w], router % parameters[AT.w]
    sent, out_class = by_label(parameters, router, port, channel_class, label, source, output)
    if port == LOCAL and sent >= 0:
        sent = sent // w * w + own
    return sent, out_class


def stack_field(levels: int) -> int:
    """Bits of an entry of the stack of `by_stack`: of a level 0..levels - 1 plus one, or none."""
    return levels.bit_length()


def broadcasts_of(topology: WkRecursive, classes: int) -> dict[str, Broadcast]:
    """All rules by name, for so many classes; `WkBroadcastOptions` names those that can be built.

    Where each level has a class, the class implies m, and a label in hardware does not carry it.
    """
    levels, digit = topology.levels, topology.digit_bits
    level = (levels - 1).bit_length()
    is_known = classes >= levels
    carried = digit if is_known else digit + level

    def in_flit(label: int) -> int:
        """Bits that stand for m and t; there is no t before a level has been crossed."""
        m, t = divmod(label, topology.w)
        encoded = t if m else 0
        return encoded if is_known else m << digit | encoded

    def pair(label: int) -> str:
        """(m, t): highest level crossed, and digit of the corner that leads to the source."""
        return "({},{})".format(*divmod(label, topology.w))

    corners = (topology.nodes - 1) // (topology.w - 1)
    rules = [
        Broadcast("label", by_label, carried, level + digit, carried=in_flit, text=pair),
        Broadcast("address", by_address, 0, 0),
        Broadcast("mask", by_mask, levels - 1, levels - 1),
        Broadcast(
            "corner",
            from_corner,
            digit,
            digit,
            sources=tuple(p * corners for p in range(topology.w)),
        ),
        Broadcast("printed", as_printed, carried, level + digit, carried=in_flit, text=pair),
    ]
    if levels < 16:  # the stack would overflow 64 bits
        # A message has not the level of its link in its stack, nor need it carry the first entry.
        # The literature counts what a node works on: with that entry, and that of the link.
        field = stack_field(levels)
        rules.append(Broadcast("stack", by_stack, (levels - 1) * field, (levels + 1) * field))
    return {rule.name: rule for rule in rules}


@dataclass(frozen=True, kw_only=True)
class WkBroadcastOptions(BroadcastOptions):
    """Keys of a routing with broadcasts; `by_label` if unnamed."""

    broadcast: str = parameter(
        Choice(("label", "address", "mask", "stack", "no")),
        help="rule by which the routers branch",
        default="label",
    )

    def fit_defaults(
        self,
        topology: Topology,
        hardware: RouterParameters,
        *,
        named: Collection[str],
        channels: int,
        reach: int,
    ) -> Self:
        """No broadcasts if unnamed, where they need more virtual channels than there can be."""
        del reach
        assert isinstance(topology, WkRecursive)
        if "broadcast" in named or topology.levels <= channels:
            return self
        return replace(self, broadcast="no")

    def resolve(self, topology: Topology, hardware: RouterParameters) -> Self:
        """Also refuse more levels than there can be classes."""
        assert isinstance(topology, WkRecursive)
        if self.broadcast != "no" and topology.levels > MOST_LEVELS:
            raise ConfigurationError(
                f"{topology.name}: levels must be at most {MOST_LEVELS} with broadcast="
                f"{self.broadcast}, one virtual channel per level, not {topology.levels}; more "
                f"need broadcast=no"
            )
        return super().resolve(topology, hardware)


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
        """See `broadcasts_of`."""
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
