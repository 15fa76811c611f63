"""Checker of what a watcher sees: a scoreboard, the packets that nodes got, and what is wrong."""

from collections import deque
from collections.abc import Container, Sequence
from typing import NamedTuple

from knotwork.emit.loading import lost_packet
from knotwork.network import Network
from knotwork.wording import plural

from ..model.record import TakenBeat
from ..scoreboard import Mismatch, Scoreboard
from ..scoreboard.mismatch import make_mismatch
from ..scoreboard.network_facts import NetworkFacts, SentPacket
from ..scoreboard.scoreboard import check_events
from .golden import declares_dead, golden_cycles, injections
from .headers import meaning
from .observation import Observation, OfferedPacket


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


def late_packet(scoreboard: Scoreboard, node: int, within: int, cycle: int) -> Mismatch:
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


def unexpected_packet(
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


def missed_upset(scoreboard: Scoreboard, packet: SentPacket, hop: int, cycle: int) -> Mismatch:
    """A packet has not come to a buffer in which a bit of it was to flip."""
    return make_mismatch(
        scoreboard.facts,
        "unseen",
        f"packet {packet.number} must come to buffer {hop} of its way, and did not",
        packet=packet,
        cycle=cycle,
    )


def stuck_network(scoreboard: Scoreboard, patience: int, cycle: int) -> Mismatch:
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


class TrafficChecker:
    """Scoreboard of what nodes send and get; a reset makes a new one.

    Parameters
    ----------
    network : Network
        The network.
    driven : container of int
        Nodes whose packets are expected from their sending on; those of the others when the
        network has taken them.

    Members
    -------
    scoreboard : Scoreboard
        What must come since the last reset.
    arrived : dict of int to deque of Arrival
        Packets that each node has got and that no test has waited for yet.
    """

    def __init__(self, network: Network, driven: Container[int]) -> None:
        self._network, self._driven = network, driven
        self.forget()

    def forget(self) -> None:
        """Forget all packets: a reset has begun."""
        nodes = range(self._network.topology.nodes)
        self.scoreboard = Scoreboard(self._network)
        self.arrived: dict[int, deque[Arrival]] = {node: deque() for node in nodes}
        self._beats: dict[int, list[int]] = {node: [] for node in nodes}

    def expect_packet(self, packet: OfferedPacket, cycle: int | None = None) -> SentPacket:
        """Expect what must become of a packet that is offered from this cycle on."""
        found = meaning(self._network, packet)
        return self.scoreboard.sent(packet.source, found.to, found.data, cycle=cycle)

    def note_packet(self, packet: OfferedPacket) -> None:
        """Note a packet that the network has taken whole."""
        if packet.source not in self._driven:
            self.expect_packet(packet, packet.offered[0])

    def note_beat(self, beat: TakenBeat) -> None:
        """Note a beat that a node has taken.

        Raises
        ------
        Mismatch
            It is not what must come.
        """
        self._beats[beat.node].append(beat.data)
        packet = self.scoreboard.beat(beat)
        if packet is not None:
            data, self._beats[beat.node] = tuple(self._beats[beat.node]), []
            self.arrived[beat.node].append(Arrival(packet, beat.node, data, beat.user, beat.clock))

    def note_refusal(self, node: int, cycle: int) -> None:
        """Note that a packet of a node was refused.

        Raises
        ------
        Mismatch
            The node has sent none that must be.
        """
        self.scoreboard.refused(node, cycle)

    def note_status(self, value: int, cycle: int) -> None:
        """Note the status of a network whose packets may be lost.

        Raises
        ------
        Mismatch
            It reports the loss of a packet that is not on its way.
        """
        loss = lost_packet(self._network, value) if self._network.loads_tables else None
        if loss is not None:
            self.scoreboard.lost(*loss, cycle)

    def note_upset(self, packet: SentPacket, bit: int, seen: Observation) -> SentPacket:
        """Expect a packet with this bit of its first beat flipped, and marked.

        What was seen to enter is changed too: the golden model knows no upsets.
        """
        place = [each for each in self.scoreboard.packets if each.source == packet.source].index(
            packet
        )
        offered = seen.sent[packet.source][place]
        offered.data[0] ^= 1 << bit
        offered.is_upset = True
        return self.scoreboard.upset(packet, bit)

    def check_cycles(self, seen: Observation) -> bool:
        """Compare what was seen with the golden model, cycle by cycle; whether that is possible.

        Raises
        ------
        Mismatch
            The first event that only one of both has.
        """
        if self._network.loads_tables and declares_dead(self._network, seen):
            return False
        if not any(seen.sent):
            return True
        board = self.scoreboard.again()
        board.expect_cycles(golden_cycles(self._network, seen, board.packets))
        check_events(
            board,
            beats=seen.beats,
            refused=seen.refused,
            injected=injections(seen, board.packets),
            status=seen.status,
        )
        board.passed(seen.cycles - 1)
        board.finish_cycles()
        return True
