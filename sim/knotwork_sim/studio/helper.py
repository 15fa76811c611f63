"""Process that does the studio's work: requests and answers are lines of JSON.

The page's server sends it requests, and ends it when it takes too long. It ends itself when the
server is gone, in whatever way.
"""

import json
import os
import queue
import resource
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple, TextIO

from knotwork import user_defined  # noqa: F401 - finds the networks of installed packages
from knotwork.errors import KnotworkError
from knotwork.estimates.work import Limit, size

from .desk import BEGUN

Data = dict[str, Any]
Report = Callable[[Data], None]


def answer(job: str, request: Mapping[str, Any], limit: Limit, report: Report) -> Data:
    """Answer of a job: ``answer``, or the line with which it is ``refused``.

    Parameters
    ----------
    job : str
        One of `JOBS`.
    request : mapping
        What the request says.
    limit : Limit
        What the work may take.
    report : callable
        Takes what is known before the end.
    """
    try:
        work = JOBS[job]
        return {"answer": work.run(work.load(), request, limit, report)}
    except KnotworkError as error:
        return {"refused": " ".join(str(error).splitlines())}
    except MemoryError:
        line = f"{job}: the work must stay within {size(limit.memory)}, not more"
        return {"refused": line}
    except RecursionError:
        return {"refused": f"{job}: the request must not be nested so deeply"}


class Job(NamedTuple):
    """What the page may request.

    Members
    -------
    module : str
        Module of this package that does the work.
    run : callable
        Does it: takes the module, what the request says, the limit, and what takes partial answers.
    """

    module: str
    run: Callable[[Any, Mapping[str, Any], Limit, Report], Data]

    def load(self) -> Any:
        """The module, imported."""
        return import_module(f"{__package__}.{self.module}")


JOBS: Mapping[str, Job] = {
    "form": Job("requests", lambda at, request, limit, report: at.form(request)),
    "facts": Job("answers", lambda at, request, limit, report: at.facts(request, limit)),
    "sheet": Job("answers", lambda at, request, limit, report: at.sheet_of(request, limit)),
    "files": Job("answers", lambda at, request, limit, report: at.files(request, limit)),
    "sweep": Job("sweeping", lambda at, request, limit, report: at.sweep(request, limit, report)),
}
"""Jobs by their names."""


def main(seconds: float, memory: float) -> None:
    """Answer jobs until the server is gone.

    Parameters
    ----------
    seconds, memory : float
        What each may take; the memory is all that this process may have.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    limit = Limit(seconds, memory)
    if memory < sys.maxsize:
        with suppress(ValueError, OSError):  # not every system can limit it
            resource.setrlimit(resource.RLIMIT_DATA, (int(memory), int(memory)))
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()

    def write(reply: Data) -> None:
        print(json.dumps(reply, separators=(",", ":")), file=out, flush=True)

    while True:
        request = json.loads(requests.get())
        JOBS[request["job"]].load()
        write(BEGUN)  # what was loaded until here is no part of the work
        reply = answer(
            request["job"], request["request"], limit, lambda so_far: write({"so_far": so_far})
        )
        write(reply)


def _read(requests: "queue.SimpleQueue[str]", lines: TextIO = sys.stdin) -> None:
    """Take the server's lines; end this process when there is no server any more."""
    for line in lines:
        requests.put(line)
    os._exit(0)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
