"""What the rules of the WK-recursive networks read: their parameters and a router's digits."""

from typing import NamedTuple

from ..compiled.compilable import compilable


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
