"""Process that does the studio's work: a line of JSON asks, lines of JSON answer.

The page's server asks it, and ends it when it takes too long. It ends itself when the server is
gone, in whatever way.
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
Tell = Callable[[Data], None]


def answer(job: str, told: Mapping[str, Any], limit: Limit, tell: Tell) -> Data:
    """Answer of a job: ``answer``, or the line with which it is ``refused``.

    Parameters
    ----------
    job : str
        One of `JOBS`.
    told : mapping
        What the request says.
    limit : Limit
        What the work may take.
    tell : callable
        Takes what is known before the end.
    """
    try:
        work = JOBS[job]
        return {"answer": work.run(work.load(), told, limit, tell)}
    except KnotworkError as error:
        return {"refused": " ".join(str(error).splitlines())}
    except MemoryError:
        line = f"{job}: the work must stay within {size(limit.memory)}, not more"
        return {"refused": line}
    except RecursionError:
        return {"refused": f"{job}: the request must not be nested so deeply"}


class Job(NamedTuple):
    """What the page may ask for.

    Members
    -------
    module : str
        Module of this package that does the work.
    run : callable
        Does it: takes the module, what the request says, the limit, and what takes partial answers.
    """

    module: str
    run: Callable[[Any, Mapping[str, Any], Limit, Tell], Data]

    def load(self) -> Any:
        """The module, imported."""
        return import_module(f"{__package__}.{self.module}")


JOBS: Mapping[str, Job] = {
    "form": Job("form", lambda at, told, limit, tell: at.form(told)),
    "facts": Job("answers", lambda at, told, limit, tell: at.facts(told, limit)),
    "sheet": Job("answers", lambda at, told, limit, tell: at.sheet_of(told, limit)),
    "files": Job("answers", lambda at, told, limit, tell: at.files(told, limit)),
    "sweep": Job("sweeping", lambda at, told, limit, tell: at.sweep(told, limit, tell)),
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
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(asked,), daemon=True).start()

    def say(told: Data) -> None:
        print(json.dumps(told, separators=(",", ":")), file=out, flush=True)

    while True:
        asking = json.loads(asked.get())
        JOBS[asking["job"]].load()
        say(BEGUN)  # what was loaded until here is no part of the work
        told = answer(asking["job"], asking["told"], limit, lambda so_far: say({"so_far": so_far}))
        say(told)


def _read(asked: "queue.SimpleQueue[str]", lines: TextIO = sys.stdin) -> None:
    """Take the server's lines; end this process when there is no server any more."""
    for line in lines:
        asked.put(line)
    os._exit(0)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
