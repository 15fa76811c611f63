"""Figure of a search: distance and fullest channel over the degree, with the bounds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..sweep.plots.figures import COLOURS, new_figure, rule_panels
from .bounds import bounds
from .rows import Row
from .run import Found

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = "osD^vPX<>p"
_LABELS = ("mean distance (hops)", "fullest channel (flits per cycle)")


def draw(found: Found, kind: str) -> bytes:
    """Figure of an answer: the best graph, what it was made from, and the networks.

    Parameters
    ----------
    kind : str
        One of `figures.KINDS`.
    """
    plan = found.plan
    plain = [row for row in found.rows[1:] if not row.swaps]
    shown = [found.best, *plain, *found.published]
    with new_figure((10.4, 4.8), kind) as (figure, data):
        panels = figure.subplots(1, 2)
        _draw_bounds(panels, found, shown)
        for rows in ([found.best, *plain], found.published):
            for number, row in enumerate(rows):
                _draw_row(panels, row, number)
        traffic = "" if plan.traffic is None else f", traffic {plan.traffic.name}"
        rule_panels(*panels, title=f"{plan.nodes} nodes of degree {plan.degree}{traffic}")
        for axes, label in zip(panels, _LABELS, strict=True):
            axes.set_ylabel(label)
            axes.set_xlabel("links per router (the most)")
            axes.set_ylim(bottom=0)
        beside: Any = "outside right"  # matplotlib's types do not know it
        figure.legend(*panels[0].get_legend_handles_labels(), loc=beside, fontsize=8)
    return data.getvalue()


def _draw_bounds(panels: "Sequence[Axes]", found: Found, shown: Sequence[Row]) -> None:
    """Bounds for graphs of the size, over the degrees that are shown."""
    plan = found.plan
    most = max(row.figures.degree_max for row in shown)
    least = min(row.figures.degree_max for row in shown)
    degrees = np.arange(max(least, 2), min(most, plan.nodes - 1) + 1)
    rates = plan.lowered.rates
    lowest = [bounds(plan.nodes, int(degree), rates) for degree in degrees]
    for axes, name in zip(panels, ("average_distance", "fullest_channel"), strict=True):
        values = [getattr(bound, name) for bound in lowest]
        axes.plot(degrees, values, color="#24292f", linewidth=1.2, label="Moore bound")
        axes.set_xticks(degrees)


def _draw_row(panels: "Sequence[Axes]", row: Row, number: int) -> None:
    """Point of a graph in both panels: filled where it was found, hollow for a network."""
    figures, is_found = row.figures, len(row.neighbours) > 0
    colour = COLOURS[number % len(COLOURS)]
    size = "" if is_found else f" ({figures.nodes} nodes)"
    for axes, value in zip(
        panels, (figures.average_distance, figures.fullest_channel), strict=True
    ):
        axes.plot(
            *([figures.degree_max], [value]),
            linestyle="",
            marker=_MARKERS[number % len(_MARKERS)],
            markersize=7,
            color=colour,
            markerfacecolor=colour if is_found else "white",
            label=f"{row.name}{size}",
            zorder=3,
        )
