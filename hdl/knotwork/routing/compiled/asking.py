"""Rules that are not known to be right, asked so that whatever they do becomes an answer.

A rule in plain Python may raise, answer with something else than two integers, or never answer. A
compiled one may raise, or give numbers that are no port or class.
"""

import operator
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ..rules import Rule
from .compilable import compilable, is_marked
from .tables import CLASSES

PATIENCE = 2
"""Seconds of computing in which a rule must answer."""

WRONG = -1
"""Output port that stands for an exception in a compiled rule."""

_RANGE = 2**31  # numbers beyond are neither ports nor classes, and fit into no array


class States(NamedTuple):
    """Where a rule is asked: arrays of equal length, int64.

    Members
    -------
    router, port, channel_class, destination : ndarray
        Arguments of the rule, its parameters left out.
    """

    router: np.ndarray
    port: np.ndarray
    channel_class: np.ndarray
    destination: np.ndarray


Ask = Callable[[States], tuple[np.ndarray, np.ndarray]]
"""What answers states with their output ports and classes, int64."""

Refuse = Callable[[tuple[int, int, int, int], str], ConfigurationError]
"""Error for a rule that does the wrong thing in a state; the text is what it must do."""


class _EndlessError(BaseException):  # a rule may catch every Exception
    pass


def in_python(rule: Rule, parameters: np.ndarray, refuse: Refuse) -> Ask:
    """Asker of a rule in plain Python; it raises what `refuse` makes of the first fault."""
    numbers = parameters.copy()
    numbers.setflags(write=False)

    def ask(states: States) -> tuple[np.ndarray, np.ndarray]:
        rows = list(zip(*(column.tolist() for column in states), strict=True))
        answers: list[Any] = []
        try:
            with _patience(answers), np.errstate(all="raise"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for row in rows:
                    answers.append(rule(numbers, *row))
        except KeyboardInterrupt:
            raise
        except _EndlessError:
            raise refuse(
                rows[len(answers)], f"the rule must answer within {PATIENCE} seconds, not go on"
            ) from None
        except BaseException as error:  # SystemExit too: it is the rule's
            said = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
            raise refuse(rows[len(answers)], f"the rule must answer, not raise {said}") from None
        made = _as_array(answers)
        if made is None:
            made = np.array(
                [_pair(answer, row, refuse) for answer, row in zip(answers, rows, strict=True)],
                np.int64,
            ).reshape(-1, 2)
        return made[:, 0], made[:, 1]

    return ask


def _as_array(answers: list[Any]) -> np.ndarray | None:
    """Answers as an array, if all of them are pairs of small integers; None if not."""
    try:
        made = np.array(answers)
    except (ValueError, OverflowError):
        return None
    fits = made.dtype.kind == "i" and made.ndim == 2 and made.shape[1] == 2
    return made if fits and (abs(made) < _RANGE).all() else None


def _pair(answer: Any, row: tuple[int, int, int, int], refuse: Refuse) -> tuple[int, int]:
    """Two integers that a rule answered; numbers that no port or class has become -2."""
    try:
        output, out_class = answer
        pair = operator.index(output), operator.index(out_class)
    except Exception:  # an answer may be anything
        shown = repr(answer) if len(repr(answer)) <= 60 else type(answer).__name__
        text = f"the rule must answer with two integers, a port and a class, not {shown}"
        raise refuse(row, text) from None
    for number in pair:
        if abs(number) >= _RANGE:
            text = f"a port and a class, not a number of {number.bit_length()} bits"
            raise refuse(row, f"the rule must answer with two integers, {text}")
    return pair


@contextmanager
def _patience(answers: list[Any]) -> Iterator[None]:
    """Raise `_EndlessError` in this block once it computes for too long without a new answer.

    Only the main thread can be interrupted so, and only where the system has such a clock.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "SIGVTALRM"):
        yield
        return
    before = -1

    def look(*_: object) -> None:
        nonlocal before
        if len(answers) == before:
            raise _EndlessError
        before = len(answers)

    kept = signal.signal(signal.SIGVTALRM, look)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE / 2, PATIENCE / 2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, kept)


@cache
def guarded(rule: Rule, ports: int, classes: int) -> Rule:
    """Rule that calls another one, and answers (`WRONG`, 0) where that raises or is out of range.

    Both are compiled together; the loops that follow it index arrays by its answers.
    """
    if not is_marked(rule):
        compilable(rule)

    @compilable
    def ask(parameters, router, port, channel_class, destination):
        try:
            output, out_class = rule(parameters, router, port, channel_class, destination)
        except Exception:
            return -1, 0
        if output < 0 or output >= ports or out_class < 0 or out_class >= classes:
            return -1, 0
        return output, out_class

    return ask


def compiled(address: int, numbers: np.ndarray) -> Ask:
    """Asker of a compiled rule."""
    from .loops import ask_all

    def ask(states: States) -> tuple[np.ndarray, np.ndarray]:
        answers = np.empty((2, len(states.router)), np.int64)
        ask_all(address, numbers, *(np.ascontiguousarray(part) for part in states), answers)
        return answers[0], answers[1]

    return ask


def entries(outputs: np.ndarray, out_classes: np.ndarray) -> np.ndarray:
    """Entries of a table of answers."""
    return outputs * CLASSES + out_classes
