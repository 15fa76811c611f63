"""Where a sweep's points are computed: local processes, or a Dask cluster; and the work on them.

Both are executors of `concurrent.futures`, and one loop serves either.
"""

import logging
import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from typing import Any, Protocol

from knotwork.errors import KnotworkError, ToolError

PATIENCE = 3
"""Times that a job may kill its worker before the work is given up."""
CONNECT_SECONDS = 10
"""Time in which a scheduler must answer, and then show a worker."""


class Workers(Protocol):
    """Processes that compute, wherever they are."""

    limit: int
    """Jobs that they are given at a time."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Start a job."""
        ...

    def renew(self) -> None:
        """Start processes in the place of dead ones."""
        ...

    def close(self) -> None:
        """Let go of them."""
        ...


class LocalWorkers:
    """Process pool over the cores of this machine.

    Parameters
    ----------
    limit : int
        Processes.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._pool = self._start()

    def _start(self) -> Executor:
        # Not forked: a fork would copy the threads of the progress bar half.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.limit, mp_context=context, initializer=follow_parent)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Start a job; `BrokenExecutor` comes out of it, or at once, where a process died."""
        return self._pool.submit(function, *arguments)

    def renew(self) -> None:
        """Start a new pool: one whose process died takes nothing any more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._start()

    def close(self) -> None:
        """End the processes as soon as they have done what they are at."""
        # Waited for: a pool that ends beside the interpreter may report a closed descriptor.
        self._pool.shutdown(cancel_futures=True)


def follow_parent() -> None:
    """End this process with its parent, however that ends, and silently at Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


class ClusterWorkers:
    """Workers of a Dask cluster that the user has; it restarts the jobs of those that die itself.

    Parameters
    ----------
    address : str
        Its scheduler, ``tcp://host:port``.

    Raises
    ------
    ToolError
        The library is missing, the scheduler does not answer, or it has no worker.
    """

    def __init__(self, address: str) -> None:
        try:
            from dask.distributed import Client  # pyright: ignore[reportMissingImports]
        except ImportError:
            raise ToolError(
                "--scheduler must have Dask's library: run `pip install 'knotwork[cluster]'`"
            ) from None
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # one line is said here
        what = f"the scheduler {address}"
        try:
            self._client = Client(address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:  # a time-out is an OSError
            reason = str(error).split("\n")[0] or "nobody is there"
            raise ToolError(f"{what} must answer, but did not: {reason}") from None
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except OSError:
            self._client.close()
            raise ToolError(f"{what} must have a worker, but has none") from None
        self._pool = self._client.get_executor(pure=False)
        threads: Any = self._client.nthreads()
        self.limit = 4 * sum(threads.values())
        self._what = what

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Start a job."""
        return self._pool.submit(function, *arguments)

    def renew(self) -> None:
        """Nothing: the cluster's business."""

    def close(self) -> None:
        """Take back what has not begun, and disconnect."""
        self._pool.shutdown(wait=False)
        self._client.close(timeout=CONNECT_SECONDS)


def work(
    workers: Workers,
    wanted: Callable[[], Sequence[Hashable]],
    start: Callable[[Any], tuple],
    finish: Callable[[Any, Any], None],
) -> None:
    """Do jobs until none is wanted.

    A worker that dies costs the jobs under way their time: they are started again, those one by one
    that it may have died of.

    Parameters
    ----------
    wanted : callable
        Jobs that are to be done and are not finished, those under way included; asked again
        whenever one is finished.
    start : callable
        Function and arguments that compute a job.
    finish : callable
        Takes a job and its result.

    Raises
    ------
    ToolError
        A job that killed its worker `PATIENCE` times; workers that are gone.
    """
    running: dict[Future, Any] = {}
    deaths: Counter = Counter()
    while True:
        waiting = [job for job in wanted() if job not in running.values()]
        if not waiting and not running:
            return
        suspects = [job for job in waiting if deaths[job]]
        limit = 1 if suspects else workers.limit
        for job in (suspects or waiting)[: max(limit - len(running), 0)]:
            try:
                future = workers.submit(*start(job))
            except BrokenExecutor:
                if running:  # theirs to tell, and to renew the workers: one death counts once
                    break
                workers.renew()
                future = workers.submit(*start(job))
            running[future] = job
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        dead = []
        for future in done:
            job = running.pop(future)
            try:
                finish(job, future.result())
            except BrokenExecutor:
                dead.append(job)
            except (KnotworkError, KeyboardInterrupt):
                raise
            except (CancelledError, Exception) as error:
                raise _gone(job, error) from error
        if dead:
            dead += running.values()  # the whole pool is gone, and any of them may be to blame
            running.clear()
            workers.renew()
            deaths.update(dead)
            worst = max(dead, key=deaths.__getitem__)
            if deaths[worst] >= PATIENCE:
                raise ToolError(
                    f"a worker must finish {worst}, but {PATIENCE} of them died of it; is there "
                    f"memory enough?"
                )


def _gone(job: Any, error: BaseException) -> ToolError:
    """Failure of a job for reasons of the workers' own."""
    reason = str(error).split("\n")[0] or type(error).__name__
    return ToolError(f"a worker must finish {job}, but failed: {reason}; what is done is kept")
