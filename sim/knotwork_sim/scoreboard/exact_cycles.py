"""Beats and refusals of a golden model's run, which the hardware must have in the same cycles."""

from collections import defaultdict, deque

import numpy as np

from ..model.record import Record, TakenBeat


class ExactCycles:
    """Beats that each node must take, in their order, each in its cycle.

    Members
    -------
    beats : list of TakenBeat
        All beats in order of cycle and node.
    """

    def __init__(self, record: Record) -> None:
        facts = record.clock, record.node, record.source, record.last, record.user
        columns = [column.tolist() for column in facts]
        rows = zip(*columns, _numbers(record.data), strict=True)
        self.beats = [TakenBeat(*row) for row in rows]
        self._clock: list[int] = columns[0]
        self._next: dict[int, deque[int]] = defaultdict(deque)
        for place, node in enumerate(columns[1]):
            self._next[node].append(place)
        self._refusals: dict[int, deque[int]] = defaultdict(deque)
        for cycle, node in record.refused.tolist():
            self._refusals[node].append(cycle)
        self._taken = self._due = 0

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

    def misses(self, cycle: int) -> bool:
        """Whether a beat is missing at the end of a cycle, which is later than all before it."""
        while self._due < len(self._clock) and self._clock[self._due] <= cycle:
            self._due += 1
        return self._taken < self._due

    def missing(self, cycle: int) -> TakenBeat:
        """First beat that is missing at the end of a cycle."""
        firsts = [self.beats[queue[0]] for queue in self._next.values() if queue]
        return min(beat for beat in firsts if beat.clock <= cycle)

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


def _numbers(data: np.ndarray) -> list[int]:
    """Payloads as numbers, from uint64 of shape (beats, words), low word first."""
    words = [column.tolist() for column in data.T]
    if len(words) == 1:
        return words[0]
    return [sum(word << 64 * k for k, word in enumerate(row)) for row in zip(*words, strict=True)]
