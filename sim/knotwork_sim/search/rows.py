"""Graphs that a search found, and networks beside them, with their figures."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .bounds import Bounds, bounds
from .figures import Figures
from .graphs import links_of
from .improve import Aim


@dataclass(frozen=True, eq=False)
class Row:
    """Graph or network, as one line of the answer.

    Members
    -------
    name : str
        What it is, or the word that names the network.
    kind : str
        ``circulant``, ``random`` or ``symmetric`` by what it was made from, or ``published``.
    figures : Figures
        Its distances and loads.
    swaps : int
        Swaps of links that were tried.
    rotations : int
        Rotations that are known to map it onto itself, the one by 0 included.
    neighbours : ndarray
        Router behind each port, int32 (routers, degree); empty for networks.
    steps : tuple of int
        Steps of a circulant.
    """

    name: str
    kind: str
    figures: Figures
    swaps: int = 0
    rotations: int = 1
    neighbours: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    steps: tuple[int, ...] = ()

    def bounds(self, rates: np.ndarray) -> Bounds:
        """Least figures of a graph of its size and of its largest degree."""
        return bounds(self.figures.nodes, self.figures.degree_max, rates)

    def merit(self, aim: Aim) -> tuple[float, ...]:
        """What makes it better than others: the lower, the better."""
        distance, load = self.figures.average_distance, self.figures.fullest_channel
        first, second = (load, distance) if aim.is_load else (distance, load)
        return round(first, 9), self.figures.diameter, round(second, 9)

    def above(self, aim: Aim) -> float:
        """Share by which the figure that is lowered exceeds its bound."""
        least, figures = self.bounds(aim.rates), self.figures
        if aim.is_load:
            return figures.fullest_channel / least.fullest_channel - 1
        return figures.average_distance / least.average_distance - 1

    def as_json(self, aim: Aim) -> dict[str, Any]:
        """Fields that ``search --json`` promises."""
        told: dict[str, Any] = {"name": self.name, "kind": self.kind, **self.figures._asdict()}
        told["above_bound"] = max(round(self.above(aim), 9), 0.0)
        if self.steps:
            told["steps"] = list(self.steps)
        if len(self.neighbours):
            told |= {"swaps": self.swaps, "rotations": self.rotations}
        return told

    def links(self) -> list[list[int]]:
        """Pairs of routers that are linked, in rising order."""
        return links_of(self.neighbours).tolist()
