"""Routings of the Möbius cubes."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise, product
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..errors import ConfigurationError
from ..parameters import Choice, RouterParameters, parameter
from ..topology import LOCAL, Moebius, Topology
from .base import Routing
from .compiled.compilable import compilable
from .deadlock import ENUMERATION_LIMIT, check_deadlock
from .dimension_order import HighestDimensionFirst, highest_difference
from .options import RoutingOptions
from .rules import Hop, Rule, Turn, lane
from .walks.all_pairs import Walks


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


class Term(NamedTuple):
    """Change of address by one link; in dimension 0 both kinds are one, written twisted."""

    dimension: int
    twisted: bool

    def __str__(self) -> str:
        """As the thesis writes it: ``e2``, or ``E2`` for a twisted link."""
        return f"{'E' if self.twisted else 'e'}{self.dimension}"

    @property
    def mask(self) -> int:
        """Bits that change."""
        return (2 << self.dimension) - 1 if self.twisted else 1 << self.dimension

    def fits(self, cube: Moebius, router: int) -> bool:
        """Whether the link of `router` in this dimension is of this kind."""
        kind = (router | cube.twist << cube.n) >> (self.dimension + 1) & 1
        return self.twisted == bool(kind)

    def is_crossable(self, cube: Moebius, router: int) -> bool:
        """Whether the link of `router` in this dimension makes this change."""
        return self.dimension == 0 or self.fits(cube, router)


def minimal_expansion(difference: int) -> list[Term]:
    """Fewest terms that XOR to `difference`, the highest dimension first.

    Adjacent ones need a twisted link, a one followed by a zero for a plain one (section 2.1).
    """
    terms = []
    while difference:
        top = difference.bit_length() - 1
        twisted = top == 0 or difference >> (top - 1) & 1 == 1
        terms.append(Term(top, twisted))
        difference ^= terms[-1].mask
    return terms


def with_other_top(terms: list[Term]) -> list[Term] | None:
    """Expansion of equal length with the other kind of link in the top dimension, or None.

    There is one where plain terms follow two dimensions apart up to a twisted one: all of them move
    up by one dimension and become plain (lemmas 4 and 5).
    """
    top, below = terms[0], terms[0].dimension
    for count, term in enumerate(terms[1:], start=1):
        below -= 2
        if term.dimension != below:
            return None
        if term.twisted:
            moved = [Term(raised.dimension + 1, False) for raised in terms[1 : count + 1]]
            return [Term(top.dimension, not top.twisted), *moved, *terms[count + 1 :]]
    return None


def approx_spr(cube: Moebius, source: int, destination: int) -> list[int]:
    """Routers of the path that approxSpr finds, both ends included; not always a shortest one.

    Figure 2.3: one minimal expansion is kept, and a link that does not exist is replaced by two.
    """
    return _find_path(cube, source, destination, swap=False)


def spr(cube: Moebius, source: int, destination: int) -> list[int]:
    """Routers of the shortest path that the set-based spr finds, both ends included.

    Figure 2.9: before a link is replaced by two, `with_other_top` is tried.
    """
    return _find_path(cube, source, destination, swap=True)


def _find_path(cube: Moebius, source: int, destination: int, *, swap: bool) -> list[int]:
    """Path from both ends: `head` grows from the source, `tail` back from the destination."""
    head, tail = [source], [destination]
    terms = minimal_expansion(source ^ destination)
    while terms:
        top, router = terms[0], head[-1]
        if not top.is_crossable(cube, router):
            swapped = with_other_top(terms) if swap else None
            other = [Term(top.dimension, not top.twisted), Term(top.dimension - 1, True)]
            terms = swapped or other + terms[1:]
        elif top.twisted:
            # What is below may be crossed before or after the twisted link, in the kind that fits.
            term = next((term for term in terms[1:] if term.fits(cube, router)), top)
            terms.remove(term)
            head.append(router ^ term.mask)
        else:
            terms.pop(0)
            if terms and terms[0].dimension == top.dimension - 1 and terms[0].fits(cube, router):
                tail.append(tail[-1] ^ top.mask)  # crossing it now would take the next link away
            else:
                head.append(router ^ top.mask)
    return head + tail[-2::-1]  # the ends have met in one router


def highest_first(cube: Moebius, source: int, destination: int) -> list[int]:
    """Routers of the shortest path with the highest dimension at each hop, both ends included.

    The thesis's experimental rsa has no algorithm there, only the tables in figures 2.13 and 2.14.
    This is the rule that they follow.
    """
    path = [source]
    while path[-1] != destination:
        router, top = path[-1], (path[-1] ^ destination).bit_length()
        left = distance(cube, router, destination)
        links = cube.neighbours[router, top:0:-1].tolist()  # port i + 1 is dimension i
        path.append(next(near for near in links if distance(cube, near, destination) < left))
    return path


def distance(cube: Moebius, source: int, destination: int) -> int:
    """Hops of a shortest path, by formula (section 2.4).

    Once a twisted link is used, each term below may be of either kind, and the rest costs just its
    minimal expansion; a plain link frees the dimension under it alone.
    """
    difference, hops = source ^ destination, 0
    while difference:
        top = difference.bit_length() - 1
        if Term(top, True).is_crossable(cube, source):  # in dimension 0 nothing is left
            return hops + 1 + _free_weight(difference, top)
        difference ^= 1 << top
        hops += 1
        if difference >> (top - 1):
            if not _is_next_plain(difference, top - 1):
                return hops + 1 + _free_weight(difference, top - 1)
            difference ^= 1 << (top - 1)
            hops += 1
    return hops


def _free_weight(difference: int, dimension: int) -> int:
    """Terms below a twisted link of `dimension`, where their kinds are free."""
    below = (1 << dimension) - 1
    return len(minimal_expansion(~difference & below))


def _is_next_plain(difference: int, dimension: int) -> bool:
    """Whether the term after a plain one, one dimension below it, is best plain too.

    The bits below it decide, in pairs from the top: 01 leaves it open, 00 means yes, others mean
    no. A single last bit means yes if it is 0; if no bits are left, the answer is no.
    """
    while dimension >= 2:
        pair = difference >> (dimension - 2) & 3
        if pair != 1:
            return pair == 0
        dimension -= 2
    return dimension == 1 and not difference & 1


class SourceRouted(Routing):
    """Routing that finds the complete path of a packet before the packet leaves.

    A subclass gives `routers`. A router that has only the packet's address cannot continue the path
    that the source chose, so there is no rule, and no hardware or model. Paths, tables and the
    deadlock check follow the paths of all pairs in plain Python, up to `walk_limit` nodes.
    """

    unbuildable: ClassVar[str | None] = "its path is found at the source"
    walk_limit: ClassVar[int] = 512

    @abstractmethod
    def routers(self, source: int, destination: int) -> list[int]:
        """Routers of the path, both ends included."""

    @property
    def rule(self) -> Rule:
        """There is none: raises `ConfigurationError`."""
        raise ConfigurationError(
            f"{self.topology.name}: routing={self.name} must be used for paths, not for a rule: "
            f"{self.unbuildable}"
        )

    def require_sound(self) -> None:
        """No rule to refuse; each path is checked against the links when it is computed."""

    def hops(self, source: int, destination: int, number: int = 0) -> list[Hop]:
        """Routers of a path with the way out of each; one virtual channel from end to end."""
        del number
        topology = self.topology
        path = self.routers(source, destination)
        channel = lane(topology.address(source), topology.address(destination), self.lanes)
        ways = [Hop(here, self._port(here, after), channel) for here, after in pairwise(path)]
        return [*ways, Hop(destination, LOCAL, 0)]

    def _port(self, router: int, after: int) -> int:
        row = self.topology.neighbours[router].tolist()
        if after not in row:
            raise ValueError(
                f"routing={self.name}: a path must follow links, not go from {router} to {after}"
            )
        return row.index(after)

    @cached_property
    def walks(self) -> Walks:
        """Channel dependencies, and turns by the routers' groups."""
        topology = self.topology
        neighbours, peer_ports = topology.neighbours, topology.peer_ports
        ports = neighbours.shape[1]
        marks = np.zeros((neighbours.size, ports, 1), np.bool_)
        groups = self.router_groups.tolist()
        turns: list[set[Turn]] = [set() for _ in range(max(groups) + 1)]
        for source, destination in self._pairs():
            hops, arrived = self.hops(source, destination), LOCAL
            for hold, want in pairwise(hops):
                turns[groups[hold.router]].add(Turn(arrived, 0, hold.port, 0))
                arrived = int(peer_ports[hold.router, hold.port])
                if want.port != LOCAL:
                    marks[hold.router * ports + hold.port, want.port, 0] = True
            turns[groups[destination]].add(Turn(arrived, 0, LOCAL, 0))
        return Walks(marks, turns, [set() for _ in turns])

    def rank(self) -> None:
        """There is none: raises `ConfigurationError`, since all pairs are too many to walk."""
        raise self._too_many()

    def first_hops(self) -> np.ndarray:
        """Next router for every (source, destination), int32, -1 on the diagonal."""
        nodes = self.topology.nodes
        table = np.full((nodes, nodes), -1, np.int32)
        for source, destination in self._pairs():
            if source != destination:
                table[source, destination] = self.routers(source, destination)[1]
        return table

    def walk_lengths(self) -> np.ndarray:
        """Hops of the path for every (source, destination), int32."""
        nodes = self.topology.nodes
        lengths = np.zeros((nodes, nodes), np.int32)
        for source, destination in self._pairs():
            lengths[source, destination] = len(self.routers(source, destination)) - 1
        return lengths

    def table_rows(self) -> Iterator[tuple[int, int, int, int]]:
        """First hop of each path, as if every router were the source of what comes to it.

        The class is the number of hops left, less one. Where paths are shortest it falls at each
        hop, so no ring of channels can form.
        """
        for source, destination in self._pairs():
            if source != destination:
                hops = self.hops(source, destination)
                yield source, destination, hops[0].port, len(hops) - 2

    def _pairs(self) -> Iterator[tuple[int, int]]:
        if self.topology.nodes > self.walk_limit:
            raise self._too_many()
        nodes = range(self.topology.nodes)
        return product(nodes, nodes)

    def _too_many(self) -> ConfigurationError:
        return ConfigurationError(
            f"{self.topology.name}: nodes must be at most {self.walk_limit} to walk all pairs "
            f"with routing={self.name}, not {self.topology.nodes}"
        )


