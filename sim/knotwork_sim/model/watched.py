"""Compiled loops of golden models, run beside a thread that shows how far they are."""

from collections.abc import Callable
from threading import Thread
from typing import Any, TypeVar

import numpy as np
from knotwork.progress import progress

from .log import Log

_Totals = TypeVar("_Totals")

_LOOK_SECONDS = 0.2
"""Seconds between two looks at the log."""


def run_with_progress(run: Callable[..., _Totals], *arguments: Any, log: Log) -> _Totals:
    """Outcome of a compiled loop that fills a log.

    The loop runs in a thread of its own and does not hold Python's lock, so that Ctrl-C ends the
    command at once. It is as fast as without.

    Parameters
    ----------
    run : callable
        Loop, which gets the other arguments.
    log : Log
        Log that the loop fills, one of these arguments.
    """
    outcome: list[_Totals] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(run(*arguments))
        except BaseException as error:  # raised in the thread that waits
            failure.append(error)

    thread = Thread(target=work, daemon=True)
    with progress("running the golden model", total=len(log.clock), unit="flits") as task:
        thread.start()
        while thread.is_alive():
            thread.join(_LOOK_SECONDS)
            task.done = filled(log.clock)
    if failure:
        raise failure[0]
    return outcome[0]


def filled(clock: np.ndarray) -> int:
    """Filled entries at the beginning of a column of cycles; no beat leaves in cycle 0."""
    low, high = 0, len(clock)
    while low < high:
        middle = (low + high) // 2
        if clock[middle] != 0:
            low = middle + 1
        else:
            high = middle
    return low
