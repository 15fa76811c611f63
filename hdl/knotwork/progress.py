"""Progress of long work on stderr: what is done, how far it is, how long it will still take.

`progress` is a context manager around any work that may take more than two seconds. It shows
nothing until a program enables it with `show_progress`, as the command line does: so a library
call, a test and a worker process stay silent.
"""

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:  # rich is loaded when a bar is drawn
    from rich.console import Console
    from rich.table import Table

PATIENCE = 2.0
"""Seconds that work takes before it is shown."""
REFRESH = 0.2
"""Seconds between two pictures of a bar."""
SELDOM = 60.0
"""Seconds between two plain lines, once work has taken long; at first they come more often."""

JOIN_SECONDS = 2.0
"""Seconds in which the thread that shows must have cleared its lines."""


@dataclass(eq=False)
class Task:
    """Work under way; a call counts units of it that are finished.

    Members
    -------
    what : str
        What is done, a word that ends in -ing and its object.
    total : float or None
        Units of work; None where nobody knows. May change while the work goes on.
    unit : str
        What is counted, in the plural.
    done : float
        Units that are finished; work that learns how far it is may set this itself.
    expected : float or None
        Seconds that it takes, about, where nothing is counted.
    began : float
        Time of `time.monotonic` at which it began.
    parts : list of Task
        Work of other threads, each a unit of this, that is under way.
    reached : float
        Units that were finished at the last look, with what was done of others.
    thread : int
        Thread in which it is done.
    """

    what: str
    total: float | None = None
    unit: str = ""
    done: float = 0
    expected: float | None = None
    began: float = field(default_factory=time.monotonic)
    parts: "list[Task]" = field(default_factory=list)
    reached: float = 0
    thread: int = field(default_factory=threading.get_ident)

    def __call__(self, units: float = 1) -> None:
        """Count units that are finished."""
        self.done += units

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began

    @property
    def share(self) -> float | None:
        """Finished share, 0 to 1; None where the total is not known."""
        if not self.total:
            return None
        begun = sum(part.share or 0.0 for part in tuple(self.parts))
        # A part that has ended counts until its unit does.
        self.reached = max(self.reached, self.done + begun)
        return min(self.reached / self.total, 1.0)

    @property
    def remaining(self) -> float | None:
        """Seconds that it will still take, at its pace or as expected; None where neither is known.

        Work that takes longer than expected has no end that is known.
        """
        if self.expected is not None:
            left = self.expected - self.elapsed
            return left if left > 0 else None
        share = self.share
        return self.elapsed * (1 - share) / share if share else None

    def far(self) -> str:
        """How far it is: ``370 of 1,000 cycles``; empty where nothing is counted."""
        if self.total and not self.unit:
            return f"{self.done / self.total:.0%}"
        if not self.total and not self.done:
            return ""
        of = f" of {self.total:,.0f}" if self.total else ""
        return f"{self.done:,.0f}{of} {self.unit}".rstrip()

    def times(self) -> str:
        """How long it has taken and will still take: ``12 s, 3 min left``."""
        left = self.remaining
        still = "" if left is None else f", {duration(left)} left"
        return duration(self.elapsed) + still

    def line(self) -> str:
        """All of this in one line."""
        return ", ".join(filter(None, (self.what, self.far(), f"after {self.times()}")))


def duration(seconds: float) -> str:
    """Length of time in two units at most: ``4 s``, ``3 min``, ``1 h 20 min``."""
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    if seconds < 599.5:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    return f"{hours // 24:,} days"


