"""Figures of growth, and their numbers beside them."""

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from knotwork.files import write_whole

from .figures import COLOURS, LINES, MARKERS, check_figure, new_figure
from .growth import FIT_FROM, Point, Sweep

_TICKS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)


def write_figure(path: Path, sweeps: Sequence[Sweep], *, title: str) -> Path:
    """Write a figure of sweeps, and its numbers as CSV beside it; the CSV's path.

    Raises
    ------
    ConfigurationError
        Another suffix than those of `SUFFIXES`; a file that cannot be written.
    """
    check_figure(path)
    image, numbers = draw(sweeps, title=title, kind=path.suffix.lower()[1:]), table(sweeps)
    beside = path.with_suffix(".csv")
    write_whole(beside, numbers)
    write_whole(path, image)
    return beside


def table(sweeps: Sequence[Sweep]) -> str:
    """Points as CSV, with a line of headings."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["network", *(field.name for field in fields(Point))])
    for swept in sweeps:
        rows.writerows([swept.label, *asdict(point).values()] for point in swept.points)
    return text.getvalue()


def draw(sweeps: Sequence[Sweep], *, title: str, kind: str) -> bytes:
    """Figure of network cycles over PEs: means with their confidence, and the better fits.

    Parameters
    ----------
    sweeps : sequence of Sweep
        What was measured.
    title : str
        Line above.
    kind : str
        ``svg`` or ``png``; the same bytes for the same sweeps.
    """
    with new_figure((7.2, 4.6), kind) as (figure, data):
        axes = figure.add_subplot()
        for number, swept in enumerate(sweeps):
            _draw_sweep(axes, swept, number)
        _scale(axes, sweeps)
        axes.set_title(title, loc="left", fontsize=11)
        axes.set_xlabel("size N (PEs)")
        axes.set_ylabel("mean duration (network cycles)")
        axes.grid(color="#d8dee4", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.legend(loc="upper left", framealpha=1, edgecolor="white", handlelength=3.6)
    return data.getvalue()


def _draw_sweep(axes: Any, swept: Sweep, number: int) -> None:
    """Points and the better fit of one family; its place in the legend is one line."""
    colour, marker = (kinds[number % len(kinds)] for kinds in (COLOURS, MARKERS))
    style = LINES[number % len(LINES)] if swept.fits else ""
    label = swept.label.replace("$", r"\$")  # of a file's name
    nodes = [point.nodes for point in swept.points]
    if swept.fits:
        fit = swept.fits[0]
        label += f":  {_typeset(fit.formula)}  (R² {fit.r2:.4f})"
        across = np.geomspace(min(n for n in nodes if n >= FIT_FROM), max(nodes), 100)
        axes.plot(across, fit.at(across), color=colour, linestyle=style, linewidth=1.5)
    bars = axes.errorbar(
        nodes,
        [point.network_cycles for point in swept.points],
        [point.ci95 for point in swept.points],
        color=colour,
        marker=marker,
        markersize=5,
        markerfacecolor="white" if number % 2 else colour,
        linestyle="",
        capsize=5,
        elinewidth=1.2,
        zorder=3,
    )
    bars.set_label("_")
    axes.plot(
        [],
        [],
        color=colour,
        marker=marker,
        markersize=5,
        markerfacecolor="white" if number % 2 else colour,
        linestyle=style,
        label=label,
    )


def _typeset(formula: str) -> str:
    """Formula with its exponent raised and its base lowered."""
    base, caret, exponent = formula.partition("^")
    raised = f"{base}$^{{{exponent}}}$" if caret else base
    return raised.replace("log2 N", "log$_2$ N").replace(" - ", " \N{MINUS SIGN} ")


def _scale(axes: Any, sweeps: Sequence[Sweep]) -> None:
    """Sizes by powers of 2; cycles by their logarithm too where they differ much."""
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    points = [point for swept in sweeps for point in swept.points]
    nodes = [point.nodes for point in points]
    axes.set_xscale("log", base=2)
    powers = 2.0 ** np.arange(1, max(nodes).bit_length() + 1)
    axes.xaxis.set_major_locator(FixedLocator(powers.tolist()))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(min(nodes) / 1.3, max(nodes) * 1.3)
    cycles = [point.network_cycles for point in points]
    if max(cycles) > 8 * min(cycles):
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(FixedLocator(list(_TICKS)))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_ylim(min(cycles) / 1.2, max(cycles) * 2.2)
    else:
        axes.set_ylim(0, max(cycles) * 1.3)
