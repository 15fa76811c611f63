"""Curves of a drawing: their points and distances, and the curves of links around boxes."""

from collections.abc import Iterator
from itertools import pairwise, product
from typing import NamedTuple, Self

import numpy as np


class Curve(NamedTuple):
    """Cubic curve, each point (x, y).

    Members
    -------
    first, last : ndarray
        Its ends.
    near, far : ndarray
        Points towards which it leaves its first end and comes to its last one.
    """

    first: np.ndarray
    near: np.ndarray
    far: np.ndarray
    last: np.ndarray

    @classmethod
    def bowed(cls, first: np.ndarray, last: np.ndarray, bow: float = 0.0) -> Self:
        """Curve that leans to one side, by half of `bow` times its length; 0 is a straight line."""
        along = last - first
        control = (first + last) / 2 + np.array([-along[1], along[0]]) * bow
        return cls(first, first + (control - first) / 1.5, last + (control - last) / 1.5, last)

    @property
    def is_straight(self) -> bool:
        """Whether it is a straight line."""
        along = self.last - self.first
        aside = np.array([-along[1], along[0]])
        sides = np.array([self.near - self.first, self.far - self.last]) @ aside
        return bool(np.abs(sides).max() <= 1e-6 * (along @ along))

    def points(self, at: np.ndarray) -> np.ndarray:
        """Points where the curve's parameter, 0..1, is `at`."""
        t = np.asarray(at, float)[:, None]
        s = 1 - t
        ends = s**3 * self.first + t**3 * self.last
        return ends + 3 * s * s * t * self.near + 3 * s * t * t * self.far

    def moved(self, by: np.ndarray) -> Self:
        """The same curve elsewhere."""
        return self._make(point + by for point in self)

    def moved_aside(self, by: float) -> Self:
        """The same curve, `by` to the right of its direction."""
        along = self.last - self.first
        return self.moved(np.array([-along[1], along[0]]) * by / np.hypot(*along))

    def until(self, at: float) -> Self:
        """Its part up to where the parameter is `at` (de Casteljau)."""
        points, ends = list(self), []
        while points:
            ends.append(points[0])
            points = [a + (b - a) * at for a, b in pairwise(points)]
        return self._make(ends)

    def reversed(self) -> Self:
        """The same curve from its last end to its first."""
        return self._make(self[::-1])

    def path(self) -> str:
        """Path of an SVG document."""
        first, near, far, last = (f"{x:.1f} {y:.1f}" for x, y in self)
        return f"M{first}L{last}" if self.is_straight else f"M{first}C{near} {far} {last}"


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
    limits = ((x, right), (y, down), (x - y, right - down), (x + y, right + down))
    shares = [np.clip(far / limit, 0, 1) for far, limit in limits if abs(limit) > 1e-9]
    apart = [np.abs(places - share[:, None] * along).max(axis=1) for share in shares]
    return np.min(apart, axis=0)


_DOUBLE = 0.1  # bow of either of two links of the same boxes, as a share of their length
_BUNDLE = 0.2  # bow of the first and the last of several
_WIDEST = 16.0  # between two links of the same boxes, in pixels
_NARROWEST = 9.0  # between them where no other link joins the boxes, in pixels
_BOWS = (0.03, 0.06, 0.1, 0.14, 0.19, 0.25, 0.31)
_HEIGHTS = (0.0, 1.5, 2.2, 3.0, 4.0, 5.2, 6.6, 8.5)  # in half boxes, as seen along the link
_LEADS = (0.3, 0.12, 0.0, -0.03)  # how soon a curve leaves its row, as a share of its length
_STEP = 0.5  # between two points where a curve is looked at, in least half boxes
_FEW_POINTS, _MOST_POINTS = 25, 3000


_Bent = tuple[float, float, float]


def _bent() -> list[_Bent]:
    """Heights at both ends, and leads, of curves that are not bows; the least detour first."""
    heights = [sign * height for height in _HEIGHTS for sign in ((1, -1) if height else (1,))]

    def detour(curve: _Bent) -> tuple[float, float, float]:
        near, far, lead = curve
        return abs(near) + abs(far) + abs(near - far) + lead, -near, -far

    return sorted(product(heights, heights, _LEADS), key=detour)


_BENT = _bent()
_MANY = 256  # boxes of a drawing in which few bent curves are tried, or it takes long ...
_FEW_BENT = 40  # ... and how few


class LinkCurves(NamedTuple):
    """Curve of each link, and how many of them pass under a box that is none of their ends."""

    curves: list[Curve]
    blocked: int


