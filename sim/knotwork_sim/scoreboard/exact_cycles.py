"""Beats and refusals of a golden model's run, which the hardware must have in the same cycles."""

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Self

import numpy as np

from ..model.record import Record, TakenBeat


class ExactCycles:
    """Beats that each node must take, in their order, each in its cycle.

    Parameters
    ----------
    beats : list of TakenBeat
        All beats in order of cycle and node.
    refused : sequence of (int, int)
        Cycle and node of each refusal, in order.
    injected : sequence of int
        Cycle in which the network takes the first beat of each packet, by the number that the
        scoreboard gave it, -1 if never; empty where that is unknown.
    status : sequence of (int, int)
        Cycle and value at each change of the status, the first cycle included.
    """

    def __init__(
        self,
        beats: list[TakenBeat],
        *,
        refused: Sequence[tuple[int, int]] = (),
        injected: Sequence[int] = (),
        status: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.beats = beats
        self.injected = list(injected)
        self.status = deque(status)
        self._clock = [beat.clock for beat in beats]
        self._next: dict[int, deque[int]] = defaultdict(deque)
        for place, beat in enumerate(beats):
            self._next[beat.node].append(place)
        self._refusals: dict[int, deque[int]] = defaultdict(deque)
        for cycle, node in refused:
            self._refusals[node].append(cycle)
        self._taken = self._due = 0

    @classmethod
    def of(cls, record: Record) -> Self:
        """Cycles of a golden model's record."""
        return cls(
            beats_of(record),
            refused=[(cycle, node) for cycle, node in record.refused.tolist()],
            injected=[] if record.injected is None else record.injected.tolist(),
            status=[(cycle, value) for cycle, value in record.status.tolist()],
        )

    def next_at(self, node: int) -> TakenBeat | None:
        """Beat that a node must take next, if any."""
        queue = self._next.get(node)
        return self.beats[queue[0]] if queue else None

    def takes(self, beat: TakenBeat) -> bool:
        """Whether a node must take this beat, in its cycle; goes on to the next one if so."""
        queue = self._next.get(beat.node)
        if not queue or self.beats[queue[0]] != beat:
            return False
        queue.popleft()
        self._taken += 1
        return True

    def refuses(self, node: int, cycle: int) -> bool:
        """Whether a node must refuse a packet in this cycle; goes on to the next one if so."""
        if self.next_refusal(node) != cycle:
            return False
        self._refusals[node].popleft()
        return True

    def next_refusal(self, node: int) -> int | None:
        """Cycle in which a node must refuse a packet next, if any."""
        return self._refusals[node][0] if self._refusals[node] else None

    def injects(self, number: int, cycle: int) -> bool:
        """Whether the network must take the first beat of a packet in this cycle, -1 for never."""
        return not self.injected or self.injected[number] == cycle

    def shows(self, cycle: int, status: int) -> bool:
        """Whether the status changes so in this cycle; goes on to the next change if so."""
        if not self.status or self.status[0] != (cycle, status):
            return False
        self.status.popleft()
        return True

    def misses(self, cycle: int) -> bool:
        """Whether a beat is missing at the end of a cycle, which is later than all before it."""
        while self._due < len(self._clock) and self._clock[self._due] <= cycle:
            self._due += 1
        return self._taken < self._due

    def missing(self) -> TakenBeat | None:
        """First beat that no node has taken yet, if any."""
        return min((self.beats[queue[0]] for queue in self._next.values() if queue), default=None)

    def missing_refusal(self) -> tuple[int, int] | None:
        """Cycle and node of the first refusal that has not been, if any."""
        left = ((queue[0], node) for node, queue in self._refusals.items() if queue)
        return min(left, default=None)

    def packet_of(self, beat: TakenBeat) -> list[TakenBeat]:
        """All beats of the packet that a beat is of."""
        found: list[TakenBeat] = []
        for other in self.beats:
            if other.node == beat.node:
                found.append(other)
                if other.last and beat in found:
                    break
                if other.last:
                    found = []
        return found


def beats_of(record: Record) -> list[TakenBeat]:
    """Beats of a record, as a testbench sees them."""
    facts = record.clock, record.node, record.source, record.last, record.user
    columns = [column.tolist() for column in facts]
    return list(map(TakenBeat, *columns, _numbers(record.data)))


def _numbers(data: np.ndarray) -> list[int]:
    """Payloads as numbers, from uint64 of shape (beats, words), low word first."""
    words = [column.tolist() for column in data.T]
    if len(words) == 1:
        return words[0]
    return [sum(word << 64 * k for k, word in enumerate(row)) for row in zip(*words, strict=True)]
