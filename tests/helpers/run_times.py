"""Times of the cases of a run: what `make test` prints at its end, and the limit of a case.

A case's time is that of the processor, its own and its children's, so a busy machine makes no case
fail. Only children that have ended count. What Numba compiles does not: the first case that runs a
loop compiles it for all others, and for the next runs.
"""

import resource
import time
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from numba.core import event

LIMIT = 10.0
"""Seconds of its own processor that a case without the mark `slow` or `soak` may take."""

WITH_CHILDREN = 20.0
"""The same with its children's: the first case that runs a model compiles it for all others."""

REFERENCE = 0.15
"""Seconds that `slowness` takes for its loop where `LIMIT` is meant: on one of two cores, 2026."""

SHOWN = 10
"""Cases that a run prints."""

PROPERTY = "cpu_seconds"
"""Name under which a worker sends the time of a case."""


class Compiling(event.Listener):
    """Listener that adds up the seconds of processor in which Numba compiles."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0
        self._began = 0.0

    def on_start(self, event: Any) -> None:
        """Begin with the outermost compilation."""
        del event
        if self._depth == 0:
            self._began = time.process_time()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """End with it."""
        del event
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.process_time() - self._began


COMPILING = Compiling()
event.register("numba:compile", COMPILING)


class Seconds(NamedTuple):
    """Seconds of processor: of a process, without Numba's, and of its ended children."""

    own: float
    children: float

    def since(self, before: "Seconds") -> "Seconds":
        """Seconds from an earlier moment on."""
        return Seconds(self.own - before.own, self.children - before.children)


class Case(NamedTuple):
    """Case of a run.

    Members
    -------
    name : str
        Its node id.
    spent : Seconds
        What it took.
    long : bool
        Whether it is marked as work that takes long.
    """

    name: str
    spent: Seconds
    long: bool

    @property
    def seconds(self) -> float:
        """Seconds of processor, its own and its children's."""
        return sum(self.spent)

    def breach(self, factor: float) -> str | None:
        """Limit that it breaks on a machine so slow, in words; None where it keeps to both."""
        if self.long:
            return None
        if self.spent.own > LIMIT * factor:
            return f"{self.spent.own:.1f} s of its own processor: it must take at most {LIMIT:g} s"
        if self.seconds > WITH_CHILDREN * factor:
            return f"{self.seconds:.1f} s of processor: it must take at most {WITH_CHILDREN:g} s"
        return None


def cpu_seconds() -> Seconds:
    """Seconds of this process until now."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    own, children = (use.ru_utime + use.ru_stime for use in used)
    return Seconds(own - COMPILING.seconds, children)


@cache
def slowness() -> float:
    """How many times as long as `REFERENCE` this machine takes for a loop; at least once."""
    began = time.process_time()
    total = 0
    for number in range(5_000_000):
        total += number & 7
    return max(1.0, (time.process_time() - began) / REFERENCE)


def too_long(cases: Iterable[Case], factor: float = 1.0) -> list[Case]:
    """Cases that break a limit on a machine so slow, the longest first."""
    found = [case for case in cases if case.breach(factor) is not None]
    return sorted(found, key=lambda case: -case.seconds)


def summary(cases: Sequence[Case], wall_seconds: float, factor: float = 1.0) -> list[str]:
    """Lines at the end of a run: its time, its longest cases, and those that are too long."""
    longest = sorted(cases, key=lambda case: -case.seconds)[:SHOWN]
    total = sum(case.seconds for case in cases)
    lines = [f"{len(cases)} cases, {wall_seconds:.0f} s, {total:.0f} s of processor; the longest:"]
    lines += [f"{case.seconds:6.1f} s  {case.name}" for case in longest]
    lines += [
        f"{case.name} takes {case.breach(factor)}, or be marked slow"
        for case in too_long(cases, factor)
    ]
    return lines
