"""Distances in a layout: how close boxes are, and how near links pass to them."""

import numpy as np


def fitting(places: np.ndarray, room: np.ndarray) -> float:
    """Least scale at which boxes, each with its half width and half height, do not overlap."""
    scale = 0.0
    for node in range(1, len(places)):
        apart = np.abs(places[:node] - places[node])
        with np.errstate(divide="ignore"):
            scale = max(scale, ((room[:node] + room[node]) / apart).min(axis=1).max())
    return float(scale)


def closest(places: np.ndarray) -> float:
    """Distance of the nearest two places; 1 where there is only one."""
    nearest = [
        np.hypot(*(places[node + 1 :] - places[node]).T).min() for node in range(len(places) - 1)
    ]
    return float(min(nearest, default=1.0))


def clearances(places: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Distance of each straight link from the nearest place that is not one of its ends.

    The distance is that across or that down, whichever is larger, as for boxes.
    """
    least = np.full(len(ends), np.inf)
    for link, (a, b) in enumerate(ends):
        along = places[b] - places[a]
        others = np.delete(places, (a, b), axis=0) - places[a]
        if len(others):
            least[link] = _from_line(others, along).min()
    return least


def _from_line(places: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Distance of each place from the line between the origin and `along`."""
    x, y = places.T
    right, down = along
    # Least where the line is level with the place, above or below it, or as far down as across.
    ways = ((x, right), (y, down), (x - y, right - down), (x + y, right + down))
    shares = [np.clip(far / way, 0, 1) for far, way in ways if abs(way) > 1e-9]
    apart = [np.abs(places - share[:, None] * along).max(axis=1) for share in shares]
    return np.min(apart, axis=0)
