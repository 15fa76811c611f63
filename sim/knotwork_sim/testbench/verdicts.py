"""What a testbench says of packets that are late, or other than awaited."""

from collections.abc import Sequence
from typing import NamedTuple

from knotwork.wording.numbers import plural

from ..scoreboard import Mismatch, Scoreboard
from ..scoreboard.mismatch import make_mismatch
from ..scoreboard.network_facts import NetworkFacts
from ..scoreboard.sent_packet import SentPacket


class Arrival(NamedTuple):
    """Packet that a node has taken whole.

    Members
    -------
    packet : SentPacket
        What was sent.
    node : int
        Node.
    data : tuple of int
        Its beats.
    tuser : int
        What came with its last beat; 0 where there is no such signal.
    cycle : int
        Cycle of its last beat.
    """

    packet: SentPacket
    node: int
    data: tuple[int, ...]
    tuser: int
    cycle: int


def late(scoreboard: Scoreboard, node: int, within: int, cycle: int) -> Mismatch:
    """No packet has come that a test awaits."""
    label = scoreboard.facts.label(node)
    due = [packet for packet in scoreboard.packets if node in packet.nodes]
    return make_mismatch(
        scoreboard.facts,
        "late",
        f"{label} must get a packet within {within} cycles, and got none",
        packet=due[0] if len(due) == 1 else None,
        node=node,
        cycle=cycle,
    )


def other(
    scoreboard: Scoreboard, arrival: Arrival, *, source: int | None, data: Sequence[int] | None
) -> Mismatch | None:
    """Another packet has come than a test awaits, if that is so."""
    label = scoreboard.facts.label
    if source is not None and source != arrival.packet.source:
        awaited, got = f"one from {label(source)}", f"one from {label(arrival.packet.source)}"
    elif data is not None and tuple(data) != arrival.data:
        awaited, got = (", ".join(map(hex, each)) for each in (data, arrival.data))
    else:
        return None
    return make_mismatch(
        scoreboard.facts,
        "other",
        f"{label(arrival.node)} must get the packet that is awaited",
        packet=arrival.packet,
        node=arrival.node,
        cycle=arrival.cycle,
        details=[("awaited", awaited), ("got", got)],
    )


def unseen(scoreboard: Scoreboard, packet: SentPacket, hop: int, cycle: int) -> Mismatch:
    """A packet has not come to a buffer in which a bit of it was to flip."""
    return make_mismatch(
        scoreboard.facts,
        "unseen",
        f"packet {packet.number} must come to buffer {hop} of its way, and did not",
        packet=packet,
        cycle=cycle,
    )


def stuck(scoreboard: Scoreboard, patience: int, cycle: int) -> Mismatch:
    """Sources have beats that the network does not take."""
    return make_mismatch(
        scoreboard.facts,
        "stuck",
        f"the network must take a beat within {patience} cycles, and took none",
        cycle=cycle,
    )


def _pairs(facts: NetworkFacts) -> int:
    """Pairs of nodes that may send to each other, as far as that is known."""
    network = facts.carried.network
    if network is None:
        return len(facts.codes) ** 2
    topology = network.topology
    return sum(len(topology.receivers(node)) for node in range(topology.nodes))


def summary(scoreboard: Scoreboard, cycles: int, *, is_exact: bool) -> str:
    """What a test that passed has covered."""
    facts = scoreboard.facts
    covered = f"{len(scoreboard.pairs)} of {_pairs(facts)} pairs of nodes"
    exact = ", all as in the golden model" if is_exact else ""
    packets = plural(len(scoreboard.packets), "packet")
    return f"{packets}, {covered}, {cycles} cycles{exact}"