class Display:
    """Tasks under way, and the thread that shows them.

    Parameters
    ----------
    stream : TextIO
        Where they are shown: bars on a terminal, plain lines elsewhere.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._owner = os.getpid()
        self._tasks: list[Task] = []
        self._changes = threading.Lock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._console: Console | None = None

    def write_line(self, line: str) -> None:
        """Write a line at once, above the bars if there are any."""
        if self._console is not None:
            self._console.print(f"knotwork: {line}", soft_wrap=True)
            return
        self._stream.write(f"knotwork: {line}\n")
        self._stream.flush()

    def begin(self, task: Task) -> None:
        """Show a task from now on, below those that are under way."""
        if os.getpid() != self._owner:  # a fork has the tasks, but not the thread
            return
        with self._changes:
            self._tasks.append(task)
            if self._thread is None:
                self._ended = threading.Event()
                self._thread = threading.Thread(target=self._show, args=(self._ended,), daemon=True)
                self._thread.start()

    def end(self, task: Task) -> None:
        """Show a task no more; the last one leaves the terminal as it was."""
        with self._changes:
            if task in self._tasks:
                self._tasks.remove(task)
            if self._tasks:
                return
        self.close()

    def close(self) -> None:
        """Show nothing more, and leave the terminal as it was."""
        with self._changes:
            self._tasks.clear()
            thread, self._thread = self._thread, None
            self._ended.set()
        if thread is not None:
            thread.join(JOIN_SECONDS)

    def _due(self) -> list[Task]:
        """Tasks that have taken long enough to be shown."""
        with self._changes:
            return [task for task in self._tasks if task.elapsed >= PATIENCE]

    def _show(self, ended: threading.Event) -> None:
        if ended.wait(PATIENCE):
            return
        try:
            if self._stream.isatty():
                self._show_bars(ended)
            else:
                self._print_lines(ended)
        except (OSError, ValueError):  # the stream is gone: the work goes on
            return

    def _print_lines(self, ended: threading.Event) -> None:
        pause = PATIENCE
        while True:
            due = self._due()
            if due:
                self._stream.write(f"knotwork: {due[-1].line()}\n")
                self._stream.flush()
            if ended.wait(pause):
                return
            pause = min(2 * pause, SELDOM)

    def _show_bars(self, ended: threading.Event) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(file=self._stream, markup=False, highlight=False, emoji=False)
        live = Live(
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,  # what the verb prints meanwhile goes where it belongs
            redirect_stderr=False,
        )
        with live:
            self._console = console
            try:
                while True:
                    live.update(_bars(self._due()), refresh=True)
                    if ended.wait(REFRESH):
                        return
            finally:
                self._console = None


def _bars(tasks: Sequence[Task]) -> "Table":
    """Bars of tasks, a line each, that fit into 80 columns."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    for _ in range(3):
        grid.add_column(no_wrap=True)
    for task in tasks:
        total = task.total or None
        bar = ProgressBar(total, task.done, width=16, pulse=total is None)
        grid.add_row(task.what, bar, task.far(), task.times())
    return grid


_display: Display | None = None

_innermost: ContextVar[Task | None] = ContextVar("innermost task", default=None)


def show_progress(stream: TextIO | None = None) -> None:
    """Have this process show the progress of its work on `stream`, stderr if not named."""
    global _display  # noqa: PLW0603 - one terminal, one display
    _display = Display(sys.stderr if stream is None else stream)


def report(line: str) -> None:
    """Write a line about the work to come, where progress is shown."""
    if _display is not None:
        _display.write_line(line)


_unkept: list[str] = []


def report_unkept(reason: str) -> None:
    """Report, once per process, why nothing that is compiled can be kept in this user's cache."""
    if not _unkept:
        _unkept.append(reason)
        report(f"what is compiled is not kept, and compiled again each time: {reason}")


def hide_progress() -> None:
    """Have this process show no progress any more, and leave the terminal as it was."""
    global _display
    display, _display = _display, None
    if display is not None:
        display.close()


@contextmanager
def progress(
    what: str, *, total: float | None = None, unit: str = "", expected: float | None = None
) -> Iterator[Task]:
    """Context in which work is shown on stderr if it takes more than two seconds.

    Contexts may be nested: a terminal shows a bar for each, and a plain line names the innermost.
    In a thread that runs in a copy of another one's context, work is a part of what is done there,
    and not shown itself. When the context is left, by an exception too, the terminal is as before.

    Parameters
    ----------
    what : str
        What is done: ``compiling Verilog``.
    total : float, optional
        Units of work; without it, only what has been counted and the elapsed time are shown.
    unit : str, optional
        What is counted, in the plural: ``cycles``.
    expected : float, optional
        Seconds that work takes, about, of which nothing is counted.

    Returns
    -------
    Task
        Called with the number of units that have been finished since the last call.
    """
    task, display, outer = Task(what, total, unit, expected=expected), _display, _innermost.get()
    is_part = outer is not None and outer.thread != task.thread
    if outer is not None and is_part:
        outer.parts.append(task)
    elif display is not None:
        display.begin(task)
    token = _innermost.set(task)
    try:
        yield task
    finally:
        _innermost.reset(token)
        if outer is not None and is_part:
            outer.parts.remove(task)
        elif display is not None:
            display.end(task)
