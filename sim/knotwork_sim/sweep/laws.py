"""Laws of growth with two parameters, fitted to measured values."""

from collections.abc import Callable, Sequence
from math import exp
from typing import NamedTuple

import numpy as np

FIT_FROM = 16
"""PEs of the smallest network that counts in a fit."""
FIT_POINTS = 3
"""Sizes that a fit needs: two parameters fit any two points."""


class Law(NamedTuple):
    """Law of growth with two parameters.

    Members
    -------
    parameters : tuple of str
        Names of its parameters.
    at : callable
        Network cycles, from the parameters and the numbers of PEs.
    formula : callable
        The law as text, from the parameters.
    """

    parameters: tuple[str, str]
    at: Callable[[float, float, np.ndarray], np.ndarray]
    formula: Callable[[float, float], str]


LAWS = {
    "log": Law(
        ("a", "b"),
        lambda first, second, nodes: first + second * np.log2(nodes),
        lambda first, second: f"{first:.2f} {'+-'[second < 0]} {abs(second):.3f} log2 N",
    ),
    "power": Law(
        ("c", "e"),
        lambda first, second, nodes: first * np.asarray(nodes, float) ** second,
        lambda first, second: f"{first:.2f} N^{second:.3f}",
    ),
}
"""Laws that are fitted: a + b log2 N and c N^e."""


class Fit(NamedTuple):
    """Law that fits points by least squares.

    Members
    -------
    law : str
        Key of `LAWS`.
    first, second : float
        Its parameters.
    r2 : float
        Coefficient of determination, of the measured values.
    """

    law: str
    first: float
    second: float
    r2: float

    def at(self, nodes: np.ndarray) -> np.ndarray:
        """Network cycles by the law."""
        return LAWS[self.law].at(self.first, self.second, nodes)

    @property
    def formula(self) -> str:
        """Law as text."""
        return LAWS[self.law].formula(self.first, self.second)

    def as_json(self) -> dict[str, float]:
        """Parameters by their names, and r2."""
        first, second = LAWS[self.law].parameters
        return {first: self.first, second: self.second, "r2": self.r2}


def fit_laws(nodes: Sequence[int], cycles: Sequence[float]) -> tuple[Fit, ...]:
    """Both laws through the points of at least `FIT_FROM` PEs, the better one first.

    a + b log2 N is fitted to the values, c N^e to their logarithms; the better law is the one with
    the larger R^2 of the values. With fewer than `FIT_POINTS` sizes there is none.
    """
    points = [(n, y) for n, y in zip(nodes, cycles, strict=True) if n >= FIT_FROM]
    if len({n for n, _ in points}) < FIT_POINTS:
        return ()
    sizes, values = np.array([n for n, _ in points]), np.array([y for _, y in points])
    slope, intercept = map(float, np.polyfit(np.log2(sizes), values, 1))
    exponent, logarithm = map(float, np.polyfit(np.log(sizes), np.log(values), 1))
    fits = []
    for law, first, second in (("log", intercept, slope), ("power", exp(logarithm), exponent)):
        said = Fit(law, first, second, 0.0).at(sizes)
        fits.append(Fit(law, first, second, _determination(values, said)))
    return tuple(sorted(fits, key=lambda fit: -fit.r2))


def _determination(values: np.ndarray, said: np.ndarray) -> float:
    """R^2; 1 if all values are equal, which both laws fit exactly."""
    spread = np.sum((values - np.mean(values)) ** 2)
    return float(1 - np.sum((values - said) ** 2) / spread) if spread else 1.0
