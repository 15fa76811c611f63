"""Windows as users see them: rows of plain lines, fields of JSON, and a live table."""

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from knotwork.network import Network

from ..measuring import COUNTERS, REPORTED_SETTINGS
from .commands import WORDS, format_setting
from .window_line import WindowLine

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, Group, RenderResult
    from rich.table import Table
    from rich.text import Text


COLUMNS = ("window", *COUNTERS, "verdict")
"""Columns of plain lines."""

MEASURED_COLUMNS = ("window", *COUNTERS, "accepted", "min", "mean", "max", "verdict")
"""Columns of plain lines where latency and load are measured."""

_LEVELS = " ▁▂▃▄▅▆▇█"
_PLAIN_LEVELS = " .:-=+*#@"


def columns(line: WindowLine) -> tuple[str, ...]:
    """Columns of a plain line."""
    return MEASURED_COLUMNS if line.is_measured else COLUMNS


def cells(line: WindowLine, network: Network | None) -> list[str]:
    """Cells of a plain line."""
    counts = [str(getattr(line, name)) for name in ("window", *COUNTERS)]
    return [*counts, *(measured_cells(line, network) if line.is_measured else ()), line.verdict]


def measured_cells(line: WindowLine, network: Network | None) -> list[str]:
    """Accepted load, and minimum, mean and maximum latency; "-" for unknown values.

    Flits are those of the entire network if the number of its nodes is unknown.
    """
    mean, latency = line.latency_mean, ("latency_min", "latency_max")
    least, most = ("-" if mean is None else str(line.measures.get(key, "-")) for key in latency)
    nodes = 1 if network is None else network.topology.nodes
    accepted = line.accepted(nodes)
    return [
        "-" if accepted is None else f"{accepted:.4f}",
        least,
        "-" if mean is None else f"{mean:.2f}",
        most,
    ]


def row(cells: Sequence[str]) -> str:
    """Plain line."""
    return " ".join(f"{cell:>10}" for cell in cells)


def settings_text(line: WindowLine) -> str:
    """Settings that a line repeats, as a user writes them."""
    names = [name for name in REPORTED_SETTINGS if name in line.measures]
    if not line.is_measured:
        names = names[:1]
    return "  ".join(f"{name} {format_setting(name, line.measures[name])}" for name in names)


def faults_text(line: WindowLine) -> str:
    """Faults of a window: ``lost 1, misrouted 2``; ``failed`` if no counter says more."""
    return ", ".join(f"{name} {count}" for name, count in line.faults.items()) or "failed"


def bars(counts: Sequence[int], *, plain: bool = False) -> str:
    """Histogram in a line: a character a bin, its height that of the count.

    A count that is not 0 has a height that is not.
    """
    levels = _PLAIN_LEVELS if plain else _LEVELS
    top = max(counts, default=0) or 1
    return "".join(levels[-(-count * (len(levels) - 1) // top)] for count in counts)


def fields(line: WindowLine, network: Network | None, skipped: int) -> dict[str, object]:
    """Fields of a window in JSON: its words, and what follows from them.

    `skipped` is the number of lines that could not be read since the one before.
    """
    answer: dict[str, object] = {**line.as_dict(), "skipped": skipped}
    if line.is_measured:
        answer["latency_mean"] = None if line.latency_mean is None else round(line.latency_mean, 4)
        if network is not None and (accepted := line.accepted(network.topology.nodes)) is not None:
            answer["accepted"] = round(accepted, 6)
    return answer


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
        Its network, if it is known.

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
        facts += [f"{self._overrun} packets were not timed"] if self._overrun else []
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
