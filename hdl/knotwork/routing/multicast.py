"""Multicast by unicasts, one port per node: each round halves what every informed node has left.

Where dimensions are crossed in falling order, two packets of a round in disjoint parts of a sorted
chain of nodes share no link, except where the left one goes to the right and the right one to the
left. Two orders never have such a pair:

``xor``
    The nodes are sorted by their address XOR the source's, the source first, so every packet goes
    to the right. This is the order of the hardware.
``address``
    The nodes are sorted by their addresses, the source anywhere. An informed node sends to the node
    of the other half that is next to the cut. Then the packets of nodes left of the source go to
    the left, and those of nodes right of it to the right.

References
----------
D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, chapter 4.

P. K. McKinley, H. Xu, A.-H. Esfahanian and L. M. Ni, "Unicast-based multicast communication in
wormhole-routed networks", IEEE Trans. Parallel and Distributed Systems 5(12), 1994: the same on the
hypercube.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..errors import ConfigurationError
from . import routings_of
from .base import Routing

XOR, ADDRESS = "xor", "address"
"""Orders of the chain: see `ORDERS`."""


class Send(NamedTuple):
    """Packet of a round: its ends, and the nodes that its destination must reach afterwards."""

    source: int
    destination: int
    chain: Sequence[int]


class Part(NamedTuple):
    """Informed node with the nodes that it must still reach, before and after it in the chain."""

    node: int
    left: tuple[int, ...]
    right: tuple[int, ...]


def check_multicast(routing: Routing, source: int, members: Collection[int]) -> None:
    """Refuse an impossible multicast.

    Raises
    ------
    ConfigurationError
        A routing whose packets would meet, no destination, one that is no node, the source, or
        named twice.
    """
    topology = routing.topology
    own = routings_of(topology.name).get(routing.name, type(routing)).router_class
    if routing.router_class != own:
        raise ConfigurationError(
            f"{topology.name}: router must be {own} for a multicast, not {routing.router_class}"
        )
    if not routing.multicasts:
        able = [known.name for known in routings_of(topology.name).values() if known.multicasts]
        in_general = "one that crosses dimensions in falling order"
        rule = f"one of {', '.join(able)}" if able else in_general
        raise ConfigurationError(
            f"{topology.name}: routing must be {rule} for a multicast, not {routing.name}"
        )
    name = topology.instance_name
    for node in (source, *members):
        if not 0 <= node < topology.nodes:
            raise ConfigurationError(
                f"{name}: a node must be an index in 0..{topology.nodes - 1}, not {node}"
            )
    for node in members:
        if not topology.may_send(source, node):
            to = topology.receivers(source)
            raise ConfigurationError(
                f"{name}: a destination must be a node to which node {source} may send, in "
                f"{to[0]}..{to[-1]}, not {node}"
            )
    if not members:
        raise ConfigurationError(f"{name}: a multicast must have 1 destination or more, not 0")
    if source in members:
        raise ConfigurationError(
            f"{name}: a destination must be another node than the source, not {source}"
        )
    seen: set[int] = set()
    for node in members:
        if node in seen:
            raise ConfigurationError(f"{name}: destinations must be distinct, not {node} twice")
        seen.add(node)


def chain_of(routing: Routing, source: int, members: Collection[int]) -> list[int]:
    """Members in the order of their address XOR the source's.

    Raises
    ------
    ConfigurationError
        See `check_multicast`.
    """
    check_multicast(routing, source, members)
    address = routing.topology.address
    return sorted(members, key=lambda node: address(node) ^ address(source))


def copies_of(chain: Sequence[int]) -> Iterator[tuple[int, Sequence[int]]]:
    """Copies that a node sends for the chain it has left: destination, and the chain it gets.

    Of k nodes c_0 .. c_{k-1} the one in the middle, c_{k // 2}, gets those after it; the sender
    continues with those before it. The hardware cuts the chain at the same place.
    """
    while chain:
        middle = len(chain) // 2
        yield chain[middle], chain[middle + 1 :]
        chain = chain[:middle]


def _from_the_first(routing: Routing, source: int, members: Collection[int]) -> Part:
    return Part(source, (), tuple(chain_of(routing, source, members)))


def _from_within(routing: Routing, source: int, members: Collection[int]) -> Part:
    check_multicast(routing, source, members)
    chain = sorted((*members, source), key=routing.topology.address)
    place = chain.index(source)
    return Part(source, tuple(chain[:place]), tuple(chain[place + 1 :]))


def _cut_as_hardware(part: Part) -> tuple[Part, Part]:
    """Both halves, the sender's first; see `copies_of`."""
    node, rest = next(copies_of(part.right))
    kept = len(part.right) - len(rest) - 1
    return Part(part.node, (), part.right[:kept]), Part(node, (), tuple(rest))


def _cut_in_the_middle(part: Part) -> tuple[Part, Part]:
    """Both halves, the sender's first: it keeps the smaller one, unless it is the very middle."""
    chain, place = (*part.left, part.node, *part.right), len(part.left)
    half = len(chain) // 2
    if place >= len(chain) - half:
        first = len(chain) - half
        sent = Part(chain[first - 1], chain[: first - 1], ())
        return Part(part.node, chain[first:place], part.right), sent
    first = max(half, place + 1)
    sent = Part(chain[first], (), chain[first + 1 :])
    return Part(part.node, part.left, chain[place + 1 : first]), sent


ORDERS = {
    XOR: (_from_the_first, _cut_as_hardware),
    ADDRESS: (_from_within, _cut_in_the_middle),
}
"""Orders of the chain: the source's part of it, and how a part is cut."""


def is_sendable(routing: Routing, source: int, chain: Sequence[int], beats: int) -> bool:
    """Whether a multicast unit takes a packet of `beats` beats, of which the chain is the first.

    Parameters
    ----------
    routing : Routing
        One with ``multicast=yes``.
    source : int
        Node.
    chain : sequence of int
        Addresses, as the beats have them.
    """
    topology, own = routing.topology, routing.topology.address(source)
    ends = [topology.node_at(address) for address in chain]
    offsets = [0, *(address ^ own for address in chain)]
    return (
        1 <= len(chain) <= routing.chain_limit
        and len(chain) < beats <= routing.options.longest_copied_packet
        and all(end is not None and topology.may_send(source, end) for end in ends)
        and all(before < after for before, after in pairwise(offsets))
    )


def multicast_rounds(
    routing: Routing, source: int, members: Collection[int], order: str = XOR
) -> list[list[Send]]:
    """Packets of each round, ⌈log2(members + 1)⌉ rounds in all.

    In each round every node with nodes left to reach sends one packet.

    Parameters
    ----------
    routing : Routing
        One whose packets do not meet.
    source : int
        Node.
    members : collection of int
        Destinations.
    order : str
        One of `ORDERS`.

    Raises
    ------
    ConfigurationError
        See `check_multicast`.
    """
    first, cut = ORDERS[order]
    parts = [first(routing, source, members)]
    rounds = []
    while any(part.left or part.right for part in parts):
        sends, after = [], []
        for part in parts:
            halves = cut(part) if part.left or part.right else (part,)
            sends += [Send(part.node, sent.node, sent.left + sent.right) for sent in halves[1:]]
            after += halves
        parts = after
        rounds.append(sends)
    return rounds


def contention(routing: Routing, rounds: Iterable[Iterable[Send]]) -> tuple[int, int] | None:
    """Routers of the first channel that two packets of one round share; None where none do."""
    for sends in rounds:
        taken: set[tuple[int, int]] = set()
        for send in sends:
            for hop, after in pairwise(routing.hops(send.source, send.destination)):
                if (hop.router, hop.port) in taken:
                    return hop.router, after.router
                taken.add((hop.router, hop.port))
    return None
