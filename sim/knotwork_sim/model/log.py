"""What the nodes saw in a run, without payloads: the same log for every router class."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Self

import numpy as np
from knotwork.progress import Task, progress

from ..traffic.packets import Packets


class Log(NamedTuple):
    """Beats and refusals, each in order of cycle and node; compiled loops fill its arrays.

    Members
    -------
    clock, node, packet, beat : ndarray
        Beats that left the network: cycle, int64; node, index in `Copies` and number of the beat in
        its packet, int32.
    refused_clock, refused_node : ndarray
        Packets refused at injection: cycle in which `refused` is high, and node, int64.
    """

    clock: np.ndarray
    node: np.ndarray
    packet: np.ndarray
    beat: np.ndarray
    refused_clock: np.ndarray
    refused_node: np.ndarray

    @classmethod
    def for_packets(cls, packets: Packets) -> Self:
        """Log with space for every beat and every refusal that is due."""
        beats, refusals = int(packets.due.sum()), int(packets.refused.sum())
        return cls(
            clock=np.zeros(beats, np.int64),
            node=np.zeros(beats, np.int32),
            packet=np.zeros(beats, np.int32),
            beat=np.zeros(beats, np.int32),
            refused_clock=np.zeros(refusals, np.int64),
            refused_node=np.zeros(refusals, np.int64),
        )

    def up_to(self, beats: int, refusals: int) -> "Log":
        """Same log with only the first entries, which a run has filled."""
        return Log(
            *(column[:beats] for column in self[:4]), *(column[:refusals] for column in self[4:])
        )


class LogWriter:
    """Log that a model in plain Python fills, cycle by cycle."""

    def __init__(self, packets: Packets) -> None:
        self._log = Log.for_packets(packets)
        self._beats = self._refusals = 0
        self._task: Task | None = None

    @property
    def is_full(self) -> bool:
        """Whether every beat and every refusal that is due has been noted."""
        full = len(self._log.clock), len(self._log.refused_clock)
        return (self._beats, self._refusals) == full

    @property
    def log(self) -> Log:
        """What has been noted so far."""
        return self._log.up_to(self._beats, self._refusals)

    @contextmanager
    def with_progress(self) -> Iterator[None]:
        """Context in which the beats that are noted are shown as progress."""
        total = len(self._log.clock)
        with progress("running the golden model", total=total, unit="flits") as self._task:
            yield

    def note_beats(
        self, clock: int, node: np.ndarray, packet: np.ndarray, beat: np.ndarray
    ) -> None:
        """Note the beats that nodes took in a cycle."""
        place = slice(self._beats, self._beats + len(node))
        self._log.clock[place], self._log.node[place] = clock, node
        self._log.packet[place], self._log.beat[place] = packet, beat
        self._beats += len(node)
        if self._task is not None:
            self._task.done = self._beats

    def note_refusals(self, clock: int, node: np.ndarray) -> None:
        """Note the nodes at which `refused` is high in a cycle."""
        place = slice(self._refusals, self._refusals + len(node))
        self._log.refused_clock[place], self._log.refused_node[place] = clock, node
        self._refusals += len(node)
