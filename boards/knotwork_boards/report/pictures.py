"""Pictures of a report: floorplans coloured by router, and bars of the cells in use."""

import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..place_and_route import Resources
from .critical_path import CriticalPath
from .owners import (
    BOARD,
    CONTROLLER,
    INTERFACE,
    LINKS,
    NODE_TEST,
    PARTS,
    ROUTER,
    SELF_TEST,
    Cells,
    Owner,
    Owners,
    Tile,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Affine2D


_DATED = {"svg": "Date", "png": "Software"}  # left out of the files
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "knotwork",  # names in the file are the same each time
    "font.family": "DejaVu Sans",  # matplotlib brings it
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 110,
}


@contextmanager
def new_figure(size: tuple[float, float], kind: str) -> "Iterator[tuple[Figure, io.BytesIO]]":
    """Empty figure of a width and a height in inches, and the buffer that then has its bytes.

    Parameters
    ----------
    size : (float, float)
        Width and height, inches.
    kind : str
        ``svg`` or ``png``.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    data = io.BytesIO()
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure, data
        figure.savefig(data, format=kind, metadata={_DATED[kind]: None})


def add_title(figure: "Figure", title: str) -> None:
    """Title of a figure, in letters as large as its width admits."""
    points = min(11.0, 72 * figure.get_figwidth() / (0.66 * len(title)))
    figure.suptitle(title, x=0.01, ha="left", fontsize=points)


# Okabe and Ito's colours, then Tol's; greys are for what is no router.
ROUTERS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#332288", "#F0E442",
    "#882255", "#999933",
)  # fmt: skip
OTHERS = {
    INTERFACE: "#8c959f",
    CONTROLLER: "#57606a",
    LINKS: "#57606a",
    NODE_TEST: "#d0d7de",
    SELF_TEST: "#e9ddc7",
    BOARD: "#c4b08b",
}
"""Colours of the other parts."""

INK, FAINT, PAPER = "#1b1f24", "#57606a", "#ffffff"


def owner_colours(tiles: Mapping[Tile, Counter[Owner]], routers: int) -> dict[Owner, str]:
    """Colour of each owner; routers with cells side by side get different ones where they can.

    Parameters
    ----------
    tiles : mapping
        Cells by tile, and there by owner.
    routers : int
        Number of routers; with enough colours, each has a different one.
    """
    chosen = _chosen(_neighbours(tiles), routers)
    colours = {Owner(ROUTER, router): ROUTERS[colour] for router, colour in chosen.items()}
    every = {owner for here in tiles.values() for owner in here}
    return colours | {owner: OTHERS[owner.part] for owner in every if owner.part != ROUTER}


def _chosen(beside: defaultdict[int, Counter[int]], routers: int) -> dict[int, int]:
    """Number of each router's colour, those with most neighbours first."""
    if routers <= len(ROUTERS):
        return {router: router for router in range(routers)}
    chosen: dict[int, int] = {}
    for router in sorted(range(routers), key=lambda one: (-beside[one].total(), one)):
        clashes, taken = [0] * len(ROUTERS), Counter(chosen.values())
        for other, weight in beside[router].items():
            if other in chosen:
                clashes[chosen[other]] += weight
        chosen[router] = min(range(len(ROUTERS)), key=lambda one: (clashes[one], taken[one], one))
    return chosen


def _neighbours(tiles: Mapping[Tile, Counter[Owner]]) -> defaultdict[int, Counter[int]]:
    """How often cells of two routers lie in one tile or in tiles side by side."""
    beside: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for (x, y), here in tiles.items():
        near = here.copy()
        for place in ((x + 1, y), (x, y + 1), (x + 1, y + 1), (x + 1, y - 1)):
            near.update(tiles.get(place, Counter()))
        ours = [owner.number for owner in here if owner.part == ROUTER]
        for router in ours:
            for other in near:
                if other.part == ROUTER and other.number != router:
                    beside[router][other.number] += near[other]
                    beside[other.number][router] += near[other]
    return beside


ROUNDS = 300
"""Most moves of each label."""


