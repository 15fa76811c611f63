"""Figures of growth, with their numbers beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from knotwork.files import AnyPath, as_path, write_file

from ...columns import Table
from ..growth import FIT_FROM, GrowthCurve
from .figures import COLOURS, LINES, MARKERS, check_figure, new_figure, rule_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEADINGS = ("PEs", "levels", "network cycles", "95 %", "min", "max", "lower bound")
"""Columns of a printed table: the members of `GrowthPoint`."""

_TICKS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)


def write_figure(
    path: AnyPath, curves: Sequence[GrowthCurve], *, title: str, notes: Mapping[str, str]
) -> Path:
    """Write a figure of curves, and its numbers beside it as CSV; return the path of the CSV.

    The notes say in the CSV how to make the same again.

    Raises
    ------
    ConfigurationError
        A suffix that is no figure's; a file that cannot be written.
    """
    path = as_path(path, "a figure")
    image, numbers = draw(curves, title=title, kind=check_figure(path)), table(curves, notes)
    beside = path.with_suffix(".csv")
    write_file(beside, numbers.csv())
    write_file(path, image)
    return beside


def table(curves: Sequence[GrowthCurve], notes: Mapping[str, str]) -> Table:
    """Row a point, with the label of its family."""
    return Table.of_rows(
        [{"network": curve.label, **asdict(point)} for curve in curves for point in curve.points],
        notes,
    )


def draw(curves: Sequence[GrowthCurve], *, title: str, kind: str) -> bytes:
    """Figure of network cycles over PEs: means with their confidence, and the better fit of each.

    Parameters are as for `load_plots.draw`, the curves those of families.
    """
    with new_figure((7.2, 4.6), kind) as (figure, data):
        axes = figure.add_subplot()
        for number, curve in enumerate(curves):
            _draw_sweep(axes, curve, number)
        _scale(axes, curves)
        rule_panels(axes, title=title)
        axes.set_xlabel("size N (PEs)")
        axes.set_ylabel("mean duration (network cycles)")
        axes.legend(loc="upper left", framealpha=1, edgecolor="white", handlelength=3.6)
    return data.getvalue()


def _draw_sweep(axes: "Axes", curve: GrowthCurve, number: int) -> None:
    """Points and the better fit of one family, which have one line in the legend."""
    colour, marker = (kinds[number % len(kinds)] for kinds in (COLOURS, MARKERS))
    look: dict[str, Any] = {
        "color": colour,
        "marker": marker,
        "markersize": 5,
        "markerfacecolor": "white" if number % 2 else colour,
    }
    style = LINES[number % len(LINES)] if curve.fits else ""
    label = curve.label.replace("$", r"\$")  # the name of a file may have one
    nodes = [point.nodes for point in curve.points]
    if curve.fits:
        fit = curve.fits[0]
        label += f":  {_typeset(fit.formula)}  (R² {fit.r2:.4f})"
        across = np.geomspace(min(n for n in nodes if n >= FIT_FROM), max(nodes), 100)
        axes.plot(across, fit.at(across), color=colour, linestyle=style, linewidth=1.5)
    bars = axes.errorbar(
        nodes,
        [point.network_cycles for point in curve.points],
        [point.ci95 for point in curve.points],
        linestyle="",
        capsize=5,
        elinewidth=1.2,
        zorder=3,
        **look,
    )
    bars.set_label("_")
    axes.plot([], [], linestyle=style, label=label, **look)


def _typeset(formula: str) -> str:
    """Formula with its exponent raised and its base lowered."""
    base, caret, exponent = formula.partition("^")
    raised = f"{base}$^{{{exponent}}}$" if caret else base
    return raised.replace("log2 N", "log$_2$ N").replace(" - ", " \N{MINUS SIGN} ")


def _scale(axes: "Axes", curves: Sequence[GrowthCurve]) -> None:
    """Powers of 2 along the sizes; a logarithmic axis of cycles too if they differ much."""
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    points = [point for curve in curves for point in curve.points]
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
