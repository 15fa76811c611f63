"""Judge of what a watcher sees: a scoreboard, and the packets that nodes have got."""

from collections import deque
from collections.abc import Container

from knotwork.emit.loading import lost_packet
from knotwork.network import Network

from ..model.record import TakenBeat
from ..scoreboard import Scoreboard
from ..scoreboard.replay import check_events
from ..scoreboard.sent_packet import SentPacket
from .golden import declares_dead, golden_cycles, injections
from .headers import meaning
from .observation import Observation, OfferedPacket
from .verdicts import Arrival


class Judge:
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
