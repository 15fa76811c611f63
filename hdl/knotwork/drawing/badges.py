"""Badges on curves: small texts, placed where they cover neither boxes nor each other."""

from typing import NamedTuple

import numpy as np

_BESIDE = 2.5  # between a badge and what it must not cover, in pixels


def badge_width(text: str) -> int:
    """Width of a badge with this text, in pixels."""
    return 7 * len(text) + 10


class Badge(NamedTuple):
    """Badge that looks for its place on a curve.

    Members
    -------
    text : str
        What it says.
    curve : ndarray
        Points of the curve, (points, 2).
    shares : tuple of float
        Where it may be, as shares of the curve, the best first.
    """

    text: str
    curve: np.ndarray
    shares: tuple[float, ...]

    @property
    def half(self) -> np.ndarray:
        """Half width and half height, in pixels."""
        return np.array([badge_width(self.text) / 2, 9.0])


def badge_places(badges: list[Badge], boxes: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """Place of each badge, (badges, 2): on no box; on no other badge or curve if possible.

    Parameters
    ----------
    badges : list of Badge
        In the order in which they choose.
    boxes : ndarray
        Middles of the boxes, (boxes, 2).
    halves : ndarray
        Half width and half height of a box; for all boxes, or for each, (boxes, 2).
    """
    lows = np.array([badge.curve.min(axis=0) for badge in badges])
    highs = np.array([badge.curve.max(axis=0) for badge in badges])
    rooms = np.array([badge.half for badge in badges]).reshape(-1, 2)
    places = np.empty((len(badges), 2))

    def crowding(number: int, place: np.ndarray) -> tuple[bool, bool, int]:
        """What a badge would cover there, the worst first: a box, a badge, so many curves."""
        room = rooms[number] + _BESIDE
        near = np.nonzero(((lows - room < place) & (place < highs + room)).all(axis=1))[0]
        met = sum(_covers(place, room, badges[other].curve) for other in near if other != number)
        taken = _covers(place, room + rooms[:number], places[:number])
        return _covers(place, room + halves, boxes), taken, met

    for number, badge in enumerate(badges):
        points = [badge.curve[round(share * (len(badge.curve) - 1))] for share in badge.shares]
        places[number] = min(points, key=lambda place: crowding(number, place))
    return places


def _covers(place: np.ndarray, room: np.ndarray, points: np.ndarray) -> bool:
    return bool((np.abs(points - place) <= room).all(axis=1).any())
