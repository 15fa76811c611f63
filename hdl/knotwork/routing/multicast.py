"""Multicast by unicasts, one port per node: each round halves what every informed node has left.

The nodes are sorted by their address XOR the source's, the source first, so every packet goes to
the right in that order. Where dimensions are crossed in falling order, two packets of a round that
go to the right in disjoint parts of the order share no link.

References
----------
D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, chapter 4.

P. K. McKinley, H. Xu, A.-H. Esfahanian and L. M. Ni, "Unicast-based multicast communication in
wormhole-routed networks", IEEE Trans. Parallel and Distributed Systems 5(12), 1994: the same on the
hypercube.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from ..errors import ConfigurationError
from . import routings_of
from .base import Routing
from .dimension_order import HighestDimensionFirst


class Send(NamedTuple):
    """Packet of a round: its ends, and the nodes that its destination must reach afterwards."""

    source: int
    destination: int
    chain: Sequence[int]


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


def is_sendable(routing: Routing, source: int, chain: Sequence[int], beats: int) -> bool:
    """Whether a multicast unit takes a packet of `beats` beats, of which the chain is the first.

    Parameters
    ----------
    routing : Routing
        `HighestDimensionFirst` with ``multicast=yes``.
    source : int
        Node.
    chain : sequence of int
        Addresses, as the beats have them.
    """
    topology, options = routing.topology, HighestDimensionFirst.of(routing).options
    own = topology.address(source)
    offsets = [0, *(address ^ own for address in chain)]
    return (
        1 <= len(chain) <= routing.chain_limit
        and len(chain) < beats <= (options.max_packet or 0)
        and all(topology.node_at(address) is not None for address in chain)
        and all(before < after for before, after in pairwise(offsets))
    )


def multicast_rounds(routing: Routing, source: int, members: Collection[int]) -> list[list[Send]]:
    """Packets of each round, ⌈log2(members + 1)⌉ rounds in all.

    In each round every node with a chain sends the first of the copies it has left to send.

    Raises
    ------
    ConfigurationError
        See `check_multicast`.
    """
    informed = [(source, tuple(chain_of(routing, source, members)))]
    rounds = []
    while any(chain for _, chain in informed):
        sends, after = [], []
        for node, chain in informed:
            after.append((node, chain[: len(chain) // 2]))
            for destination, rest in islice(copies_of(chain), 1):
                sends.append(Send(node, destination, rest))
                after.append((destination, rest))
        informed = after
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
