"""Answer of `multicast`: the packets of each round, and whether two of a round meet."""

from collections.abc import Sequence
from dataclasses import dataclass

import click

from ...network import Network
from ...routing import multicast as rules
from ...wording import plural
from .. import output


@dataclass(frozen=True)
class Packet:
    """Packet of a round: its ends, and the routers that it passes, both ends included."""

    source: int
    destination: int
    path: list[int]

    @property
    def hops(self) -> int:
        """Links that it crosses."""
        return len(self.path) - 1

    def as_json(self) -> dict[str, object]:
        """Packet by the names that `multicast` promises."""
        return {"from": self.source, "to": self.destination, "path": self.path}


@dataclass(frozen=True)
class Multicast:
    """Rounds of a multicast.

    Members
    -------
    order : str
        Order of the chain.
    chain : list of int
        Destinations in that order; by ``xor``, as the sender's hardware takes them.
    rounds : list of list of Packet
        Packets of each round.
    contention_free : bool
        Whether no two packets of a round share a link.
    """

    order: str
    chain: list[int]
    rounds: list[list[Packet]]
    contention_free: bool

    @property
    def hops(self) -> int:
        """Links that all packets cross."""
        return sum(packet.hops for packets in self.rounds for packet in packets)

    def facts(self) -> dict[str, object]:
        """What orders are compared by; critical hops are the longest path of each round, added."""
        longest = [max(packet.hops for packet in packets) for packets in self.rounds]
        return {
            "order": self.order,
            "rounds": len(self.rounds),
            "hops": self.hops,
            "longest_path": max(longest),
            "critical_hops": sum(longest),
            "contention_free": self.contention_free,
        }

    def as_json(self) -> dict[str, object]:
        """Rounds by the names that `multicast` promises."""
        return {
            "order": self.order,
            "chain": self.chain,
            "hops": self.hops,
            "rounds": [[packet.as_json() for packet in packets] for packets in self.rounds],
            "contention_free": self.contention_free,
        }


def find_multicast(
    network: Network, source: int, members: Sequence[int], order: str = rules.XOR
) -> Multicast:
    """Rounds in which a multicast reaches its members.

    Raises
    ------
    ConfigurationError
        A network or members that have no multicast.
    """
    routing = network.routing
    rounds = rules.multicast_rounds(routing, source, members, order)
    packets = [
        [
            Packet(send.source, send.destination, routing.path(send.source, send.destination))
            for send in sends
        ]
        for sends in rounds
    ]
    is_free = rules.contention(routing, rounds) is None
    first, _ = rules.ORDERS[order]
    _, left, right = first(routing, source, members)
    return Multicast(order, [*left, *right], packets, is_free)


def compare_orders(
    network: Network, source: int, members: Sequence[int]
) -> list[dict[str, object]]:
    """Facts of a multicast by each order.

    Raises
    ------
    ConfigurationError
        A network or members that have no multicast.
    """
    return [find_multicast(network, source, members, order).facts() for order in rules.ORDERS]


def print_orders(network: Network, source: int, facts: Sequence[dict[str, object]]) -> None:
    """Print one row per order."""
    columns = [name.replace("_", " ") for name in facts[0]]
    title = f"{network.name}: multicasts from {network.topology.label(source)}"
    output.table(title, columns, [list(row.values()) for row in facts])


def print_multicast(network: Network, source: int, multicast: Multicast) -> None:
    """Print one row per packet of a multicast."""
    label = network.topology.label
    rows = [
        (
            number,
            packet.source,
            packet.destination,
            " ".join(map(label, packet.path)),
            packet.hops,
        )
        for number, packets in enumerate(multicast.rounds, start=1)
        for packet in packets
    ]
    nodes = plural(len(multicast.chain), "node")
    rounds = plural(len(multicast.rounds), "round")
    title = f"{network.name}: {source} to {nodes}, {rounds}, {plural(multicast.hops, 'hop')}"
    output.table(title, ("round", "from", "to", "path", "hops"), rows)
    sharing = "No two packets" if multicast.contention_free else "Two packets"
    click.echo(f"{sharing} of a round share a link.")
