"""Curve of a link: cubic, and straight where it can be."""

from itertools import pairwise
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
