"""Scoreboard of a network: every packet at its node, once, unchanged, in order, in its cycle.

It knows no simulator. A testbench reports what nodes send (`Scoreboard.sent`, or `expect_packets`
for all packets of a run) and what nodes see (`beat` or `received`, `refused`); it raises `Mismatch`
at the first thing that is wrong. `RunChecker` keeps that and lets a run go on; `check_events` and
`check_record` check what was recorded.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter

import numpy as np
from knotwork.network import Network

from ..model.record import Record, TakenBeat
from ..traffic.packets import Packets
from . import faults
from .exact_cycles import ExactCycles, beats_of
from .expected import Expected, send
from .faults import Arrival
from .mismatch import Mismatch
from .network_facts import NetworkFacts, SentPacket


class Scoreboard:
    """Checker of a network's deliveries: what it gets is right, or it raises `Mismatch`.

    Unicasts of a flow must arrive in order, requests and replies each among themselves, unless the
    network does not promise it; broadcasts of a source must arrive in order at every node;
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
    def losses(self) -> list[SentPacket]:
        """Packets that the network reported as lost, as far as they are identified."""
        return self._expected.lost

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
        """Check a beat that a node took: the packet, if the beat is its last."""
        if self._exact is not None and not self._exact.takes(beat):
            raise faults.wrong_beat(self._expected, beat, self._exact)
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
        """Check a packet that a node has taken whole, its last beat in a cycle.

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
        packet = identify(self._expected, arrival)
        self.pairs[packet.source, node] += not user & self.facts.lost_flag
        return packet

    def refused(self, node: int, cycle: int | None = None) -> SentPacket:
        """Check a pulse of a node's `refused`: the packet that was refused."""
        if not self._expected.refusals[node]:
            raise faults.wrongly_refused(self.facts, node, cycle)
        packet = self._expected.refusals[node].popleft()
        if self._exact is not None and cycle is not None and not self._exact.refuses(node, cycle):
            raise faults.wrong_refusal(self.facts, packet, node, cycle, self._exact)
        return packet

    def injected(self, number: int, cycle: int) -> None:
        """Check the cycle in which the network takes the first beat of a packet, -1 if never."""
        if self._exact is not None and not self._exact.injects(number, cycle):
            raise faults.wrong_injection(self.facts, self.packets[number], cycle, self._exact)

    def status(self, cycle: int, value: int) -> None:
        """Check a change of the status, that to its value in the first cycle included."""
        if self._exact is not None and not self._exact.shows(cycle, value):
            raise faults.wrong_status(self.facts, cycle, value, self._exact)

    def lost(self, source: int, node: int, cycle: int | None = None) -> None:
        """Check a report by the status that a packet of this flow is lost, whichever it is.

        Raises
        ------
        Mismatch
            All packets of the flow have come, or are lost already.
        """
        expected = self._expected
        if len(expected.outstanding(source, node)) <= expected.reported_lost[source, node]:
            raise faults.wrongly_lost(expected.facts, source, node, cycle)
        expected.reported_lost[source, node] += 1

    def passed(self, cycle: int) -> None:
        """Check the end of a cycle: no beat of the golden model is missing until then."""
        if self._exact is not None and self._exact.misses(cycle):
            raise faults.missing_beat(self._expected, self._exact)

    def finish(self) -> None:
        """Check the end of a run: nothing is missing."""
        mismatch = missing_packet(self._expected, self._open.values())
        if mismatch is not None:
            raise mismatch
        self.finish_cycles()

    def finish_cycles(self) -> None:
        """Check the end of the golden model's events: none is missing, but for `passed`'s beats."""
        if self._exact is not None:
            mismatch = faults.missing_event(self._expected, self._exact)
            if mismatch is not None:
                raise mismatch


class RunChecker:
    """Scoreboard of a run that is recorded to its end, whatever comes.

    Parameters
    ----------
    facts : NetworkFacts or None
        The network; None where nothing is judged.
    packets : Packets
        Packets of the run.
    golden : Record or None
        What the golden model has seen; None where cycles are not judged.

    Members
    -------
    mismatch : Mismatch or None
        First thing that was wrong.
    """

    def __init__(
        self, facts: NetworkFacts | None, packets: Packets, golden: Record | None = None
    ) -> None:
        self.mismatch: Mismatch | None = None
        self._scoreboard: Scoreboard | None = None
        if facts is not None:
            self._scoreboard = Scoreboard(facts)
            self._scoreboard.expect_packets(packets)
            if golden is not None:
                self._scoreboard.expect_cycles(golden)

    def cycle(
        self,
        cycle: int,
        beats: Sequence[TakenBeat],
        refused: Sequence[tuple[int, int]],
        status: Sequence[tuple[int, int]],
    ) -> None:
        """Check what nodes saw in a cycle: beats, refusals, and the status where it changed."""
        board = self._scoreboard
        if board is None or self.mismatch is not None:
            return
        try:
            for beat in beats:
                board.beat(beat)
            for clock, node in refused:
                board.refused(node, clock)
            for clock, value in status:
                board.status(clock, value)
            board.passed(cycle)
        except Mismatch as found:
            self.mismatch = found

    def end(self, injected: np.ndarray) -> None:
        """Check the end of a run, and the cycles in which the network took the packets."""
        board = self._scoreboard
        if board is None or self.mismatch is not None:
            return
        try:
            for number, cycle in enumerate(injected.tolist()):
                if cycle >= 0:
                    board.injected(number, cycle)
            board.finish()
        except Mismatch as found:
            self.mismatch = found

    def take_over(self, before: "RunChecker") -> None:
        """Take over what was wrong in a run before this one."""
        found = before.mismatch
        if found is not None:
            self.mismatch = Mismatch(f"before the reset in mid-traffic: {found}", found.what)

    def require_right(self) -> None:
        """Raise the first mismatch, if there was one."""
        if self.mismatch is not None:
            raise self.mismatch


