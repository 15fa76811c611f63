"""Answer of `multicast`: the packets of each round, and whether two of a round meet."""

from collections.abc import Sequence
from dataclasses import dataclass

import click

from ...network import Network
from ...routing import multicast as rules
from ...wording import counted
from .. import output


@dataclass(frozen=True)
class Packet:
    """Packet of a round: its ends, and the routers that it passes, both ends included."""

    source: int
    destination: int
    path: list[int]

    def as_json(self) -> dict[str, object]:
        """Packet by the names that `multicast` promises."""
        return {"from": self.source, "to": self.destination, "path": self.path}


@dataclass(frozen=True)
class Multicast:
    """Rounds of a multicast.

    Members
    -------
    chain : list of int
        Destinations in the order in which the sender's hardware takes them.
    rounds : list of list of Packet
        Packets of each round.
    contention_free : bool
        Whether no two packets of a round share a link.
    """

    chain: list[int]
    rounds: list[list[Packet]]
    contention_free: bool

    def as_json(self) -> dict[str, object]:
        """Rounds by the names that `multicast` promises."""
        return {
            "chain": self.chain,
            "rounds": [[packet.as_json() for packet in packets] for packets in self.rounds],
            "contention_free": self.contention_free,
        }


def find_multicast(network: Network, source: int, members: Sequence[int]) -> Multicast:
    """Rounds in which a multicast reaches its members.

    Raises
    ------
    ConfigurationError
        A network or members that have no multicast.
    """
    routing = network.routing
    rounds = rules.multicast_rounds(routing, source, members)
    packets = [
        [
            Packet(send.source, send.destination, routing.path(send.source, send.destination))
            for send in sends
        ]
        for sends in rounds
    ]
    is_free = rules.contention(routing, rounds) is None
    return Multicast(rules.chain_of(routing, source, members), packets, is_free)


def print_multicast(network: Network, source: int, multicast: Multicast) -> None:
    """Print one row per packet of a multicast."""
    label = network.topology.label
    rows = [
        (
            number,
            packet.source,
            packet.destination,
            " ".join(map(label, packet.path)),
            len(packet.path) - 1,
        )
        for number, packets in enumerate(multicast.rounds, start=1)
        for packet in packets
    ]
    nodes = counted(len(multicast.chain), "node")
    rounds = counted(len(multicast.rounds), "round")
    title = f"{network.name}: {source} to {nodes}, {rounds}"
    output.table(title, ("round", "from", "to", "path", "hops"), rows)
    sharing = "No two packets" if multicast.contention_free else "Two packets"
    click.echo(f"{sharing} of a round share a link.")
