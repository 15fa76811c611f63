"""Colours of routers: distinct for the colour-blind, and unlike those of their neighbours."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from .cells import Tile
from .owners import BOARD, CONTROLLER, INTERFACE, LINKS, NODE_TEST, ROUTER, SELF_TEST, Owner

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
        Number of routers; where there are enough colours, each has its own.
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
