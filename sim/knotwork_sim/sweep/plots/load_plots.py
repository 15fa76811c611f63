"""Figures and tables of load sweeps."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from knotwork.files import AnyPath, as_path, write_file

from ... import columns
from ...check.engines import BOARD
from ...traffic.keys import Traffic
from ..load_result import LoadCurve, LoadPoint, LoadResult
from .figures import COLOURS, LINES, check_figure, new_figure, rule_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS = "osD^vPX<>p"
_ROOM = 6.0  # height of the panel of latencies, as a multiple of the largest zero-load latency
_DIGITS = {
    "offered": 6,
    "accepted": 4,
    "accepted_ci95": 4,
    "latency_mean": 2,
    "latency_ci95": 2,
    "latency_p50": 1,
    "latency_p99": 1,
    "latency_max": 1,
    "saturated": 0,
}  # a printed table's columns, and their decimals
_RING: dict[str, Any] = {
    "marker": "o",
    "markersize": 10,
    "markerfacecolor": "none",
    "markeredgecolor": "#24292f",
    "markeredgewidth": 1.2,
    "linestyle": "",
}
_UNIT = "flits per node per cycle"
HEADINGS = ("offered", "accepted", "95 %", "latency", "95 %", "p50", "p99", "max", "saturated")
"""Columns of a printed table: two loads in flits/node/cycle, five latencies in cycles."""


def write_sweep(path: AnyPath, result: LoadResult) -> list[Path]:
    """Write a figure of a sweep, with its numbers as CSV and JSON beside it, or its table alone.

    Returns the paths of the files.

    Raises
    ------
    ConfigurationError, ToolError
        A suffix that is neither a figure's nor a table's; a file that cannot be written.
    """
    path = as_path(path, "a figure or a table")
    if path.suffix.lower() in columns.SUFFIXES:
        result.table.write(path)
        return [path]
    image = figure_of(result, check_figure(path))
    numbers, whole = path.with_suffix(".csv"), path.with_suffix(".json")
    write_file(numbers, result.table.csv())
    write_file(whole, json.dumps(result.as_json(), indent=2) + "\n")
    write_file(path, image)
    return [path, numbers, whole]


def figure_of(result: LoadResult, kind: str) -> bytes:
    """Figure of a sweep, of one of the kinds of `figures.KINDS`."""
    return draw(result.curves, title=title(result.traffic, result.engine), kind=kind)


def title(traffic: Traffic, engine: str) -> str:
    """Line above a sweep's figure: its traffic."""
    name = traffic.traffic
    if traffic.permutation is not None:
        name = f"permutation {'as listed' if ',' in traffic.permutation else traffic.permutation}"
    first, last = traffic.length or (1, 1)
    flits = f"{first}" if first == last else f"{first} to {last}"
    plural = "" if (first, last) == (1, 1) else "s"
    measured = {"rtl": ", measured on the Verilog", BOARD: ", measured on a board"}
    return f"{name.capitalize()} traffic, packets of {flits} flit{plural}{measured.get(engine, '')}"


def cells(points: Sequence[LoadPoint]) -> list[list[object]]:
    """Rows of a table with the columns `HEADINGS`, narrow enough for a terminal."""
    rows = [point.as_row() for point in points]
    return [
        [
            round(cell, decimals) if isinstance(cell := row[name], float) else cell
            for name, decimals in _DIGITS.items()
        ]
        for row in rows
    ]


def facts(curve: LoadCurve) -> list[str]:
    """Lines below the table of a network's points."""
    zero, ideal = curve.zero_load_latency, curve.ideal_throughput
    overload = curve.accepted_at_overload
    beyond = "" if overload is None else f", accepted at overload: {overload:.3f}"
    return [
        f"zero load latency: {'unknown' if zero is None else f'{zero:g} cycles'}",
        f"saturation throughput: {curve.reported_saturation} flits/node/cycle{beyond}",
        f"ideal throughput: {'unknown' if ideal is None else f'{ideal:.3f} flits/node/cycle'}",
    ]


def draw(curves: Sequence[LoadCurve], *, title: str, kind: str) -> bytes:
    """Figure of latency and accepted load over offered load, with their 95 % confidence.

    Parameters
    ----------
    curves : sequence of LoadCurve
        Networks to draw.
    title : str
        Line above the figure.
    kind : str
        One of `figures.KINDS`; the same bytes for the same curves.
    """
    with new_figure((8.4, 7.0), kind) as (figure, data):
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        highest = max(curve.highest_load for curve in curves)
        top = _latency_top(curves)
        for number, curve in enumerate(curves):
            style = _style(number)
            _draw_latency(above, curve, style, top)
            _draw_accepted(below, curve, style, highest)
            _draw_rtl(above, below, curve.rtl_points or ())
        (diagonal,) = below.plot([0, highest], [0, highest], color="#57606a", linewidth=0.8)
        diagonal.set_zorder(1)
        above.set_ylim(0, top)
        above.set_ylabel("mean latency (cycles)")
        below.set_ylim(0, None)
        below.set_xlim(0, highest * 1.03)
        below.set_xlabel(f"offered load ({_UNIT})")
        below.set_ylabel(f"accepted load\n({_UNIT})")
        rule_panels(above, below, title=title)
        _draw_legend(figure, above, below, curves)
    return data.getvalue()


