"""Files of a search: the best graph, and the figure."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rustworkx
from knotwork.drawing.graph_files import Document, Keys

from ..columns import require_suffix
from ..sweep.plots.figures import COLOURS, new_figure, rule_panels
from .improve import links_of
from .rows import Row, bounds
from .run import Found

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _edges(neighbours: np.ndarray, name: str) -> str:
    del name
    return "".join(f"{first} {second}\n" for first, second in links_of(neighbours).tolist())


def _node_link(neighbours: np.ndarray, name: str) -> str:
    graph = rustworkx.PyGraph(attrs={"name": name})
    graph.add_nodes_from(range(len(neighbours)))
    graph.add_edges_from_no_data(
        [(first, second) for first, second in links_of(neighbours).tolist()]
    )
    text = rustworkx.node_link_json(graph, graph_attrs=dict)
    return f"{text}\n"


def _graphml(neighbours: np.ndarray, name: str) -> str:
    document = Document(name, Keys({}, {}), directed=False, facts={})
    for router in range(len(neighbours)):
        document.add_vertex(f"router_{router}", {})
    for first, second in links_of(neighbours).tolist():
        document.add_edge(f"router_{first}", f"router_{second}", {})
    return document.text()


WRITERS: dict[str, Callable[[np.ndarray, str], str]] = {
    ".edges": _edges,
    ".graphml": _graphml,
    ".json": _node_link,
}
"""Texts of a graph's file, by its ending: of its neighbours and its name."""


def graph_kind(path: Path) -> str:
    """Ending of a graph's file, one of those of `WRITERS`.

    Raises
    ------
    ConfigurationError
        Another ending.
    """
    return require_suffix(path, "a graph", list(WRITERS))


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
