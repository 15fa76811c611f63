"""Where the points of a sweep, or the graphs of a search, are computed; and the work on them.

Local processes and a Dask cluster are executors of `concurrent.futures`, so one loop serves either.
"""

import ctypes
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager, suppress
from contextvars import copy_context
from typing import Protocol, TypeVar, cast

from knotwork.errors import KnotworkError, ToolError

PATIENCE = 3
"""Number of workers that may die of a job before the work is given up."""
CONNECT_SECONDS = 10
"""Seconds in which a scheduler must answer, and then have a worker."""

JobT = TypeVar("JobT", bound=Hashable)
ResultT = TypeVar("ResultT")


class Workers(Protocol):
    """Processes that compute, wherever they are."""

    limit: int
    """Number of tasks that they are given at a time."""
    batch: int
    """Replicas of a point that one task measures at most."""

    def submit(self, task: Callable[[], ResultT]) -> Future[ResultT]:
        """Start a task, which is called without arguments."""
        ...

    def renew(self) -> None:
        """Replace dead processes."""
        ...

    def close(self) -> None:
        """Release the processes."""
        ...


class LocalWorkers:
    """Process pool over the cores of this machine.

    Parameters
    ----------
    limit : int
        Number of processes.
    """

    batch = 1

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._pool = self._start()

    def _start(self) -> Executor:
        # Not forked: a fork would copy the progress bar without its thread.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.limit, mp_context=context, initializer=follow_parent)

    def submit(self, task: Callable[[], ResultT]) -> Future[ResultT]:
        """Start a task; if a process dies, this or the future's result raises `BrokenExecutor`."""
        with _main_left_out():
            return self._pool.submit(task)

    def renew(self) -> None:
        """Start a new pool: one in which a process died accepts no more tasks."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._start()

    def close(self) -> None:
        """End the processes when their present tasks are done."""
        # Wait for them: a pool that ends together with the interpreter may report a closed
        # descriptor.
        self._pool.shutdown(cancel_futures=True)


class OwnProcess:
    """Process that asks, for work that is done before others would have started."""

    limit = batch = 1

    def submit(self, task: Callable[[], ResultT]) -> Future[ResultT]:
        """Do a task."""
        future: Future[ResultT] = Future()
        try:
            future.set_result(task())
        except Exception as error:
            future.set_exception(error)
        return future

    def renew(self) -> None:
        """Do nothing: there is no other process."""

    def close(self) -> None:
        """Do nothing."""


class LocalThreads:
    """Threads of this process, for compiled loops, which do not hold Python's lock.

    They end with the command at once, and what they do is a part of the progress of its work.

    Parameters
    ----------
    limit : int
        Number of threads.
    """

    batch = 1

    def __init__(self, limit: int) -> None:
        self.limit = limit
        _keep_freed_memory()

    def submit(self, task: Callable[[], ResultT]) -> Future[ResultT]:
        """Start a task."""
        future: Future[ResultT] = Future()

        def do() -> None:
            try:
                future.set_result(task())
            except Exception as error:
                future.set_exception(error)

        threading.Thread(target=copy_context().run, args=(do,), daemon=True).start()
        return future

    def renew(self) -> None:
        """Do nothing: no thread dies."""

    def close(self) -> None:
        """Do nothing: a thread ends with its task."""


_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Options of `mallopt` (malloc.h of glibc)."""


def _keep_freed_memory() -> None:
    """Let the C library keep the memory of large arrays for the next ones.

    It returns that of each array to the system, which clears it page by page for the next run: a
    seventh of the time of a sweep. All threads share one arena, so that each uses what another one
    has freed.
    """
    with suppress(AttributeError):  # a C library other than glibc
        set_option = ctypes.CDLL(None).mallopt
        set_option(_ARENA_MAX, 1)
        set_option(_MMAP_THRESHOLD, 1 << 25)  # the most that it accepts
        set_option(_TRIM_THRESHOLD, 1 << 30)


@contextmanager
def _main_left_out() -> Iterator[None]:
    """Keep the processes that are started here from importing the main module, a user's script.

    A script would sweep again in each of them unless it asked for its name; tasks bring what they
    need of it.
    """
    main = sys.modules["__main__"]
    kept = {name: vars(main)[name] for name in ("__file__", "__spec__") if name in vars(main)}
    vars(main).pop("__file__", None)
    vars(main)["__spec__"] = None
    try:
        yield
    finally:
        vars(main).update(kept)


