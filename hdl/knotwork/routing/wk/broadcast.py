# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Broadcasts of the WK-recursive networks, and the digits that all their rules read.

All rules build the same tree, in which a copy takes the path of a self-routed packet. They differ
in what a copy carries. Its class is the highest level of a link between clusters that it has
crossed. With one class per level, no copies can wait for each other in a ring.

References
----------
Jywe-Fei Fang, Wen-Yew Liang, Hong-Ren Chen and Ka-Lok Ng, "Novel broadcasting
algorithm of the complete recursive network", Informatica 31, 2007, section 3.

G.-H. Chen and D.-R. Duh, "Topological properties, communication, and computation on WK-recursive
networks", Networks 24, 1994: `by_stack`, reconstructed from the description in the former paper.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from ...errors import ConfigurationError
from ...parameters import Choice, RouterParameters, parameter
from ...topology import LOCAL, Topology, WkRecursive
from ..compiled.compilable import compilable
from ..options import Broadcast, BroadcastOptions


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
