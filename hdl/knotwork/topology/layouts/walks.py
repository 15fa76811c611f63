"""Closed walks over the cells of a grid: rings that fill a page instead of a circle."""

from math import ceil, sqrt

import numpy as np


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
