"""Figures and tables of load sweeps."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from knotwork.files import write_whole

from .figures import COLOURS, LINES, check_figure, new_figure

_MARKERS = "osD^vPX<>p"
_ROOM = 6.0  # height of the latencies' panel, in times of the largest zero-load latency
_RING: dict[str, Any] = {
    "marker": "o",
    "markersize": 10,
    "markerfacecolor": "none",
    "markeredgecolor": "#24292f",
    "markeredgewidth": 1.2,
    "linestyle": "",
}
_UNIT = "flits per node per clock"
_COLUMNS = (
    *("network", "engine", "offered", "accepted", "accepted_ci95", "latency_mean", "latency_ci95"),
    *("latency_p50", "latency_p99", "latency_max", "saturated", "packets", "warmup"),
)


HEADINGS = ("offered", "accepted", "95 %", "latency", "95 %", "p50", "p99", "max", "saturated")
"""Columns of a table for people."""


def write_sweep(path: Path, answer: Mapping[str, Any]) -> list[Path]:
    """Write a figure of a sweep, with its numbers as CSV and JSON beside it; all their paths.

    Raises
    ------
    ConfigurationError
        Another suffix than those of `figures.SUFFIXES`; a file that cannot be written.
    """
    check_figure(path)
    image = draw(answer["sweeps"], title=title(answer), kind=path.suffix.lower()[1:])
    numbers, whole = path.with_suffix(".csv"), path.with_suffix(".json")
    write_whole(numbers, table(answer["sweeps"], answer["engine"]))
    write_whole(whole, json.dumps(answer, indent=2) + "\n")
    write_whole(path, image)
    return [path, numbers, whole]


def title(answer: Mapping[str, Any]) -> str:
    """Line above a sweep's figure: its traffic."""
    traffic = answer["traffic"]
    name = traffic["traffic"]
    if name == "permutation":
        which = traffic["permutation"]
        name = f"permutation {'as listed' if ',' in which else which}"
    first, last = traffic.get("length", (1, 1))
    flits = f"{first}" if first == last else f"{first} to {last}"
    plural = "" if (first, last) == (1, 1) else "s"
    engine = ", measured on the Verilog" if answer["engine"] == "rtl" else ""
    return f"{name.capitalize()} traffic, packets of {flits} flit{plural}{engine}"


