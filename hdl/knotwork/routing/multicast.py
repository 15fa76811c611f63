"""Multicast by unicasts, one port a node: each round halves what every informed node has left.

The nodes stand in XOR order from the source, which is first, so every packet goes to the right: and
where dimensions are crossed in falling order, two packets of a round that both go to the right, in
parts of the order that do not overlap, share no link.

References
----------
D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, chapter 4.

P. K. McKinley, H. Xu, A.-H. Esfahanian and L. M. Ni, "Unicast-based multicast communication in
wormhole-routed networks", IEEE Trans. Parallel and Distributed Systems 5(12), 1994: the same on the
hypercube.
"""

from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import NamedTuple

from ..errors import ConfigurationError
from . import routings_of
from .base import Routing


class Send(NamedTuple):
    """Packet of a round: its ends, and the nodes that its destination must reach from there."""

    source: int
    destination: int
    chain: tuple[int, ...]


def check_multicast(routing: Routing, source: int, members: Collection[int]) -> None:
    """Refuse a multicast that cannot be.

    Raises
    ------
    ConfigurationError
        A routing whose packets would meet, no destination, one that is no node, the source, or
        named twice.
    """
    topology = routing.topology
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


def multicast_rounds(routing: Routing, source: int, members: Collection[int]) -> list[list[Send]]:
    """Packets of each round, ⌈log2(members + 1)⌉ rounds in all.

    A node with the k nodes c_1..c_k left keeps the first (k + 2) // 2 of itself, c_1, ..., c_k, and
    sends to the next one, which gets the rest for its chain. The hardware cuts in the same place.

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
            cut = len(chain) // 2  # the node itself stands before the chain
            after.append((node, chain[:cut]))
            if chain:
                sends.append(Send(node, chain[cut], chain[cut + 1 :]))
                after.append((chain[cut], chain[cut + 1 :]))
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