def _style(number: int) -> dict[str, Any]:
    """Look of a network's curve: the first sixty differ, even in grey."""
    turn = number // len(COLOURS)
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": LINES[(number + turn) % len(LINES)],
        "marker": _MARKERS[number % len(_MARKERS)],
        "markerfacecolor": "white" if number % 2 else COLOURS[number % len(COLOURS)],
        "markersize": 4.5,
        "linewidth": 1.4,
    }


def _latency_top(curves: Sequence[LoadCurve]) -> float:
    """Top of the panel of latencies; the figure does not show what is above."""
    means = [point.latency.mean for curve in curves for point in curve.points]
    steady = [mean for mean in means if mean is not None] or [1.0]
    zero = [curve.zero_load_latency or min(steady) for curve in curves]
    return min(1.1 * max(steady), _ROOM * max(zero)) if max(steady) > max(zero) else 2 * max(zero)


def _draw_latency(axes: "Axes", curve: LoadCurve, style: dict[str, Any], top: float) -> None:
    """Latencies of the steady points from zero load on, and where saturation begins."""
    steady = [point for point in curve.points if point.latency.mean is not None]
    loads = np.array([point.offered for point in steady])
    latencies = np.array([point.latency.mean for point in steady])
    ci95 = _half_widths([point.latency_ci95 for point in steady])
    colour = style["color"]
    offered, mean = loads, latencies
    if curve.zero_load_latency is not None:
        offered, mean = np.append(0.0, loads), np.append(curve.zero_load_latency, latencies)
    axes.plot(offered, mean, label=_label(curve), **style)
    axes.errorbar(
        loads,
        latencies,
        ci95,
        color=colour,
        linestyle="",
        capsize=2.5,
        elinewidth=1.0,
    )
    if curve.saturated_between and len(mean):
        full = sum(curve.saturated_between) / 2
        axes.plot([offered[-1], full], [mean[-1], top], color=colour, linestyle=":", linewidth=1.0)


def _half_widths(known: Sequence[float | None]) -> np.ndarray:
    """Lengths of error bars; none where no confidence is known."""
    return np.array([np.nan if width is None else width for width in known])


def _draw_accepted(axes: "Axes", curve: LoadCurve, style: dict[str, Any], highest: float) -> None:
    """Accepted loads, and the ideal throughput on the diagonal if the figure reaches it."""
    offered = [0.0, *(point.offered for point in curve.points)]
    accepted = [0.0, *(point.accepted for point in curve.points)]
    axes.plot(offered, accepted, **style)
    axes.errorbar(
        offered[1:],
        accepted[1:],
        _half_widths([point.accepted_ci95 for point in curve.points]),
        color=style["color"],
        linestyle="",
        capsize=2.5,
        elinewidth=1.0,
    )
    ideal = curve.ideal_throughput
    if ideal is not None and ideal <= highest:
        look = {"marker": "*", "markersize": 11, "linestyle": "", "markeredgewidth": 1.0}
        axes.plot([ideal], [ideal], color=style["color"], markerfacecolor="white", zorder=4, **look)


def _draw_rtl(above: "Axes", below: "Axes", points: Sequence[LoadPoint]) -> None:
    """Points of the Verilog, ringed."""
    for point in points:
        if point.latency.mean is not None:
            above.plot([point.offered], [point.latency.mean], **_RING)
        below.plot([point.offered], [point.accepted], **_RING)


def _label(curve: LoadCurve) -> str:
    """Name of a network, and its saturation throughput."""
    carried = curve.reported_saturation
    if curve.ideal_throughput is not None:
        ideal = f"{curve.ideal_throughput:.3f}"
        carried += f" of {ideal}" if curve.saturated_between else f" (ideal: {ideal})"
    name = curve.label.replace("$", r"\$")  # the name of a file may have one
    return f"{name}:  {carried}"


def _draw_legend(
    figure: "Figure", above: "Axes", below: "Axes", curves: Sequence[LoadCurve]
) -> None:
    """Names of the networks below the panels, and the meaning of the marks in the lower panel."""
    from matplotlib.lines import Line2D

    grey = "#57606a"
    hollow: dict[str, Any] = {"color": grey, "markerfacecolor": "white", "linestyle": ""}
    marks = {
        "accepted = offered": Line2D([], [], color=grey, linewidth=0.8),
    }
    highest = max(curve.highest_load for curve in curves)
    if any((curve.ideal_throughput or 2) <= highest for curve in curves):
        marks["ideal throughput"] = Line2D([], [], marker="*", markersize=11, **hollow)
    if any(curve.saturated_between for curve in curves):
        marks["to saturation"] = Line2D([], [], color=grey, linestyle=":", linewidth=1.0)
    if any(curve.rtl_points for curve in curves):
        marks["the Verilog"] = Line2D([], [], **_RING)
    below.legend(
        list(marks.values()),
        list(marks),
        loc="upper left",
        framealpha=1,
        edgecolor="white",
        fontsize=9,
    )
    names = above.get_legend_handles_labels()
    figure.legend(
        *names,
        loc="outside lower center",
        ncols=1 if len(names[0]) < 3 else 2,
        title="saturation throughput, of the ideal",
        title_fontsize=9,
        fontsize=9,
        frameon=False,
        handlelength=4,
    )
