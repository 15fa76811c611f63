"""Desk of the studio: hands work to helpers, keeps their answers, ends what takes too long."""

import asyncio
import json
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from knotwork.estimates.work import Limit, size
from knotwork.progress import duration

Data = dict[str, Any]

BEGUN: Data = {"begun": True}
"""Line that a helper writes before a job's own: it is there, and the work begins."""
SECONDS = {"form": 60.0, "facts": 60.0, "sheet": 120.0}
"""Time that a job may take, unless the user allows less; others may take what the user allows."""
START_SECONDS = 120.0
"""Time that a helper may take to be there, which is no part of a job's."""
LANES = {"form": "quick", "facts": "quick", "sheet": "drawing", "files": "files"}
"""Helper of each job: facts need not wait for a picture, nor a picture for Verilog."""
MOST_WAITING = 256
"""Requests that may wait for a helper."""
MOST_MEMORY = 8e9
"""Bytes that a helper may have, unless the user allows less."""
KEPT = 64
"""Answers that are kept, the last ones."""
MOST_KEPT = 4_000_000
"""Bytes of an answer that is kept."""
_LINE = 2**28  # bytes of a helper's line


class BusyError(Exception):
    """More requests than may wait."""


class Answerer(Protocol):
    """What answers jobs: a `Helper`, or in tests this process."""

    async def answer(
        self, job: str, request: Mapping[str, Any], so_far: Callable[[Data], None]
    ) -> Data:
        """Answer of a job, or the line that refuses it."""
        ...

    def end(self) -> None:
        """End it, and the work under way."""
        ...

    async def gone(self) -> None:
        """Wait until it is gone."""
        ...


class Helper:
    """Process that answers jobs, started on its first request, and ended when it takes too long.

    Parameters
    ----------
    limit : Limit
        What a job may take.
    """

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._memory = min(limit.memory, MOST_MEMORY)
        self._process: asyncio.subprocess.Process | None = None
        self._ended: list[asyncio.subprocess.Process] = []

    async def answer(
        self, job: str, request: Mapping[str, Any], so_far: Callable[[Data], None]
    ) -> Data:
        """Answer of a job, or the line that refuses it."""
        allowed = START_SECONDS
        try:
            async with asyncio.timeout(allowed):
                process = await self._begun(job, request)
            allowed = min(SECONDS.get(job, self._limit.seconds), self._limit.seconds)
            async with asyncio.timeout(None if allowed == float("inf") else allowed):
                return await self._answer(process, so_far)
        except TimeoutError:
            self.end()
            line = f"{job}: the work must stay within {duration(allowed)}, not more"
            return {"refused": line}
        except (OSError, EOFError, ValueError):  # it has ended, for want of memory most likely
            self.end()
            held = size(self._memory)
            line = f"{job}: the work must stay within {held}, but ended its process"
            return {"refused": line}
        except BaseException:
            self.end()
            raise

    async def _begun(self, job: str, request: Mapping[str, Any]) -> asyncio.subprocess.Process:
        """Process that has taken a request, and begins to work."""
        process = await self._started()
        assert process.stdin is not None
        process.stdin.write(json.dumps({"job": job, "request": request}).encode() + b"\n")
        await process.stdin.drain()
        if await _line(process) != BEGUN:
            raise EOFError
        return process

    async def _answer(
        self, process: asyncio.subprocess.Process, so_far: Callable[[Data], None]
    ) -> Data:
        while "so_far" in (reply := await _line(process)):
            so_far(reply["so_far"])
        return reply

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "knotwork_sim.studio.helper"),
                *(repr(self._limit.seconds), repr(float(self._memory))),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_LINE,
                env=os.environ | {"PYTHONSAFEPATH": "1"},
            )
        return self._process

    def end(self) -> None:
        """End the process, and the work under way."""
        process, self._process = self._process, None
        if process is not None:
            self._ended.append(process)
            with suppress(ProcessLookupError):
                process.kill()

    async def gone(self) -> None:
        """Wait until all processes that were ended are gone."""
        while self._ended:
            await self._ended.pop().wait()


async def _line(process: asyncio.subprocess.Process) -> Data:
    """What a helper writes next."""
    assert process.stdout is not None
    line = await process.stdout.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    return json.loads(line)


@dataclass(eq=False)
class Sweep:
    """Sweep in the background.

    Members
    -------
    number : int
        Counts the sweeps.
    state : str
        ``running``, ``done``, ``stopped`` or ``refused``.
    known : dict
        What is known of it.
    """

    number: int = 0
    state: str = "none"
    known: Data = field(default_factory=dict)

    def as_json(self) -> Data:
        """Sweep as the page reads it."""
        return {"number": self.number, "state": self.state, **self.known}


class Desk:
    """Where requests wait for helpers.

    Parameters
    ----------
    limit : Limit
        What a job may take.
    helper : callable, optional
        Makes what answers.
    """

    def __init__(self, limit: Limit, helper: Callable[[Limit], Answerer] = Helper) -> None:
        self._helpers = {lane: helper(limit) for lane in (*LANES.values(), "sweep")}
        self._locks = {lane: asyncio.Lock() for lane in self._helpers}
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._waiting = 0
        self._task: asyncio.Task[None] | None = None
        self.sweep = Sweep()

    async def answer(self, job: str, request: Mapping[str, Any]) -> bytes:
        """Answer of a job as JSON: ``answer``, or the line with which it is ``refused``.

        Raises
        ------
        BusyError
            More requests than may wait.
        """
        key = json.dumps([job, request], sort_keys=True)
        if self._waiting >= MOST_WAITING:
            raise BusyError
        self._waiting += 1
        try:
            async with self._locks[LANES[job]]:
                if key in self._kept:  # requested before, perhaps while this one waited
                    self._kept.move_to_end(key)
                    return self._kept[key]
                reply = await self._helpers[LANES[job]].answer(job, request, lambda _: None)
        finally:
            self._waiting -= 1
        answer = json.dumps(reply, separators=(",", ":")).encode()
        if "answer" in reply and len(answer) <= MOST_KEPT:
            self._kept[key] = answer
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return answer

    def start_sweep(self, request: Mapping[str, Any]) -> Sweep:
        """Start a sweep.

        Raises
        ------
        BusyError
            Another one is running.
        """
        if self.sweep.state == "running":
            raise BusyError
        self.sweep = Sweep(self.sweep.number + 1, "running", {"done": 0, "points": []})
        self._task = asyncio.create_task(self._sweep(self.sweep, request))
        return self.sweep

    async def _sweep(self, sweep: Sweep, request: Mapping[str, Any]) -> None:
        reply = await self._helpers["sweep"].answer("sweep", request, sweep.known.update)
        if sweep.state != "running":
            return
        if "answer" in reply:
            sweep.known |= reply["answer"]
            sweep.state = "done"
        else:
            sweep.known["refused"] = reply["refused"]
            sweep.state = "refused"

    def stop_sweep(self) -> Sweep:
        """Stop the sweep, if one is running; its points stay."""
        if self.sweep.state == "running":
            self.sweep.state = "stopped"
            if self._task is not None:
                self._task.cancel()
            self._helpers["sweep"].end()
        return self.sweep

    async def close(self) -> None:
        """End all work."""
        self.stop_sweep()
        for helper in self._helpers.values():
            helper.end()
            await helper.gone()