def spread_labels(middles: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Middles of boxes that do not overlap, near to those wanted.

    Each overlapping pair is moved apart along the shorter direction, each box by half.

    Parameters
    ----------
    middles, sizes : numpy.ndarray
        Wanted middles, and widths and heights, of shape (labels, 2).
    """
    placed = middles.astype(float).copy()
    placed += 1e-6 * np.arange(len(placed))[:, None]  # two in one place part too
    for _ in range(ROUNDS):
        moved = False
        for one in range(len(placed)):
            for other in range(one + 1, len(placed)):
                apart = placed[other] - placed[one]
                overlap = (sizes[one] + sizes[other]) / 2 - abs(apart)
                if (overlap > 1e-3 * sizes[one]).all():
                    axis = int(np.argmin(overlap / sizes[one]))
                    shift = np.sign(apart[axis]) * overlap[axis] / 2
                    placed[one, axis] -= shift
                    placed[other, axis] += shift
                    moved = True
        if not moved:
            break
    return placed


Box = tuple[float, float, float, float]
"""Left, bottom, width and height, in tiles."""

LEGEND_LIMIT = 20
"""Most routers that the legend names; the labels in the picture name all."""

NAMES = {
    INTERFACE: "node interfaces",
    CONTROLLER: "controller",
    LINKS: "registers of links",
    NODE_TEST: "self-test at the nodes",
    SELF_TEST: "rest of the self-test",
    BOARD: "pins, clock, reset",
}
"""Parts but routers in the legend."""

GAP = 0.05
"""Share of a tile that stays empty at each of its sides."""

LONG_SIDE = 9.0
"""Inches of the longer side of the picture."""


def draw_floorplan(
    cells: Cells, owners: Owners, *, title: str, path: CriticalPath | None, kind: str = "svg"
) -> bytes:
    """Picture of all cells, each router labelled, and the critical path over them.

    A tile with cells of several owners is shared out among them.
    """
    from matplotlib.ticker import MaxNLocator

    colours = owner_colours(cells.tiles, owners.routers)
    left, bottom, width, height = _extent(cells, PARTS[: PARTS.index(BOARD)])
    inches = LONG_SIDE / max(width, height)
    size = (width * inches + 2.2, height * inches + 0.9)
    with new_figure(size, kind) as (figure, data):
        axes = figure.add_subplot()
        for owner, boxes in _boxes(cells).items():
            _fill(axes, boxes, colours[owner])
        axes.set(xlim=(left, left + width), ylim=(bottom, bottom + height), aspect="equal")
        add_title(figure, title)
        axes.set(xlabel="column of tiles", ylabel="row of tiles")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(integer=True))
        if path is not None:
            _draw_path(axes, path)
        _label(axes, cells, owners, inches=inches)
        _legend(figure, owners, colours, path)
    return data.getvalue()


def draw_routers(cells: Cells, owners: Owners, *, title: str, kind: str = "svg") -> bytes:
    """Picture with a panel for each router, which shows only its cells."""
    colours = owner_colours(cells.tiles, owners.routers)
    left, bottom, width, height = _extent(cells, (ROUTER,))
    columns = 4 if owners.routers <= 16 else 8
    rows = -(-owners.routers // columns)
    inches = 9.5 / columns
    boxes = _boxes(cells)
    size = (columns * inches, rows * (inches * height / width + 0.25) + 0.4)
    with new_figure(size, kind) as (figure, data):
        panels = figure.subplots(rows, columns, squeeze=False).flat
        for router, axes in enumerate(panels):
            owner = Owner(ROUTER, router)
            axes.set(xlim=(left, left + width), ylim=(bottom, bottom + height), aspect="equal")
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set(visible=True, color="#d0d7de")
            if router >= owners.routers:
                axes.set_axis_off()
                continue
            _fill(axes, boxes.get(owner, ()), colours[owner])
            axes.set_title(owners.label(owner), fontsize=8, pad=2, color=INK)
        add_title(figure, title)
    return data.getvalue()


def _extent(cells: Cells, parts: Sequence[str]) -> Box:
    """Box around the tiles of some parts, with a margin."""
    tiles = [tile for tile, here in cells.tiles.items() if any(one.part in parts for one in here)]
    xs, ys = zip(*(tiles or [(0, 0)]), strict=True)
    left, bottom = min(xs) - 1, min(ys) - 1
    return left, bottom, max(xs) + 2 - left, max(ys) + 2 - bottom


def _boxes(cells: Cells) -> dict[Owner, list[Box]]:
    """Boxes of each owner: its shares of tiles, side by side."""
    boxes: defaultdict[Owner, list[Box]] = defaultdict(list)
    for (x, y), here in cells.tiles.items():
        left = x + GAP
        for owner in sorted(here, key=lambda owner: (PARTS.index(owner.part), owner.number)):
            width = (1 - 2 * GAP) * here[owner] / here.total()
            boxes[owner].append((left, y + GAP, width, 1 - 2 * GAP))
            left += width
    return boxes


def _fill(axes: "Axes", boxes: Iterable[Box], colour: str) -> None:
    """Fill boxes, as one shape."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    paths = [Path.unit_rectangle().transformed(_scaled(box)) for box in boxes]
    if paths:
        axes.add_patch(PathPatch(Path.make_compound_path(*paths), facecolor=colour, linewidth=0))


def _scaled(box: Box) -> "Affine2D":
    """What turns a unit square into a box."""
    from matplotlib.transforms import Affine2D

    left, bottom, width, height = box
    return Affine2D().scale(width, height).translate(left, bottom)


def _draw_path(axes: "Axes", path: CriticalPath) -> None:
    xs, ys = (np.array(place) + 0.5 for place in zip(*path.tiles, strict=True))
    axes.plot(xs, ys, color=PAPER, linewidth=3.6, zorder=3, solid_joinstyle="round")
    axes.plot(xs, ys, color=INK, linewidth=1.6, marker="o", markersize=3, zorder=4)
    for place, marker, size in ((-1, "D", 9), (0, "s", 5)):  # both are seen in one tile
        look = {"markerfacecolor": PAPER if place else INK, "markeredgewidth": 1.6}
        axes.plot(xs[place], ys[place], color=INK, marker=marker, markersize=size, zorder=4, **look)


def _label(axes: "Axes", cells: Cells, owners: Owners, *, inches: float) -> None:
    """Write each router's name on the middle of its cells, or beside it where names would meet."""
    points = 11 if owners.routers <= LEGEND_LIMIT else 8.5
    places: defaultdict[int, list[Tile]] = defaultdict(list)
    for tile, here in cells.tiles.items():
        for owner in here:
            if owner.part == ROUTER:
                places[owner.number] += [tile] * here[owner]
    routers = sorted(places)
    middles = np.array([_middle(np.array(places[router])) + 0.5 for router in routers])
    names = [owners.label(Owner(ROUTER, router)) for router in routers]
    letter = points / 72 / inches
    sizes = np.array([(0.68 * len(name) * letter + 0.3 * letter, 1.35 * letter) for name in names])
    paper = {"boxstyle": "round,pad=0.15", "facecolor": PAPER, "edgecolor": "none", "alpha": 0.8}
    look = {"fontsize": points, "fontweight": "bold", "color": INK, "zorder": 5, "bbox": paper}
    for name, (x, y) in zip(names, spread_labels(middles, sizes), strict=True):
        axes.text(x, y, name, ha="center", va="center", **look)


def _middle(tiles: np.ndarray) -> np.ndarray:
    """The tile nearest to the median of tiles."""
    away = np.abs(tiles - np.median(tiles, axis=0)).sum(axis=1)
    return tiles[np.argmin(away)]


def _legend(
    figure: "Figure", owners: Owners, colours: dict[Owner, str], path: CriticalPath | None
) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list = []
    if owners.routers <= LEGEND_LIMIT:
        routers = [Owner(ROUTER, router) for router in range(owners.routers)]
        handles = [Patch(color=colours[one], label=owners.title(one)) for one in routers]
    parts = {owner.part for owner in colours}
    handles += [Patch(color=OTHERS[one], label=NAMES[one]) for one in NAMES if one in parts]
    if path is not None:
        line = {"color": INK, "marker": "o", "markersize": 3, "linewidth": 1.6}
        handles.append(Line2D([], [], label="critical path, from ■ to ◇", **line))
    figure.legend(
        handles=handles, loc="outside right upper", frameon=False, fontsize=8.5, labelcolor=FAINT
    )


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
    """Bars of the FPGA's resources in use, in per cent."""
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
