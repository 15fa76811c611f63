"""Windows as text: rows of plain lines, cells of a live table, fields of JSON."""

from collections.abc import Sequence

from knotwork.network import Network

from ..measuring.settings import COUNTERS, REPORTED_SETTINGS
from .window_line import WindowLine
from .words import format_setting

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
    """Accepted load, and minimum, mean and maximum latency; "-" for what is not known.

    Flits are those of the whole network where the number of its nodes is not known.
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
    """What went wrong in a window: ``lost 1, misrouted 2``; ``failed`` if no counter says more."""
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
