"""The monitor on a terminal: a table that grows, and a line in which commands are typed."""

from collections import deque
from typing import TYPE_CHECKING

from knotwork.network import Network

from .tables import bars, faults_text, measured_cells, settings_text
from .window_line import WindowLine
from .words import WORDS

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, Group, RenderResult
    from rich.table import Table
    from rich.text import Text

ROWS = 12
"""Windows that are shown, unless a terminal is too low for them."""

_OTHER_LINES = 9  # of the screen, beside the windows


class Screen:
    """What a terminal shows of a board.

    Parameters
    ----------
    port : str
        Its port.
    network : Network or None
        Its network, where that is known.

    Members
    -------
    message : str
        Last thing that happened.
    typed : str
        Command that is being typed; None where nobody types.
    skipped : int
        Lines that could not be read.
    """

    def __init__(self, port: str, network: Network | None) -> None:
        self.message = ""
        self.typed: str | None = None
        self.skipped = 0
        self._port = port
        self._network = network
        self._lines: deque[WindowLine] = deque(maxlen=ROWS)
        self._passed = self._failed = self._overrun = 0

    def add(self, line: WindowLine) -> None:
        """Show a window."""
        self._lines.append(line)
        self._passed += line.passed
        self._failed += not line.passed
        self._overrun = line.measures.get("overrun", 0)

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        del options
        yield self.render(console)

    def render(self, console: "Console") -> "Group":
        """Table of the last windows, and lines below it."""
        from rich.console import Group
        from rich.text import Text

        if not self._lines:
            return Group(
                Text(self.message or f"{self._port}: waiting for a window"), *self._prompt()
            )
        last = self._lines[-1]
        facts = [f"{self._passed} passed", f"{self._failed} failed"]
        facts += [f"{self.skipped} other lines"] if self.skipped else []
        facts += [f"{self._overrun} packets had no room to be timed"] if self._overrun else []
        failed = [line for line in self._lines if not line.passed][-1:]
        below = [f"window {line.window}: {faults_text(line)}" for line in failed]
        below += [settings_text(last), ", ".join(facts), self.message]
        shown = (
            Text(text, style="dim", overflow="ellipsis", no_wrap=True) for text in below if text
        )
        return Group(self._table(console, last), *shown, *self._prompt())

    def _prompt(self) -> "list[Text]":
        from rich.text import Text

        if self.typed is None:
            return []
        words = f"{', '.join(WORDS)}; ^C ends"
        return [Text(f"> {self.typed}█", style="bold"), Text(words, style="dim")]

    def _table(self, console: "Console", last: WindowLine) -> "Table":
        from rich import box
        from rich.table import Table

        plain = console.encoding != "utf-8"
        table = Table(
            title=f"{last.name} at {self._port}",
            title_justify="left",
            title_style="bold",
            box=box.ASCII if plain else box.SIMPLE_HEAD,
            padding=0,
            pad_edge=False,
        )
        has_measures = any(line.is_measured for line in self._lines)
        table.add_column("window", justify="right", style="cyan", no_wrap=True)
        table.add_column("verdict", no_wrap=True)
        for heading in ("sent", "received", "faults"):
            table.add_column(heading, justify="right", no_wrap=True)
        if has_measures:
            unit = "flits/cycle" if self._network is None else "accepted"
            for heading in (unit, "min", "mean", "max"):
                table.add_column(heading, justify="right", no_wrap=True)
            table.add_column("cycles, 1 to 2^15", no_wrap=True, style="green")
        height = max(1, min(ROWS, console.height - _OTHER_LINES))
        for line in list(self._lines)[-height:]:
            counts = [str(line.window), line.verdict, str(line.sent), str(line.received)]
            measured = []
            if has_measures:
                cells = measured_cells(line, self._network) if line.is_measured else ["-"] * 4
                measured = [*cells, bars(line.histogram, plain=plain)]
            style = None if line.passed else "red"
            table.add_row(*counts, str(sum(line.faults.values())), *measured, style=style)
        return table
