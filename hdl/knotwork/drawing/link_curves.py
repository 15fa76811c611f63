"""Curves of links: straight where no box is in the way, else bowed."""

from collections.abc import Iterable
from typing import NamedTuple, Self

import numpy as np

_BOWS = (0, 0.03, -0.03, 0.06, -0.06, 0.1, -0.1, 0.14, -0.14, 0.19, -0.19, 0.25, -0.25, 0.31, -0.31)
_SAMPLES = np.linspace(0.0, 1.0, 33)
_DOUBLE = 0.1  # bow of either of two links of the same boxes, as a share of their length
_BUNDLE = 0.2  # bow of the first and the last of several


class Curve(NamedTuple):
    """Quadratic curve, each point (x, y).

    Members
    -------
    first, last : ndarray
        Its ends.
    control : ndarray
        Point towards which it bows.
    """

    first: np.ndarray
    control: np.ndarray
    last: np.ndarray

    def points(self, at: np.ndarray) -> np.ndarray:
        """Points where the curve's parameter, 0..1, is `at`."""
        t = np.asarray(at)[:, None]
        return (1 - t) ** 2 * self.first + 2 * t * (1 - t) * self.control + t**2 * self.last

    def moved_aside(self, by: float) -> Self:
        """The same curve, `by` to the right of its direction."""
        along = self.last - self.first
        aside = np.array([-along[1], along[0]]) * by / np.hypot(*along)
        return self._make(point + aside for point in self)


def control_points(places: np.ndarray, ends: np.ndarray, room: np.ndarray) -> np.ndarray:
    """Control point of each link's curve; on the straight line where no box is in the way.

    Parameters
    ----------
    places : ndarray
        Middles of the boxes, (boxes, 2).
    ends : ndarray
        Two boxes of each link, (links, 2).
    room : ndarray
        Half width and half height that a link must keep from a box's middle; for all boxes, or for
        each, (boxes, 2).

    Returns
    -------
    ndarray
        (links, 2). A link for which every bow meets a box takes the bow that keeps farthest off.
    """
    first, last = places[ends[:, 0]], places[ends[:, 1]]
    middle, along = (first + last) / 2, last - first
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    own = _bundle_bows(ends)
    points = middle + across * own[:, None]
    room = np.broadcast_to(room, places.shape)
    for link in range(len(ends)):
        straight = Curve(first[link], middle[link], last[link])
        others, rooms = (np.delete(of_all, ends[link], axis=0) for of_all in (places, room))
        bowed = (
            straight._replace(control=middle[link] + across[link] * (own[link] + bow))
            for bow in _BOWS
        )
        points[link] = _clear_curve(bowed, others, rooms, straight).control
    return points


def _clear_curve(
    curves: Iterable[Curve], others: np.ndarray, room: np.ndarray, otherwise: Curve
) -> Curve:
    """First curve that keeps off the others' room, else the one that keeps farthest off."""
    best, farthest = otherwise, -1.0
    for curve in curves:
        low = np.minimum(np.minimum(curve.first, curve.last), curve.control) - room
        high = np.maximum(np.maximum(curve.first, curve.last), curve.control) + room
        is_near = ((others > low) & (others < high)).all(axis=1)
        if not is_near.any():
            return curve
        between = (curve.points(_SAMPLES)[:, None, :] - others[None, is_near, :]) / room[is_near]
        distance = np.hypot(*between.transpose(2, 0, 1))
        if distance.min() >= 1:
            return curve
        if distance.min() > farthest + 1e-6:
            best, farthest = curve, distance.min()
    return best


def _bundle_bows(ends: np.ndarray) -> np.ndarray:
    """Bows that part links between the same two boxes; 0 for a link that is alone."""
    pairs = np.sort(ends, axis=1)
    _, pair, count = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    pair = pair.ravel()
    bows = np.zeros(len(ends))
    for double in np.nonzero(count > 1)[0]:
        links = np.nonzero(pair == double)[0]
        widest = (len(links) - 1) / 2
        spread = (np.arange(len(links)) - widest) * min(2 * _DOUBLE, _BUNDLE / widest)
        # The two ends may come in either order; a bow's side follows them.
        bows[links] = np.where(ends[links, 0] == pairs[links, 0], spread, -spread)
    return bows
