"""Scoreboard of a network: every packet at its node, once, unchanged, in order, in its cycle.

It knows no simulator. A testbench reports what nodes send (`Scoreboard.sent`, or `expect_packets`
for all packets of a run) and what nodes see (`beat` or `received`, `refused`); it raises `Mismatch`
at the first thing that is wrong.
"""

from collections import Counter
from collections.abc import Sequence

from knotwork.network import Network

from ..model.record import Record, TakenBeat
from ..traffic.packets import Packets
from . import faults, inexact
from .arrivals import take, unfinished
from .exact_cycles import ExactCycles
from .expected import Expected, send
from .faults import Arrival
from .losses import Losable
from .network_facts import NetworkFacts
from .sent_packet import SentPacket


class Scoreboard(Losable):
    """Checker of a network's deliveries: what it gets is right, or it raises `Mismatch`.

    Unicasts of a flow must arrive in order, unless the network gives that up, its requests and its
    replies each among themselves; broadcasts of a source must arrive in order at every node;
    multicasts may overtake each other.

    Parameters
    ----------
    network : Network or NetworkFacts
        What is judged.

    Members
    -------
    pairs : Counter of (int, int)
        Packets delivered by (source, destination).
    """

    def __init__(self, network: Network | NetworkFacts) -> None:
        given = isinstance(network, NetworkFacts)
        self.pairs: Counter[tuple[int, int]] = Counter()
        self._expected = Expected(network if given else NetworkFacts.of(network))
        self.facts = self._expected.facts
        self._open: dict[int, list[TakenBeat]] = {}
        self._exact: ExactCycles | None = None

    @property
    def packets(self) -> list[SentPacket]:
        """What was sent, by number."""
        return self._expected.packets

    @property
    def is_complete(self) -> bool:
        """Whether everything that was sent has been delivered or refused."""
        return not (self._expected.left or self._open or any(self._expected.refusals.values()))

    def sent(
        self,
        source: int,
        to: int | Sequence[int] | None,
        data: Sequence[int],
        *,
        cycle: int | None = None,
    ) -> SentPacket:
        """Expect a packet that a node sends, offered from a cycle on.

        Parameters
        ----------
        to : int, sequence of int, or None
            Node; nodes of a multicast in the order of its chain; None for a broadcast. A number
            that is no node's stands for an address that no node has.
        data : sequence of int
            Flits of data, without a multicast's chain.
        """
        return send(self._expected, source, to, data, cycle)

    def upset(self, packet: SentPacket, bit: int) -> SentPacket:
        """Expect a packet to one node with a bit of its first flit flipped, and `tuser` 1."""
        return self._expected.upset(packet, bit)

    def expect_packets(self, packets: Packets) -> None:
        """Expect all packets of a run."""
        self._expected.add_all(packets)

    def again(self) -> "Scoreboard":
        """Scoreboard that expects the same packets, none of which has come."""
        board = Scoreboard(self.facts)
        board._expected.add_again(self.packets)
        return board

    def expect_cycles(self, golden: Record | ExactCycles) -> None:
        """Expect everything in the cycle in which a golden model had it."""
        self._exact = ExactCycles.of(golden) if isinstance(golden, Record) else golden

    def beat(self, beat: TakenBeat) -> SentPacket | None:
        """Judge a beat that a node took: the packet, if the beat is its last."""
        if self._exact is not None and not self._exact.takes(beat):
            raise inexact.wrong_beat(self._expected, beat, self._exact)
        beats = self._open.setdefault(beat.node, [])
        beats.append(beat)
        if beat.source != beats[0].source:
            raise faults.interleaved(self.facts, beats)
        if not beat.last:
            return None
        del self._open[beat.node]
        data, users = [each.data for each in beats], [each.user for each in beats]
        return self.received(beat.node, data, tid=beat.source, user=max(users), cycle=beat.clock)

    def received(
        self,
        node: int,
        data: Sequence[int],
        *,
        tid: int = 0,
        user: int = 0,
        cycle: int | None = None,
    ) -> SentPacket:
        """Judge a packet that a node has taken whole, its last beat in a cycle.

        Parameters
        ----------
        data : sequence of int
            Its beats.
        tid : int
            Source's address that came with it; not read where packets carry none.
        user : int
            `tuser` that came with it.
        """
        arrival = Arrival(node, tid, self.facts.contents(data), user, cycle)
        packet = take(self._expected, arrival)
        self.pairs[packet.source, node] += not user & self.facts.lost_flag
        return packet

    def refused(self, node: int, cycle: int | None = None) -> SentPacket:
        """Judge a pulse of a node's `refused`: the packet that was refused."""
        if not self._expected.refusals[node]:
            raise faults.wrongly_refused(self.facts, node, cycle)
        packet = self._expected.refusals[node].popleft()
        if self._exact is not None and cycle is not None and not self._exact.refuses(node, cycle):
            raise inexact.wrong_refusal(self.facts, packet, node, cycle, self._exact)
        return packet

    def injected(self, number: int, cycle: int) -> None:
        """Judge the cycle in which the network takes the first beat of a packet, -1 if never."""
        if self._exact is not None and not self._exact.injects(number, cycle):
            raise inexact.wrong_injection(self.facts, self.packets[number], cycle, self._exact)

    def status(self, cycle: int, value: int) -> None:
        """Judge a change of the status, that to its value in the first cycle included."""
        if self._exact is not None and not self._exact.shows(cycle, value):
            raise inexact.wrong_status(self.facts, cycle, value, self._exact)

    def passed(self, cycle: int) -> None:
        """Judge the end of a cycle: no beat of the golden model is missing until then."""
        if self._exact is not None and self._exact.misses(cycle):
            raise inexact.missing_beat(self._expected, self._exact)

    def finish(self) -> None:
        """Judge the end of a run: nothing is missing."""
        mismatch = unfinished(self._expected, self._open.values())
        if mismatch is not None:
            raise mismatch
        self.finish_cycles()

    def finish_cycles(self) -> None:
        """Judge the end of the golden model's events: none is missing, but for `passed`'s beats."""
        if self._exact is not None:
            mismatch = inexact.unfinished(self._expected, self._exact)
            if mismatch is not None:
                raise mismatch
