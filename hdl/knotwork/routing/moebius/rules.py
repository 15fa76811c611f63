"""Routings of the Möbius cubes."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ...errors import ConfigurationError
from ...parameters import Choice, RouterParameters, parameter
from ...topology import LOCAL, Moebius, Topology
from ..base import Routing
from ..compiled.compilable import compilable
from ..deadlock import ENUMERATION_LIMIT, check_deadlock
from ..dimension_order import HighestDimensionFirst, highest_difference
from ..options import RoutingOptions
from ..rules import Rule, Turn


class DeadlockFree(HighestDimensionFirst):
    """dfr: deadlock-free routing; e-cube's order over the Möbius cube's links, one channel.

    Its paths are not always shortest.

    References
    ----------
    D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, chapter 3.
    """

    name: ClassVar[str] = "dfr"


@compilable
def next_dimension(n, twist, router, destination):
    """Dimension of the next link of a shortest path, -1 for none.

    A twisted link of dimension k complements all lower bits. The remaining terms may be crossed
    before it as well as after it, so the packet takes the highest term whose link already has the
    right kind here, or the twisted link itself if there is none.
    """
    difference = router ^ destination
    top = -1
    while difference >> (top + 1):
        top += 1
    kinds = (router | twist << n) >> 1  # bit i: whether the link of dimension i is twisted
    if top >= 0 and kinds >> top & 1:
        return _term(kinds, difference, top)
    if top < 1 or difference >> (top - 1) & 1 == 0:
        return top
    here = router >> top & 1  # the kind of dimension top - 1 before dimension top is crossed
    if _stays_plain(difference, top):
        return top if here else top - 1
    return _term(kinds, difference, top - 1) if here else top


@compilable
def _term(kinds, difference, k):
    """Highest term of the expansion of the complement below bit k that has its kind; else k."""
    inverted, skip = 1, 0
    for j in range(k - 1, -1, -1):
        term = (difference >> j & 1) ^ inverted
        if skip:
            skip = 0
            continue
        kind = (difference >> (j - 1) & 1) ^ inverted if j > 0 else 0
        if term:
            if j == 0 or kind == kinds >> j & 1:
                return j
            inverted ^= kind
            skip = 1
    return k


@compilable
def _stays_plain(difference, top):
    """Whether the bits below top - 1, read in pairs, are 01 again and again and then 00 or 0."""
    j = top - 2
    while j >= 1:
        pair = difference >> (j - 1) & 3
        if pair != 1:
            return pair == 0
        j -= 2
    return j == 0 and difference & 1 == 0


class ShortestPathNumbers(NamedTuple):
    """Integers that a rule of `ShortestPath` reads, in this order.

    Members
    -------
    n : int
        Dimensions.
    twist : int
        Imaginary bit n, 0 or 1.
    last_class : int
        Last virtual-channel class.
    """

    n: int
    twist: int
    last_class: int


AT = ShortestPathNumbers(*range(len(ShortestPathNumbers._fields)))
"""Place of each among the rule's parameters."""


@compilable
def shortest_by_ascents(parameters, router, port, channel_class, destination):
    """Shortest path; the class counts the rises of the dimension, up to the last class."""
    output = next_dimension(parameters[AT.n], parameters[AT.twist], router, destination) + 1
    if output == 0:
        return 0, 0
    if port != 0 and output > port and channel_class < parameters[AT.last_class]:
        return output, channel_class + 1
    return output, channel_class


@compilable
def shortest_with_escape(parameters, router, port, channel_class, destination):
    """Shortest path in class 0; in class 1 highest differing dimension first."""
    if channel_class == 1:
        output, _ = highest_difference(parameters, router, port, 0, destination)
        return output, 1 if output else 0
    return next_dimension(parameters[AT.n], parameters[AT.twist], router, destination) + 1, 0


SEARCH_LIMIT = 10
"""Dimensions up to which the least number of classes is searched (seconds)."""