def check_events(
    scoreboard: Scoreboard,
    *,
    beats: Sequence[TakenBeat],
    refused: Sequence[tuple[int, int]],
    injected: Sequence[int],
    status: Sequence[tuple[int, int]],
) -> None:
    """Let a scoreboard check what was seen, in order of time.

    Parameters
    ----------
    beats : sequence of TakenBeat
        Beats that nodes took.
    refused, status : sequence of (int, int)
        Cycle of each refusal, and its node; cycle of each change of the status, and its value.
    injected : sequence of int
        Cycle in which the network took the first beat of each packet, by its number, -1 if never.

    Raises
    ------
    Mismatch
        The first thing that is wrong.
    """
    board = scoreboard
    events: list[tuple[int, Callable[[], object]]] = []
    events += [(beat.clock, partial(board.beat, beat)) for beat in beats]
    events += [(at, partial(board.refused, node, at)) for at, node in refused]
    events += [(at, partial(board.status, at, value)) for at, value in status]
    cycles = enumerate(injected)
    events += [(at, partial(board.injected, number, at)) for number, at in cycles if at >= 0]
    for cycle, check in sorted(events, key=itemgetter(0)):
        board.passed(cycle - 1)
        check()
    for number, at in enumerate(injected):
        if at < 0:
            board.injected(number, at)


def check_record(scoreboard: Scoreboard, record: Record) -> None:
    """Let a scoreboard check a complete record, in order of time.

    Raises
    ------
    Mismatch
        The first thing that is wrong.
    """
    check_events(
        scoreboard,
        beats=beats_of(record),
        refused=record.refused.tolist(),
        injected=[] if record.injected is None else record.injected.tolist(),
        status=record.status.tolist(),
    )
    scoreboard.finish()


def identify(expected: Expected, arrival: Arrival) -> SentPacket:
    """Packet that arrived, which is due no more.

    Raises
    ------
    Mismatch
        It is not a packet that must come to this node now.
    """
    facts, node = expected.facts, arrival.node
    if arrival.user & facts.lost_flag:
        return take_cut(expected, arrival)
    key = facts.key(facts.node_at.get(arrival.tid), arrival.contents)
    fate = expected.due.fate(key, node)
    if fate.name != "delivered":
        raise faults.WRONG[fate.name](expected, arrival, fate.packets)
    packet = expected.chosen(fate.packets, node, arrival.user)
    if packet.user != arrival.user:
        raise faults.wrong_user(facts, packet, arrival)
    before = expected.before(packet, node)
    if before is not None:
        raise faults.overtaken(facts, packet, before, arrival)
    expected.deliver(packet, node)
    return packet


def missing_packet(expected: Expected, begun: Iterable[Sequence[TakenBeat]]) -> Mismatch | None:
    """What is wrong at the end of a run: something is missing, or was begun and not ended."""
    for beats in begun:
        return faults.endless(expected.facts, beats)
    settle(expected)
    left = expected.due.left()
    if left:
        return faults.lost(expected, left)
    for node, packets in sorted(expected.refusals.items()):
        if packets:
            return faults.not_refused(expected.facts, packets[0], node)
    return None


def take_cut(expected: Expected, arrival: Arrival) -> SentPacket:
    """Packet of which the beginning arrived, with a last beat that marks the rest as lost.

    Raises
    ------
    Mismatch
        No packet that begins so must come to this node now.
    """
    facts, node = expected.facts, arrival.node
    begun, source = arrival.contents[: -facts.beat_bytes], facts.node_at.get(arrival.tid)
    due = [] if source is None or not begun else expected.outstanding(source, node)
    for place, packet in enumerate(due):
        if place > expected.reported_lost[packet.source, node]:
            break
        if packet.contents.startswith(begun) and len(packet.contents) > len(begun):
            expected.reported_lost[packet.source, node] += 1
            for _ in range(place + 1):
                expected.lose_first(packet.source, node)
            return packet
    raise faults.wrongly_cut(facts, arrival)


def settle(expected: Expected) -> None:
    """At the end of a run, take the first missing packets of each flow for its lost ones."""
    for (source, node), count in list(expected.reported_lost.items()):
        for _ in range(count):
            expected.lose_first(source, node)
