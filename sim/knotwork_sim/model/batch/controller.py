"""Golden model of `gateware.batch.controller`: the jump table and the steps of a batch."""

from knotwork.routing.batch import BatchRouting
from knotwork.routing.scheduling.linear_complement import JumpTable

from ...traffic.jump_tables import ConfigBeat


class Controller:
    """Jump table, and the steps of a batch."""

    def __init__(self, routing: BatchRouting, words: int) -> None:
        self.routing, self.words = routing, words
        self.n = routing.topology.address_width
        self.configured = self.running = False
        self.sound, self.entries = True, []
        self.table = JumpTable.naive(self.n)
        self.clock = 0  # since the start of the batch

    def load(self, beat: ConfigBeat) -> None:
        """Take an entry of a table; the last one decides whether batches may start."""
        self.entries.append((beat.jump, beat.buddy))
        self.sound &= beat.buddy <= self.n and len(self.entries) <= self.n
        self.configured = beat.last and self.sound and len(self.entries) == self.n
        if self.configured:
            jumps, buddies = zip(*self.entries[::-1], strict=True)
            self.table = JumpTable(jumps, buddies)
        if beat.last:
            self.sound, self.entries = True, []