class _Expanded(SourceRouted):
    """Routing by a set of terms, of which every hop uses one up."""

    unbuildable: ClassVar[str | None] = (
        "its path is found at the source, where the set of terms left would have to travel with "
        "the packet; use routing=spr"
    )
    topology: Moebius

    def pair_facts(self, source: int, destination: int) -> dict[str, Any]:
        """Minimal expansion with which the source begins, and that with the other top term."""
        terms = minimal_expansion(source ^ destination)
        other = with_other_top(terms) if terms else None
        return {
            "expansion": list(map(str, terms)),
            "other_expansion": other and list(map(str, other)),
        }


class ApproxSpr(_Expanded):
    """approx_spr: nearly always shortest, from one minimal expansion kept at the source.

    References
    ----------
    D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, section 2.2, corrected as in
    `expansions`.
    """

    name: ClassVar[str] = "approx_spr"

    def routers(self, source: int, destination: int) -> list[int]:
        """See `expansions.approx_spr`."""
        return approx_spr(self.topology, source, destination)


class SetSpr(_Expanded):
    """set_spr: shortest paths, from a set of terms kept at the source.

    Its next routers in the cubes of four dimensions are those of figures 2.11 and 2.12.

    References
    ----------
    D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, section 2.3, corrected as in
    `expansions`.
    """

    name: ClassVar[str] = "set_spr"

    def routers(self, source: int, destination: int) -> list[int]:
        """See `expansions.spr`."""
        return spr(self.topology, source, destination)


class HighestFirst(SourceRouted):
    """rsa: shortest paths that cross the highest dimension they can at each hop.

    Its next routers in the cubes of four dimensions are those of figures 2.13 and 2.14.

    References
    ----------
    D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, sections 2.5 and 5.3, which print the
    tables of rsa and no algorithm.
    """

    name: ClassVar[str] = "rsa"
    unbuildable: ClassVar[str | None] = (
        "it compares the distances from all neighbours, which no gates compute; use routing=spr"
    )
    topology: Moebius

    def routers(self, source: int, destination: int) -> list[int]:
        """See `expansions.highest_first`."""
        return highest_first(self.topology, source, destination)


ROUTINGS = (DeadlockFree, ShortestPath, ApproxSpr, SetSpr, HighestFirst)