def follow_parent() -> None:
    """End this process when its parent ends, for whatever reason, and silently at Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


class ClusterWorkers:
    """Workers of the user's Dask cluster, which restarts the tasks of dead workers itself.

    A task has all replicas of a point: to send one takes longer than to measure a small network.

    Parameters
    ----------
    address : str
        Address of its scheduler, ``tcp://host:port``.

    Raises
    ------
    ToolError
        The library is missing, or the scheduler does not answer or has no worker.
    """

    batch = 1 << 20

    def __init__(self, address: str) -> None:
        try:
            from dask.distributed import Client  # pyright: ignore[reportMissingImports]
        except ImportError:
            raise ToolError(
                "--scheduler must have Dask's library: run `pip install distributed`"
            ) from None
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # an error is one line, below
        what = f"the scheduler {address}"
        try:
            self._client = Client(address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:  # a time-out is an OSError
            reason = str(error).split("\n")[0] or "no answer"
            raise ToolError(f"{what} must answer, but did not: {reason}") from None
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except OSError:
            self._client.close()
            raise ToolError(f"{what} must have a worker, but has none") from None
        self._pool = self._client.get_executor(pure=False)
        threads = cast("dict[str, int]", self._client.nthreads())
        self.limit = 4 * sum(threads.values())

    def submit(self, task: Callable[[], ResultT]) -> Future[ResultT]:
        """Start a task."""
        return self._pool.submit(task)

    def renew(self) -> None:
        """Do nothing: the cluster replaces its dead workers."""

    def close(self) -> None:
        """Cancel the tasks that have not begun, and disconnect."""
        self._pool.shutdown(wait=False)
        self._client.close(timeout=CONNECT_SECONDS)


def work(
    workers: Workers,
    wanted: Callable[[], Sequence[JobT]],
    start: Callable[[JobT], Callable[[], ResultT]],
    finish: Callable[[JobT, ResultT], None],
) -> None:
    """Do jobs until none is wanted.

    When a worker dies, all jobs under way are started again; those that it may have died of are
    then done one by one.

    Parameters
    ----------
    wanted : callable
        Returns the jobs that are to be done and are not finished, those under way included; called
        again whenever one is finished.
    start : callable
        Returns the task that computes a job.
    finish : callable
        Takes a job and its result.

    Raises
    ------
    ToolError
        `PATIENCE` workers died of a job, or the workers are gone.
    """
    running: dict[Future[ResultT], JobT] = {}
    deaths: Counter[JobT] = Counter()
    while True:
        waiting = [job for job in wanted() if job not in running.values()]
        if not waiting and not running:
            return
        suspects = [job for job in waiting if deaths[job]]
        limit = 1 if suspects else workers.limit
        for job in (suspects or waiting)[: max(limit - len(running), 0)]:
            try:
                future = workers.submit(start(job))
            except BrokenExecutor:
                if running:  # these will report the death, which counts once
                    break
                workers.renew()
                future = workers.submit(start(job))
            running[future] = job
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        dead = _finish_all({future: running.pop(future) for future in done}, finish)
        if dead:
            dead += running.values()  # the whole pool is gone, and any of them may be to blame
            running.clear()
            workers.renew()
            deaths.update(dead)
            _require_patience(deaths)


def _finish_all(
    done: dict[Future[ResultT], JobT], finish: Callable[[JobT, ResultT], None]
) -> list[JobT]:
    """Hand over the results of finished jobs; return the jobs whose worker died."""
    dead = []
    for future, job in done.items():
        try:
            finish(job, future.result())
        except BrokenExecutor:
            dead.append(job)
        except (KnotworkError, KeyboardInterrupt):
            raise
        except (CancelledError, Exception) as error:
            reason = str(error).split("\n")[0] or type(error).__name__
            raise ToolError(
                f"a worker must finish {job}, but failed: {reason}; finished points are kept"
            ) from error
    return dead


def _require_patience(deaths: Counter[JobT]) -> None:
    """Give up a job of which too many workers died."""
    worst, count = deaths.most_common(1)[0]
    if count >= PATIENCE:
        raise ToolError(
            f"a worker must finish {worst}, but {PATIENCE} workers died on it; is there enough "
            f"memory?"
        )
