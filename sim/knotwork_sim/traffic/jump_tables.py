"""Jump tables on their way into a batch network, beat by beat."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from knotwork.routing.scheduling.linear_complement import JumpTable


@dataclass(frozen=True)
class Loading:
    """Jump table that the network is offered.

    Members
    -------
    time : int
        Cycle from which it is offered.
    entries : tuple of (int, int)
        (jump, buddy) of each beat, the highest dimension first; the last beat is marked.
    """

    time: int
    entries: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, table: JumpTable, *, time: int = 0) -> "Loading":
        """Loading of a whole table."""
        return cls(time, tuple(zip(table.jump, table.buddy, strict=True))[::-1])


class ConfigBeat(NamedTuple):
    """Entry of a jump table on its way.

    Members
    -------
    jump, buddy : int
        Entry of one dimension.
    last : bool
        Whether it is the last one of its table.
    """

    jump: int
    buddy: int
    last: bool


class ConfigSource:
    """Source that offers tables one after the other without a pause, whatever the engine."""

    def __init__(self, loadings: Sequence[Loading]) -> None:
        self._loadings = list(loadings)
        self._beat = 0

    @property
    def done(self) -> bool:
        """Whether all has been taken."""
        return not self._loadings

    def offered(self, clock: int) -> ConfigBeat | None:
        """Beat that is offered in this cycle, if any."""
        if self.done or (self._beat == 0 and self._loadings[0].time > clock):
            return None
        entries = self._loadings[0].entries
        return ConfigBeat(*entries[self._beat], last=self._beat == len(entries) - 1)

    def taken(self) -> None:
        """Go on to the next beat: the network took the offered one."""
        self._beat += 1
        if self._beat == len(self._loadings[0].entries):
            self._beat = 0
            self._loadings.pop(0)