@dataclass(frozen=True, kw_only=True)
class ShortestPathOptions(RoutingOptions):
    """Keys of `ShortestPath`.

    Parameters
    ----------
    vc_scheme : str or None
        ``"ascents"``: a packet goes to the next virtual channel whenever it leaves by a higher
        dimension than it came by, up to the last; ``"escape"``: a packet that finds the next
        virtual channel 0 taken goes to virtual channel 1, and there on by dfr.
    """

    vc_scheme: str | None = parameter(
        Choice(("ascents", "escape")),
        help=f"how deadlock is avoided (default: ascents up to n={SEARCH_LIMIT})",
        default=None,
    )

    def resolve(self, topology: Topology, hardware: RouterParameters) -> Self:
        """Choose the scheme; refuse ``ascents`` where its number of classes is not known."""
        del hardware
        return self.with_scheme(topology)

    def with_scheme(self, topology: Topology) -> Self:
        """Choose the scheme by the topology alone; see `resolve`."""
        n = topology.address_width
        if self.vc_scheme == "ascents" and n > SEARCH_LIMIT:
            raise ConfigurationError(
                f"{topology.name}: vc_scheme must be escape above n={SEARCH_LIMIT}, where the "
                f"virtual channels that ascents needs are not known, not ascents with n={n}"
            )
        scheme = "ascents" if n <= SEARCH_LIMIT else "escape"
        return replace(self, vc_scheme=self.vc_scheme or scheme)


class ShortestPath(Routing):
    """spr: shortest path routing, without a state in the packet.

    With ``vc_scheme=ascents`` the dimensions fall within each class except the last. The deadlock
    check shows that the last one has no rings; the number of classes is the least that passes it.
    With ``vc_scheme=escape`` paths are shortest until a packet escapes.

    References
    ----------
    D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, chapter 2, whose spr keeps a set of
    terms in the source. Here each router finds the next link from its own address and the
    destination.
    """

    name: ClassVar[str] = "spr"
    options_class: ClassVar[type[RoutingOptions]] = ShortestPathOptions
    options: ShortestPathOptions
    topology: Moebius

    def __init__(self, topology: Moebius, *, options: RoutingOptions | None = None, **more: Any):
        options = options or ShortestPathOptions().with_scheme(topology)
        super().__init__(topology, options=options, **more)

    def needed_virtual_channels(self) -> int:
        """Two with an escape class, else the least number that passes the deadlock check."""
        return 2 if self.options.vc_scheme == "escape" else least_classes(self.topology)

    @property
    def escape_class(self) -> int | None:
        """Class 1 of ``vc_scheme=escape``."""
        return 1 if self.options.vc_scheme == "escape" and self.classes == 2 else None

    @property
    def rule(self) -> Rule:
        """See `shortest_by_ascents` and `shortest_with_escape`."""
        escapes = self.options.vc_scheme == "escape"
        return shortest_with_escape if escapes else shortest_by_ascents

    @property
    def parameters(self) -> np.ndarray:
        """See `ShortestPathNumbers`."""
        topology = self.topology
        return np.array(ShortestPathNumbers(topology.n, topology.twist, self.classes - 1), np.int64)

    def class_turns(self, router: int) -> set[Turn]:
        """Those that packets take; for large networks all that an escaping packet might."""
        if self.topology.nodes <= ENUMERATION_LIMIT:
            return super().class_turns(router)
        ports = self.topology.connected_ports(router)
        turns = {Turn(i, 0, o, 0) for i in ports for o in ports if i != o or i == LOCAL}
        turns |= {Turn(i, 0, o, 1) for i in ports for o in ports if i != o != LOCAL}
        return turns | {Turn(i, 1, o, int(o > 0)) for i in ports for o in ports if o < i}

    def rank(self) -> np.ndarray | None:
        """In the escape class lower dimensions have higher ranks."""
        if self.escape_class is None:
            return None
        return -np.arange(len(self.topology.ports), dtype=np.int64)[None, :, None]


@cache
def least_classes(topology: Moebius) -> int:
    """Least number of classes by which ``vc_scheme=ascents`` passes the deadlock check."""

    class Candidate(ShortestPath):
        def needed_virtual_channels(self) -> int:
            return self.topology.n

    # Each class but the first is left by a rise, so a path of n links has fewer than n.
    for classes in range(1, topology.n):
        if check_deadlock(Candidate(topology, virtual_channels=classes)).deadlock_free:
            return classes
    return topology.n
