"""What a scoreboard says of a wrong delivery: which packet, where it should be, where it is."""

from collections.abc import Iterable

from .network_facts import NetworkFacts
from .sent_packet import Kind, SentPacket
from .ways import route_text

SHOWN = 8
"""Packets, nodes and bits that a text lists at most."""


class Mismatch(AssertionError):
    """Something that a network did and must not do, or did not do and must.

    Members
    -------
    what : str
        The fault in a few words, as ``misrouted``.
    packet : SentPacket or None
        Packet that it is about.
    node : int or None
        Node at which it was seen, or should have been.
    cycle : int or None
        Cycle in which it was seen.
    """

    def __init__(
        self,
        text: str,
        what: str,
        *,
        packet: SentPacket | None = None,
        node: int | None = None,
        cycle: int | None = None,
    ) -> None:
        super().__init__(text)
        self.what, self.packet, self.node, self.cycle = what, packet, node, cycle


def make_mismatch(
    facts: NetworkFacts,
    what: str,
    headline: str,
    *,
    packet: SentPacket | None = None,
    node: int | None = None,
    cycle: int | None = None,
    details: Iterable[tuple[str, str]] = (),
) -> Mismatch:
    """Mismatch whose text says all that is known, a fact per line."""
    lines = list(details)
    if packet is not None:
        lines.insert(0, (f"packet {packet.number}", packet_text(facts, packet)))
        ends = [node] if node in packet.nodes else packet.nodes[:1]
        lines += [
            ("route by the rule", way) for end in ends if (way := route_text(facts, packet, end))
        ]
    at = "" if cycle is None else f", in cycle {cycle}"
    text = [f"{facts.name}: {headline}{at}"]
    text += [f"  {name}: {fact}" for name, fact in lines]
    return Mismatch("\n".join(text), what, packet=packet, node=node, cycle=cycle)


def packet_text(facts: NetworkFacts, packet: SentPacket) -> str:
    """Ends of a packet, its flits and the cycle from which it was offered."""
    offered = "" if packet.cycle is None else f", offered in cycle {packet.cycle}"
    flits = "1 flit" if packet.flits == 1 else f"{packet.flits} flits"
    return f"{facts.label(packet.source)} to {_ends(facts, packet)}, {flits}{offered}"


def _ends(facts: NetworkFacts, packet: SentPacket) -> str:
    if packet.kind is Kind.BROADCAST:
        return "everyone"
    if not packet.nodes:
        return "no node"
    return listed(facts.label(node) for node in packet.nodes)


def listed(words: Iterable[str]) -> str:
    """Words with commas; of many the first and how many more."""
    every = list(words)
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return ", ".join(every[:SHOWN]) + more
