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
    """Distance of each straight link from the nearest place that is not one of its ends."""
    least = np.full(len(ends), np.inf)
    for link, (a, b) in enumerate(ends):
        along = places[b] - places[a]
        others = np.delete(places, (a, b), axis=0) - places[a]
        if len(others):
            share = np.clip(others @ along / (along @ along), 0, 1)
            least[link] = np.hypot(*(others - share[:, None] * along).T).min()
    return least