def link_curves(
    places: np.ndarray, ends: np.ndarray, room: np.ndarray, most: int | None = None
) -> LinkCurves:
    """Curve of each link; a straight line where no box is in the way.

    A link that meets a box bows to one side; where every bow meets one, it leaves its row or bends
    to both sides. The first of these curves that keeps off all boxes is taken, else the one that
    keeps farthest off.

    Parameters
    ----------
    places : ndarray
        Middles of the boxes, (boxes, 2).
    ends : ndarray
        Two boxes of each link, (links, 2).
    room : ndarray
        Half width and half height that a link must keep from a box's middle; for all boxes, or for
        each, (boxes, 2).
    most : int, optional
        Links under boxes after which the others are left out: the drawing is of no use.
    """
    room = np.broadcast_to(room, places.shape)
    curves, blocked = [], 0
    for (a, b), own in zip(ends.tolist(), _bundle_bows(places, ends).tolist(), strict=True):
        others = np.full(len(places), True)
        others[[a, b]] = False
        curve, is_clear = _curve(places[a], places[b], own, (places[others], room[others]))
        curves.append(curve)
        blocked += not is_clear
        if most is not None and blocked > most:
            break
    return LinkCurves(curves, blocked)


def _curve(
    first: np.ndarray, last: np.ndarray, own: float, boxes: tuple[np.ndarray, np.ndarray]
) -> tuple[Curve, bool]:
    """Curve between two places, and whether it keeps off the boxes: places and half sizes."""
    best = Curve.bowed(first, last, own)
    farthest = _distance(best, *boxes)
    if farthest >= 1:
        return best, True
    along = last - first
    across = np.array([-along[1], along[0]]) / np.hypot(*along)
    half = np.abs(boxes[1].max(axis=0) @ np.abs(across))
    # What is farther from the line than the highest detour is in no curve's way.
    reach = max(_HEIGHTS) * half + max(_BOWS) * np.hypot(*along)
    is_near = np.abs((boxes[0] - first) @ across) < reach
    bent = _BENT if len(is_near) < _MANY else _BENT[:_FEW_BENT]
    boxes = boxes[0][is_near], boxes[1][is_near]
    for curve in _detours(first, last, own, across * half, bent):
        distance = _distance(curve, *boxes)
        if distance >= 1:
            return curve, True
        if distance > farthest + 1e-6:
            best, farthest = curve, distance
    return best, False


def _detours(
    first: np.ndarray, last: np.ndarray, own: float, across: np.ndarray, bent: list[_Bent]
) -> Iterator[Curve]:
    """Curves past what is in the way, the least detour first: bows, then flat and bent ones."""
    for bow in _BOWS:
        yield Curve.bowed(first, last, own + bow)
        yield Curve.bowed(first, last, own - bow)
    along = last - first
    for near, far, lead in bent:
        start, end = first + lead * along + near * across, last - lead * along + far * across
        yield Curve(first, start, end, last)


def _distance(curve: Curve, others: np.ndarray, room: np.ndarray) -> float:
    """Distance from the nearest box's middle, in its half sizes; 1 at its rim, and no more."""
    corners = np.array(curve)
    low, high = corners.min(axis=0) - room, corners.max(axis=0) + room
    is_near = ((others > low) & (others < high)).all(axis=1)
    if not is_near.any():
        return 1.0
    (x, y), (wide, high) = others[is_near].T, room[is_near].T
    length = np.hypot(*np.diff(corners, axis=0).T).sum()
    steps = min(int(length / (_STEP * room.min())) + 2, _MOST_POINTS)
    farthest = 1.0
    for count in (_FEW_POINTS, steps):  # most curves that meet a box are found by few
        along, up = curve.points(np.linspace(0, 1, count)).T[:, :, None]
        apart = np.maximum(np.abs(along - x) / wide, np.abs(up - y) / high)
        farthest = min(float(apart.min()), farthest)
        if farthest < 1 or steps <= count:
            break
    return farthest


def _bundle_bows(places: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Bows that part links between the same two boxes; 0 for a link that is alone."""
    pairs = np.sort(ends, axis=1)
    _, pair, count = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    pair = pair.ravel()
    bows = np.zeros(len(ends))
    for double in np.nonzero(count > 1)[0]:
        links = np.nonzero(pair == double)[0]
        widest = (len(links) - 1) / 2
        long = float(np.hypot(*(places[ends[links[0], 1]] - places[ends[links[0], 0]])))
        step = min(2 * _DOUBLE, _BUNDLE / widest, 2 * _WIDEST / long)
        if len(links) == 2:
            step = max(step, 2 * _NARROWEST / long)
        spread = (np.arange(len(links)) - widest) * step
        # The two ends may come in either order; a bow's side follows them.
        bows[links] = np.where(ends[links, 0] == pairs[links, 0], spread, -spread)
    return bows
