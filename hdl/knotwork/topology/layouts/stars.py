"""Petersen graphs as stars, at which links to the sides and up and down pass each other."""

import numpy as np

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
