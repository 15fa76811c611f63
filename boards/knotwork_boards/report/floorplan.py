"""Floorplans: the cells of a build where nextpnr put them, coloured by router."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .canvas import add_title, new_figure
from .cells import Cells, Tile
from .colours import FAINT, INK, OTHERS, PAPER, owner_colours
from .critical_path import CriticalPath
from .labels import spread_labels
from .owners import (
    BOARD,
    CONTROLLER,
    INTERFACE,
    LINKS,
    NODE_TEST,
    PARTS,
    ROUTER,
    SELF_TEST,
    Owner,
    Owners,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Affine2D

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
    """Picture with a panel for each router, which shows its cells alone."""
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