def rows(points: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Points as rows, without network and engine."""
    found = []
    for point in points:
        latency = {f"latency_{name}": value for name, value in point["latency"].items()}
        flat = {**point, **latency}
        found.append([flat[column] for column in _COLUMNS[2:]])
    return found


def cells(points: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Rows under `HEADINGS`."""
    return [row[: len(HEADINGS)] for row in rows(points)]


def table(sweeps: Sequence[Mapping[str, Any]], engine: str = "model") -> str:
    """Points as CSV, with a line of headings; what is not known is empty."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(_COLUMNS)
    for swept in sweeps:
        for measured, points in ((engine, "points"), ("rtl", "rtl_points")):
            lines.writerows([swept["label"], measured, *row] for row in rows(swept.get(points, [])))
    return text.getvalue()


def draw(sweeps: Sequence[Mapping[str, Any]], *, title: str, kind: str) -> bytes:
    """Figure of latency and accepted load over offered load, with their 95 % confidence.

    Parameters
    ----------
    sweeps : sequence of mapping
        As in `LoadSweep.answer`.
    title : str
        Line above.
    kind : str
        ``svg`` or ``png``; the same bytes for the same sweeps.
    """
    with new_figure((8.4, 7.0), kind) as (figure, data):
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        highest = max(point["offered"] for swept in sweeps for point in swept["points"])
        top = _latency_top(sweeps)
        for number, swept in enumerate(sweeps):
            style = _style(number)
            _draw_latency(above, swept, style, top)
            _draw_accepted(below, swept, style, highest)
            _draw_rtl(above, below, swept.get("rtl_points", ()))
        (diagonal,) = below.plot([0, highest], [0, highest], color="#57606a", linewidth=0.8)
        diagonal.set_zorder(1)
        above.set_ylim(0, top)
        above.set_ylabel("mean latency (clocks)")
        below.set_ylim(0, None)
        below.set_xlim(0, highest * 1.03)
        below.set_xlabel(f"offered load ({_UNIT})")
        below.set_ylabel(f"accepted load\n({_UNIT})")
        for axes in (above, below):
            axes.grid(color="#d8dee4", linewidth=0.6)
            axes.set_axisbelow(True)
        above.set_title(title, loc="left", fontsize=11)
        _draw_legend(figure, above, below, ringed=any(s.get("rtl_points") for s in sweeps))
    return data.getvalue()


def _style(number: int) -> dict[str, Any]:
    """Look of a network: the first sixty differ, in grey too."""
    turn = number // len(COLOURS)
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": LINES[(number + turn) % len(LINES)],
        "marker": _MARKERS[number % len(_MARKERS)],
        "markerfacecolor": "white" if number % 2 else COLOURS[number % len(COLOURS)],
        "markersize": 4.5,
        "linewidth": 1.4,
    }


def _latency_top(sweeps: Sequence[Mapping[str, Any]]) -> float:
    """Top of the latencies' panel; what is above it has left the figure."""
    steady = [p["latency"]["mean"] for swept in sweeps for p in swept["points"]]
    steady = [mean for mean in steady if mean is not None] or [1.0]
    zero = [swept["zero_load_latency"] or min(steady) for swept in sweeps]
    return min(1.1 * max(steady), _ROOM * max(zero)) if max(steady) > max(zero) else 2 * max(zero)


def _draw_latency(axes: Any, swept: Mapping[str, Any], style: dict[str, Any], top: float) -> None:
    """Latencies of the steady points from zero load on, and where saturation begins."""
    steady = [point for point in swept["points"] if point["latency"]["mean"] is not None]
    offered = [point["offered"] for point in steady]
    mean = [point["latency"]["mean"] for point in steady]
    colour = style["color"]
    if swept["zero_load_latency"] is not None:
        offered, mean = [0.0, *offered], [swept["zero_load_latency"], *mean]
    axes.plot(offered, mean, label=_label(swept), **style)
    axes.errorbar(
        [point["offered"] for point in steady],
        [point["latency"]["mean"] for point in steady],
        [point["latency_ci95"] for point in steady],
        color=colour,
        linestyle="",
        capsize=2.5,
        elinewidth=1.0,
    )
    if swept["saturated_between"] and mean:
        full = sum(swept["saturated_between"]) / 2
        axes.plot([offered[-1], full], [mean[-1], top], color=colour, linestyle=":", linewidth=1.0)


def _draw_accepted(
    axes: Any, swept: Mapping[str, Any], style: dict[str, Any], highest: float
) -> None:
    """Accepted loads, and the ideal throughput on the diagonal where the figure reaches it."""
    points = swept["points"]
    offered = [0.0, *(point["offered"] for point in points)]
    accepted = [0.0, *(point["accepted"] for point in points)]
    axes.plot(offered, accepted, **style)
    axes.errorbar(
        offered[1:],
        accepted[1:],
        [point["accepted_ci95"] for point in points],
        color=style["color"],
        linestyle="",
        capsize=2.5,
        elinewidth=1.0,
    )
    ideal = swept["ideal_throughput"]
    if ideal is not None and ideal <= highest:
        look = {"marker": "*", "markersize": 11, "linestyle": "", "markeredgewidth": 1.0}
        axes.plot([ideal], [ideal], color=style["color"], markerfacecolor="white", zorder=4, **look)


def _draw_rtl(above: Any, below: Any, points: Sequence[Mapping[str, Any]]) -> None:
    """Points of the Verilog, ringed."""
    for point in points:
        mean = point["latency"]["mean"]
        if mean is not None:
            above.plot([point["offered"]], [mean], **_RING)
        below.plot([point["offered"]], [point["accepted"]], **_RING)


def _label(swept: Mapping[str, Any]) -> str:
    """Name of a network, and what it carries at most."""
    sign = "" if swept["saturated_between"] else "≥ "
    carried = f"{sign}{swept['saturation_throughput']:.3f}"
    if swept["ideal_throughput"] is not None:
        carried += f" of {swept['ideal_throughput']:.3f}"
    name = swept["label"].replace("$", r"\$")  # of a file's name
    return f"{name}:  {carried}"


def _draw_legend(figure: Any, above: Any, below: Any, *, ringed: bool) -> None:
    """Names below the panels, and what the marks mean within the lower one."""
    from matplotlib.lines import Line2D

    grey = "#57606a"
    hollow: dict[str, Any] = {"color": grey, "markerfacecolor": "white", "linestyle": ""}
    marks = {
        "accepted = offered": Line2D([], [], color=grey, linewidth=0.8),
        "ideal throughput": Line2D([], [], marker="*", markersize=11, **hollow),
        "to saturation": Line2D([], [], color=grey, linestyle=":", linewidth=1.0),
    }
    if ringed:
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
