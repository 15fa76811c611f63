"""Turns of the WK-recursive networks' routers, in closed form because the networks may be large.

A packet first climbs: it goes towards digit t of the subnetwork that it has to reach. Until it is
there, it alternates between a hop to cluster sibling t and a hop over that sibling's outer link,
which arrives at a router whose flip is t. So a packet that came over an inner link is at its
destination, or leaves over the outer link. A packet that came over an outer link is in the
subnetwork that it had to reach, or goes on to the router's flip.
"""

from typing import NamedTuple

from ...topology import LOCAL
from ..rules import Turn


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
