"""Collectives of a group of nodes: their messages, and the tree on which they run.

The tree spans the group along the links of any topology. It is laid breadth first from a centre, so
that it is as shallow as the links allow; a router without members at or below it is left out. The
tree has its own order of nodes: those of a router first, and then its children's, those first that
have theirs first. So the members below every branch are consecutive.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from ..errors import ConfigurationError
from ..operations import PREFIX, UserOperation
from ..topology import Topology
from ..topology.metrics import distances
from ..wording import entry_named


class Collective(IntEnum):
    """What a message starts. From `BROADCAST` on one node sends; before it, all of the group do."""

    BARRIER = 0
    ALL_REDUCE = 1
    REDUCE = 2
    GATHER = 3
    BROADCAST = 4
    MULTICAST = 5
    SCATTER = 6


KIND_BITS = 3
"""Bits of a `Collective`."""

REDUCING = frozenset({Collective.ALL_REDUCE, Collective.REDUCE})
"""Collectives whose messages name an operation."""

ROOTED = frozenset({Collective.REDUCE, Collective.GATHER})
"""Collectives whose messages name the member that receives the answer."""

FAULTS = ("collective", "root", "length")
"""What a message may have other than the first of its group's, by the bits of a fault."""


ZERO_IS_NEUTRAL = {
    "sum": (True, True),
    "min": (False, False),
    "max": (True, False),
    "and": (False, False),
    "or": (True, True),
    "xor": (True, True),
}
"""Operations: whether an unsigned element, or a signed one, stays itself when combined with 0."""


Element = TypeVar("Element")


@dataclass(frozen=True)
class Operation:
    """Operation of a reduction, on beats of several elements.

    Parameters
    ----------
    name : str
        One of `ZERO_IS_NEUTRAL`, or ``user:<name>``.
    element_width : int
        Bits of an element; as many fill a beat as fit.
    signed : bool
        Elements are in two's complement.
    user_defined : type of UserOperation, optional
        The operation of that name; without it nothing can be combined.

    Raises
    ------
    ConfigurationError
        No such operation, or an element without bits.
    """

    name: str
    element_width: int
    signed: bool = False
    user_defined: type[UserOperation] | None = None

    def __post_init__(self) -> None:
        if not self.name.startswith(PREFIX):
            entry_named(ZERO_IS_NEUTRAL, "collectives: an operation", self.name)
        if self.element_width < 1:
            raise ConfigurationError(
                f"collectives: {self.name}: an element must have at least 1 bit, not "
                f"{self.element_width}"
            )

    @property
    def is_neutral_zero(self) -> bool:
        """Whether an element combined with 0 is known to be itself."""
        return self.name in ZERO_IS_NEUTRAL and ZERO_IS_NEUTRAL[self.name][self.signed]

    @property
    def is_known_in_any_order(self) -> bool:
        """Whether elements can be combined here, with the same result in whatever order."""
        if self.user_defined is None:
            return self.name in ZERO_IS_NEUTRAL
        return self.user_defined.any_order

    @property
    def latency(self) -> int:
        """Cycles from two elements to their result."""
        return 0 if self.user_defined is None else self.user_defined.latency


