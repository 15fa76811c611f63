"""Judge of an RTL run: a scoreboard whose first mismatch is kept while the run goes on."""

from collections.abc import Sequence

import numpy as np

from ..model.record import Record, TakenBeat
from ..scoreboard import Mismatch, Scoreboard
from ..scoreboard.network_facts import NetworkFacts
from ..traffic.packets import Packets


class Judge:
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
        """Judge what nodes saw in a cycle: beats, refusals, and the status where it changed."""
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
        """Judge the end of a run, and the cycles in which the network took the packets."""
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

    def take_over(self, before: "Judge") -> None:
        """Take over what was wrong in a run before this one."""
        found = before.mismatch
        if found is not None:
            self.mismatch = Mismatch(f"before the reset in mid-traffic: {found}", found.what)

    def require_right(self) -> None:
        """Raise the first mismatch, if there was one."""
        if self.mismatch is not None:
            raise self.mismatch
