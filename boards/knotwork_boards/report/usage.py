"""Cells by kind, by part of the design and by router: numbers and bars."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..place_and_route import Resources
from .canvas import add_title, new_figure
from .cells import Cells
from .colours import FAINT, OTHERS, ROUTERS, owner_colours
from .owners import INTERFACE, NODE_TEST, PARTS, ROUTER, Owner, Owners

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLES = {"lut": "look-up tables", "ff": "flip-flops", "block_ram": "block RAMs"}
"""Kinds of resources in words."""

PARTS_AT_ROUTER = (ROUTER, INTERFACE, NODE_TEST)
"""Parts that stand at a router."""

Counts = Mapping[str, Counter[str]]


def by_part(cells: Cells) -> dict[str, Counter[str]]:
    """Cells of each kind by part of the design, from the network outwards."""
    sums: dict[str, Counter[str]] = {}
    for part in PARTS:
        for owner, used in cells.used.items():
            if owner.part == part:
                sums.setdefault(part, Counter()).update(used)
    return sums


def by_router(cells: Cells, owners: Owners) -> list[dict[str, Counter[str]]]:
    """Cells of each kind for each router, and for what stands there, by part."""
    rows: list[dict[str, Counter[str]]] = [
        {part: Counter() for part in PARTS_AT_ROUTER} for _ in range(owners.routers)
    ]
    for owner, used in cells.used.items():
        router = owners.router_of(owner)
        if router >= 0:
            rows[router][owner.part].update(used)
    return rows


def draw_usage(
    cells: Cells, resources: Resources, owners: Owners, *, title: str, kind: str = "svg"
) -> bytes:
    """Bars of the FPGA's cells by part, and of each router's by kind.

    Parameters
    ----------
    cells : Cells
        Cells by owner.
    resources : Resources
        Cells in use and available, by kind.
    owners : Owners
        Names of the routers.
    title : str
        Heading.
    kind : str
        ``svg`` or ``png``.
    """
    kinds = [one for one in TITLES if one in resources]
    rows = by_router(cells, owners)
    heights = [0.36 * len(kinds) + 0.75, 0.19 * len(rows) + 0.75]
    with new_figure((9.5, sum(heights) + 0.7), kind) as (figure, data):
        above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=heights)[:, 0]
        add_title(figure, title)
        _draw_parts(above.subplots(), by_part(cells), resources, kinds)
        shown = [one for one in kinds if any(row[part][one] for row in rows for part in row)]
        colours = owner_colours(cells.tiles, owners.routers)
        panels = below.subplots(1, len(shown), sharey=True, squeeze=False)[0]
        for axes, each in zip(panels, shown, strict=True):
            _draw_routers(axes, rows, each, colours)
        names = [owners.label(Owner(ROUTER, router)) for router in range(len(rows))]
        panels[0].set_yticks(range(len(rows)), names, fontsize=8)
        panels[0].set_ylabel("router")
        panels[0].set_ylim(len(rows) - 0.4, -0.6)
    return data.getvalue()


def _draw_parts(axes: "Axes", parts: Counts, resources: Resources, kinds: list[str]) -> None:
    """Bars of the whole FPGA, in per cent of what it has."""
    left = dict.fromkeys(kinds, 0.0)
    for part, used in parts.items():
        shares = [100 * used[kind] / resources[kind]["available"] for kind in kinds]
        colour = ROUTERS[0] if part == ROUTER else OTHERS[part]
        axes.barh(
            range(len(kinds)), shares, left=list(left.values()), height=0.62, color=colour,
            edgecolor="white", linewidth=0.4, label=part,
        )  # fmt: skip
        left = {kind: left[kind] + share for kind, share in zip(kinds, shares, strict=True)}
    for row, kind in enumerate(kinds):
        use = resources[kind]
        axes.annotate(
            f" {use['used']:,} of {use['available']:,} ({use['used'] / use['available']:.0%})",
            (left[kind], row), va="center", fontsize=8, color=FAINT,
        )  # fmt: skip
    axes.set_yticks(range(len(kinds)), [TITLES[kind] for kind in kinds])
    axes.set(xlim=(0, 100), ylim=(len(kinds) - 0.5, -0.5))
    axes.set_xlabel("per cent of the FPGA", color=FAINT)
    axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1.0), ncols=7, frameon=False, fontsize=8.5,
        borderaxespad=0.1, handlelength=1.2,
    )  # fmt: skip


def _draw_routers(
    axes: "Axes", rows: list[dict[str, Counter[str]]], kind: str, colours: Mapping[Owner, str]
) -> None:
    """Bars of one kind of cells: of each router, and of the interfaces of its nodes."""
    places = range(len(rows))
    own = [row[ROUTER][kind] for row in rows]
    interfaces = [row[INTERFACE][kind] for row in rows]
    shades = [colours[Owner(ROUTER, router)] for router in places]
    axes.barh(places, own, height=0.74, color=shades)
    axes.barh(places, interfaces, left=own, height=0.74, color=OTHERS[INTERFACE])
    axes.set_xlabel(TITLES[kind], color=FAINT)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#d8dee4", linewidth=0.6)
    axes.set_axisbelow(True)