@dataclass(frozen=True)
class MessageFormat:
    """Widths of a group's messages.

    Parameters
    ----------
    nodes : int
        Nodes of the network: bits of a multicast's mask.
    width : int
        Bits of a beat; a header must fit.
    operations : tuple of Operation
        Operations of reductions; a message names one by its place.

    Raises
    ------
    ConfigurationError
        No operation; a beat that is narrower than a header, or that its elements do not fill.
    """

    nodes: int
    width: int
    operations: tuple[Operation, ...]

    def __post_init__(self) -> None:
        if not self.operations:
            raise ConfigurationError("collectives: there must be an operation, not none")
        if self.width < self.header_bits:
            raise ConfigurationError(
                f"collectives: a beat must have at least {self.header_bits} bits, as many as a "
                f"header, not {self.width}"
            )
        for one in self.operations:
            if self.width % one.element_width:
                raise ConfigurationError(
                    f"collectives: {one.name}: the bits of an element must divide those of a beat, "
                    f"{self.width}, not {one.element_width}"
                )

    @property
    def root_bits(self) -> int:
        """Bits of a node's index."""
        return max(1, (self.nodes - 1).bit_length())

    @property
    def operation_bits(self) -> int:
        """Bits of an operation's place; none where there is one."""
        return (len(self.operations) - 1).bit_length()

    @property
    def header_bits(self) -> int:
        """Bits of a header: a `Collective`, an operation's place, and a node's index above."""
        return KIND_BITS + self.operation_bits + self.root_bits

    @property
    def mask_beats(self) -> int:
        """Beats of a multicast's mask."""
        return -(-self.nodes // self.width)

    @property
    def user_places(self) -> dict[str, tuple[int, int]]:
        """Lowest bit and bits of each field of ``tuser``; `fault` is only in an answer's."""
        widths = {"part": 1, "kind": KIND_BITS, "operation": self.operation_bits, "fault": 1}
        places, low = dict[str, tuple[int, int]](), 0
        for field, bits in widths.items():
            places[field] = low, bits
            low += bits
        return places

    @property
    def merge_cycles(self) -> int:
        """Cycles that every flit takes behind the registers of a merge.

        The slowest operation takes them; others, and what is not combined, wait for as long.
        """
        return max(one.latency for one in self.operations)

    @property
    def passes_by_zeros(self) -> bool:
        """Whether a beat combined with zeros is itself, whatever the operation."""
        return all(one.is_neutral_zero for one in self.operations)


class Branch(NamedTuple):
    """What a router of the tree leads to: a member of the group at itself, or another router.

    Members
    -------
    node : int or None
        Member that the router serves.
    child : int or None
        Router one hop further from the centre, by its place in `CollectiveTree.routers`.
    members : tuple of int
        Members at or below it, in the tree's order.
    up, down : int
        Cycles of the links from it and to it; 0 for a member.
    """

    node: int | None
    child: int | None
    members: tuple[int, ...]
    up: int
    down: int


Merging = int | tuple["Merging", "Merging"]
"""Branch by its place, or what two of these combine to."""


class TreeRouter(NamedTuple):
    """Router of the tree.

    Members
    -------
    router, hops : int
        Its number in the topology; hops from the centre.
    branches : tuple of Branch
        What it leads to.
    merging : Merging
        How the branches are combined, two at a time: more than one operation in a cycle would take
        too long.
    cycles : int
        Cycles from when all members below offer a header until the router does, with operations
        that take none.
    """

    router: int
    hops: int
    branches: tuple[Branch, ...]
    merging: Merging
    cycles: int


def has_skid_behind(merging: Merging) -> bool:
    """Whether a buffer registers `ready` behind what was combined of a router's branches.

    It passes one pair of branches, as it is; that of more would be too many gates.
    """
    return isinstance(merging, tuple) and any(isinstance(part, tuple) for part in merging)


def buffers_between(merging: Merging) -> int:
    """Buffers between the merges of a router."""
    parts = merging if isinstance(merging, tuple) else ()
    return sum(has_skid_behind(part) + buffers_between(part) for part in parts)


def merged(
    merging: Merging,
    combine: Callable[[Element, Element], Element],
    elements: Sequence[Element],
) -> Element:
    """Elements of a router's branches, combined as its merges do."""
    if isinstance(merging, int):
        return elements[merging]
    one, other = (merged(part, combine, elements) for part in merging)
    return combine(one, other)


def _before_merge(cycles: Sequence[int]) -> list[int]:
    """Cycles until branches are in front of a merge's registers.

    A link's last cycle is that of the register in front of the first operation.
    """
    return [max(one - 1, 0) for one in cycles]


def merging_of(cycles: Sequence[int]) -> tuple[Merging, int]:
    """How branches that offer after so many cycles are combined soonest, and when that is.

    The branches keep their order, so that parts of a gather do.
    """
    found: dict[tuple[int, int], tuple[int, Merging]] = {
        (place, place): (one, place) for place, one in enumerate(cycles)
    }
    for length in range(1, len(cycles)):
        for first in range(len(cycles) - length):
            last = first + length
            splits = [(found[first, at], found[at + 1, last]) for at in range(first, last)]
            left, right = min(splits, key=lambda split: max(split[0][0], split[1][0]))
            found[first, last] = max(left[0], right[0]) + 1, (left[1], right[1])
    when, merging = found[0, len(cycles) - 1]
    return merging, when


@dataclass(frozen=True)
class CollectiveTree:
    """Spanning tree of a group.

    Parameters
    ----------
    topology : Topology
        Its links may lead one way: the tree's wires lie along them both ways.
    members : tuple of int
        Nodes of the group, rising.

    Raises
    ------
    ConfigurationError
        No member, one that is no node, or one that is named twice; a network in parts.
    """

    topology: Topology
    members: tuple[int, ...]

    def __post_init__(self) -> None:
        last = self.topology.nodes - 1
        if not self.members:
            raise ConfigurationError("collectives: a group must have a member, not none")
        for before, node in zip((None, *self.members), self.members, strict=False):
            if not 0 <= node <= last:
                raise ConfigurationError(
                    f"collectives: a group's members must be nodes of 0..{last}, not {node}"
                )
            if node == before:
                raise ConfigurationError(
                    f"collectives: a group must name each member once, not {node} twice"
                )

    @cached_property
    def routers(self) -> tuple[TreeRouter, ...]:
        """Routers of the tree, the centre first; a child stands behind its parent."""
        parents, hops = self._laid
        below: dict[int, list[int]] = {}
        serving: dict[int, list[int]] = {}
        for node in self.members:
            serving.setdefault(self.topology.router_of(node), []).append(node)
        needed = set(serving)
        for served in serving:
            here = served
            while (parent := int(parents[here])) >= 0:
                below.setdefault(parent, []).append(here)
                if parent in needed:
                    break
                needed.add(parent)
                here = parent
        order = [self.centre]
        for router in order:  # grows
            below[router] = sorted(below.get(router, []))
            order += below[router]
        place = {router: number for number, router in enumerate(order)}
        found: dict[int, TreeRouter] = {}
        for router in reversed(order):
            branches = [
                Branch(node, None, (node,), 0, 0)
                for node in sorted(serving.get(router, []), key=self.topology.node_port)
            ]
            for child in below[router]:
                members = tuple(m for branch in found[child].branches for m in branch.members)
                up, down = self._latency(child, router), self._latency(router, child)
                branches.append(Branch(None, place[child], members, up, down))
            cycles = [
                0 if b.child is None else found[order[b.child]].cycles + b.up for b in branches
            ]
            soonest = sorted(range(len(branches)), key=lambda one: cycles[one])
            branches = [branches[one] for one in soonest]
            after = _before_merge([cycles[one] for one in soonest])
            merging, when = merging_of(after) if len(branches) > 1 else (0, cycles[0])
            found[router] = TreeRouter(router, int(hops[router]), tuple(branches), merging, when)
        return tuple(found[router] for router in order)

    @property
    def order(self) -> tuple[int, ...]:
        """Members in the tree's order, in which `gather` and `scatter` have their words."""
        return tuple(node for branch in self.routers[0].branches for node in branch.members)

    @property
    def depth(self) -> int:
        """Hops from the centre to the furthest router."""
        return max(router.hops for router in self.routers)

    @cached_property
    def cycles(self) -> int:
        """Cycles of the links from the furthest member to the centre and back to the furthest."""
        ups, downs = self._link_cycles
        return max(ups) + max(downs)

    def message_cycles(self, form: MessageFormat | None = None) -> int:
        """`cycles` with those in which branches are combined on the way up.

        Without a format no operation takes cycles.
        """
        latency = 0 if form is None else form.merge_cycles
        return self._offering_cycles(latency) + max(self._link_cycles[1])

    def _offering_cycles(self, latency: int) -> int:
        """Cycles from when all members offer a header until the centre does.

        Each merge on the way has a register in front of operations that take `latency` cycles.
        """

        def merge(one: int, other: int) -> int:
            return max(one, other) + 1 + latency

        found = [0] * len(self.routers)
        for number, router in reversed([*enumerate(self.routers)]):
            cycles = [0 if b.child is None else found[b.child] + b.up for b in router.branches]
            cycles = _before_merge(cycles) if len(cycles) > 1 else cycles
            found[number] = merged(router.merging, merge, cycles)
        return found[0]

    def combined(
        self, combine: Callable[[Element, Element], Element], elements: Mapping[int, Element]
    ) -> Element:
        """Elements of the members, by node, combined in the order of the tree's merges."""
        found: dict[int | None, Element] = {}
        for index in reversed(range(len(self.routers))):
            router = self.routers[index]
            found[index] = merged(
                router.merging,
                combine,
                [
                    found[one.child] if one.node is None else elements[one.node]
                    for one in router.branches
                ],
            )
        return found[0]

    @cached_property
    def _link_cycles(self) -> tuple[list[int], list[int]]:
        """Cycles of the links from each router to the centre, and from there to it."""
        ups, downs = [0] * len(self.routers), [0] * len(self.routers)
        for number, router in enumerate(self.routers):
            for branch in router.branches:
                if branch.child is not None:
                    ups[branch.child] = ups[number] + branch.up
                    downs[branch.child] = downs[number] + branch.down
        return ups, downs

    def answer_cycles(self, beats: int, form: MessageFormat | None = None) -> int:
        """Cycles from when the last member offers its first beat until the last of an answer.

        That is at the furthest member, where nobody pauses; without a format no operation takes
        cycles. A barrier's header is its answer: no beat follows it.
        """
        return self.message_cycles(form) + 3 + beats

    def has_skid_up(self, branch: Branch) -> bool:
        """Whether a buffer registers `ready` at the upper end of a link to a child that merges."""
        assert branch.child is not None
        return len(self.routers[branch.child].branches) > 1

    def has_skid_down(self, branch: Branch) -> bool:
        """Whether a buffer registers `ready` at the lower end of a link."""
        assert branch.child is not None
        return branch.child not in self._unbuffered

    @cached_property
    def _unbuffered(self) -> set[int]:
        """Routers whose `ready` passes on to their parent's in the same cycle.

        A router's `ready` takes one gate of four inputs if it has two branches, and a parent's one
        more behind the `ready` of one child: no more than these two are in series.
        """
        found: set[int] = set()
        for router in reversed(self.routers):
            quick = [
                branch.child
                for branch in router.branches
                if branch.child is not None and self._is_quick(branch.child, found)
            ]
            found |= {*quick[:1]}
        return found

    def _is_quick(self, index: int, unbuffered: set[int]) -> bool:
        """Whether a router's `ready` takes one gate, where these children pass theirs on."""
        branches = self.routers[index].branches
        return len(branches) <= 2 and unbuffered.isdisjoint(
            branch.child for branch in branches if branch.child is not None
        )

    def require_fit(self, form: MessageFormat) -> None:
        """Refuse messages whose nodes are not those of the network.

        Raises
        ------
        ConfigurationError
            Another number of nodes.
        """
        if form.nodes != self.topology.nodes:
            raise ConfigurationError(
                f"collectives: messages must be for the {self.topology.nodes} nodes of "
                f"{self.topology.name}, not for {form.nodes}"
            )

    @cached_property
    def centre(self) -> int:
        """Router whose furthest member is nearest; of several the first."""
        served = [self.topology.router_of(node) for node in self.members]
        return int(np.argmin(self._hops[:, served].max(axis=1)))

    @cached_property
    def _neighbours(self) -> np.ndarray:
        """Routers that are joined to each, in either direction; -1 where a port has no link."""
        topology = self.topology
        if not topology.is_one_way:
            return topology.neighbours
        return np.hstack([topology.neighbours, topology.senders[0]])

    @cached_property
    def _hops(self) -> np.ndarray:
        """Hops between all pairs of routers."""
        try:
            return distances(self._neighbours)
        except ValueError as error:
            raise ConfigurationError(f"collectives: {self.topology.name}: {error}") from None

    @cached_property
    def _laid(self) -> tuple[np.ndarray, np.ndarray]:
        """Parent of each router, -1 for the centre, and its hops.

        A router hangs below the one nearer to the centre that has the fewest children yet: few
        branches are combined in a cycle.
        """
        hops = self._hops[self.centre]
        parents = np.full(self.topology.routers, -1)
        children = [0] * self.topology.routers
        for router in np.argsort(hops, kind="stable")[1:].tolist():
            joined = self._neighbours[router]
            nearer = joined[(joined >= 0) & (hops[joined] + 1 == hops[router])].tolist()
            parent = min(nearer, key=lambda one: (children[one], one))
            parents[router] = parent
            children[parent] += 1
        return parents, hops

    def _latency(self, start: int, end: int) -> int:
        """Cycles of the shortest channel between routers, of the way back if there is no other."""
        latency = self.topology.link_latency
        if latency is None:
            return 1
        for sender, receiver in ((start, end), (end, start)):
            ports = np.nonzero(self.topology.neighbours[sender] == receiver)[0]
            if ports.size:
                return int(latency[sender, ports].min())
        raise AssertionError("a tree's link is a link of the topology")


def collective_tree(topology: Topology, members: Sequence[int]) -> CollectiveTree:
    """Tree of a group; its members in any order."""
    return CollectiveTree(topology, tuple(sorted(members)))
