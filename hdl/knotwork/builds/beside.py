"""Work in a thread beside the main one, mostly waiting for other programs."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

_Result = TypeVar("_Result")


class Abandoned(Exception):
    """Nobody waits for the work any more."""


@contextmanager
def beside(work: Callable[[Callable[[], None]], _Result]) -> Iterator[Future[_Result]]:
    """Context in which work goes on in a thread; its end waits for it.

    Parameters
    ----------
    work : callable
        Takes a function that it calls again and again; when the context is left by an exception,
        as by Ctrl-C, that raises `Abandoned`.
    """
    abandoned = threading.Event()

    def check() -> None:
        if abandoned.is_set():
            raise Abandoned

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work, check)
        try:
            yield future
        except BaseException:
            abandoned.set()
            raise
