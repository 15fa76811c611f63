"""Layouts that drawings of several networks share: cubes, stars of nodes, and closed walks."""

from math import ceil, sqrt

import numpy as np

Steps = tuple[tuple[float, float], ...]
"""Step right and down for each dimension."""

_DOWN = 1.3  # height of a step as a share of its width, in the middle of those not searched for
_CUBE: Steps = ((6.3, 0.0), (0.0, 5.7), (3.2, -2.4))
_NODES: dict[int, Steps] = {
    **{dimensions: _CUBE[:dimensions] for dimensions in range(4)},
    4: ((4.31, -0.2), (-0.01, 9.37), (2.0, -3.47), (7.98, 1.41)),
    5: ((5.48, 0.8), (-0.93, 6.46), (2.76, -2.89), (11.66, -0.02), (0.01, 13.75)),
    6: (
        *((8.57, 0.67), (0.94, 11.46), (4.16, -2.2)),
        *((17.16, -0.31), (0.09, 24.39), (6.74, -6.28)),
    ),
    7: (
        *((7.53, 1.4), (-0.87, 17.65), (3.79, -3.74)),
        *((15.21, 0.34), (0.05, 46.36), (5.66, -8.78), (35.03, -1.03)),
    ),
    8: (
        *((8.65, 0.86), (0.97, 11.7), (4.4, -2.72), (17.18, -0.24), (0.16, 27.86)),
        *((6.52, -6.43), (39.82, -1.46), (0.04, 62.98)),
    ),
}
_RINGS: dict[int, Steps] = {
    1: ((6.0, 0.0),),
    2: ((6.0, 0.0), (0.0, 6.0)),
    3: ((2.3, -2.0), (4.7, 0.0), (0.0, 5.4)),
    4: ((1.01, -3.75), (2.78, -1.27), (-0.01, 7.39), (5.69, -0.02)),
    5: ((2.0, -2.43), (4.62, -0.86), (-0.97, 5.4), (8.66, 0.35), (0.1, 15.45)),
    6: (
        *((2.66, -5.22), (13.17, -0.68), (-0.8, 11.56)),
        *((6.95, -2.39), (32.09, 1.28), (1.86, 31.51)),
    ),
    7: (
        *((2.66, -5.22), (13.17, -0.68), (-0.8, 11.56)),
        *((6.95, -2.39), (32.09, 1.28), (1.86, 31.51), (56.8, 0.4)),
    ),
}
"""Here the depth of a cube, its shortest step, comes first: rings turn to it and to the next."""


def cube_layout(dimensions: int, most: int = 8) -> np.ndarray:
    """Places of the nodes of a hypercube: a step for each bit that is 1.

    Three dimensions make a cube, the next three a larger cube that has such a cube at each corner,
    and so on. The steps of up to eight dimensions were searched for: those of the smallest drawing
    in which no straight link, of eight hardly one, passes under a node. Of more, none does.

    Parameters
    ----------
    dimensions : int
        Bits of a node's number.
    most : int
        Dimensions up to which the steps are those that were searched for.

    Returns
    -------
    ndarray
        Positions of the 2^dimensions nodes, float64.
    """
    return _corners(_steps(dimensions, _NODES if dimensions <= most else {}))


def ring_cube_layout(dimensions: int) -> np.ndarray:
    """The same with room for a ring at each place, past which the links lead.

    Returns
    -------
    ndarray
        Positions of the rings' middles, float64; the nearest two are 1 apart.
    """
    places = _corners(_steps(dimensions, _RINGS))
    between = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    return places / between[~np.eye(len(places), dtype=bool)].min()


def _corners(steps: Steps) -> np.ndarray:
    bits = np.arange(1 << len(steps))[:, None] >> np.arange(len(steps)) & 1
    return bits @ np.array(steps, float).reshape(-1, 2)


