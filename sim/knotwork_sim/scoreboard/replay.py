"""Checks of runs by a scoreboard when they are over."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter

from ..model.record import Record, TakenBeat
from .exact_cycles import beats_of
from .scoreboard import Scoreboard


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