def _steps(dimensions: int, found: dict[int, Steps]) -> Steps:
    """Steps that were found; for more dimensions the powers of two.

    A step is twice as far right as the one before it, and half as far down: between two nodes with
    a link no other one is in the rectangle of which they are corners, as in the point set of
    van der Corput. The lowest bits have the steps of which neither side is long.
    """
    if dimensions in found:
        return found[dimensions]
    longer = sorted(range(dimensions), key=lambda step: abs(2 * step - dimensions + 0.5))
    return tuple((2.0**step, _DOWN * 2.0 ** (dimensions - 1 - step)) for step in longer)


_TURN = np.deg2rad(9.0)  # of all turns, that which parts the nodes best, across and down
_INNER = 0.56  # radius of the pentagram, which does so with that turn
_LANE = 0.146  # between two nodes, both across and down
_PASSING = 1.9  # lanes, where a link passes between two nodes
STAR = 2.5
"""Distance of two stars that are neighbours."""


def star_layout() -> np.ndarray:
    """Pentagon of radius 1, about, around a pentagram, float64 of shape (10, 2).

    No two nodes are in a row or in a column: level and upright links to other stars pass between
    the nodes.
    """
    angle = _TURN + 2 * np.pi * np.arange(5) / 5
    around = np.stack([np.sin(angle), -np.cos(angle)], axis=1)
    places = np.concatenate([around, _INNER * around])
    return np.stack([_parted(values) for values in places.T], axis=1)


def _parted(values: np.ndarray) -> np.ndarray:
    """Nearest values, by their squares, of which no two are closer than a lane."""
    order = np.argsort(values)
    rows = np.arange(len(values)) * _LANE
    # Without the lanes they must rise; where they fall, all of a run become their mean.
    runs: list[tuple[float, int]] = []
    for value in values[order] - rows:
        mean, count = float(value), 1
        while runs and runs[-1][0] > mean:
            before, those = runs.pop()
            mean, count = (before * those + mean * count) / (those + count), those + count
        runs.append((mean, count))
    parted = np.empty(len(values))
    parted[order] = np.concatenate([np.full(count, mean) for mean, count in runs]) + rows
    return parted


def stars_layout(cells: np.ndarray, lanes: tuple[float, float] = (1.0, 1.0)) -> np.ndarray:
    """Stars in rows and columns, float64 of shape (10 * stars, 2).

    Parameters
    ----------
    cells : ndarray
        Column and row of each star, (stars, 2).
    lanes : (float, float)
        How much wider and how much higher than `star_layout` each of them is.
    """
    return ((STAR * cells[:, None] + star_layout()) * lanes).reshape(-1, 2)


def lanes_past(ring: int) -> float:
    """How much farther apart nodes must be where the links of a ring pass stars of its row."""
    return 1.0 if ring < 3 else _PASSING


def folded(length: int) -> np.ndarray:
    """Place of each position of a ring in a row in which no two neighbours are far apart.

    The second half of the ring comes back between the first.
    """
    here = np.arange(length)
    return np.where(2 * here < length, 2 * here, 2 * (length - here) - 1)


def closed_walk(places: int, aspect: float = 1.0) -> np.ndarray:
    """Cells of a ring of so many places, each beside the one before.

    The ring goes to and fro in rows, and comes back in the first column. Of an odd number of
    places, the last is cornerwise from the first or leaves a cell free between them.

    Parameters
    ----------
    places : int
        Places, at least 1.
    aspect : float
        Columns for each row, about.

    Returns
    -------
    ndarray
        Column and row of each place, int64 of shape (places, 2).
    """
    if places < 4:
        return np.array([(0, 0), (1, 0), (1, 1)][:places])
    # Rows of three places or more: of two, none could be left free.
    rows = 2 * max(1, min(round(sqrt(places / aspect) / 2), places // 6))
    columns = ceil(places / rows)
    free = rows * columns - places
    cells = [(0, 0)]
    for pair in range(rows // 2):
        # A cell is left free at the right of both rows, where the walk turns round.
        last = columns - (pair >= rows // 2 - free // 2)
        cells += [(column, 2 * pair) for column in range(1, last)]
        cells += [(column, 2 * pair + 1) for column in range(last - 1, 0, -1)]
    cells += [(0, row) for row in range(rows - 1, free % 2, -1)]
    return np.array(cells)
