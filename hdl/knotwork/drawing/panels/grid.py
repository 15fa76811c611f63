"""Panels side by side, row by row, each under its caption."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from xml.etree import ElementTree as ET

import numpy as np

from ..style import add_text
from .panel import Panel

_GAP = 36.0  # between two panels, in pixels
_CAPTION = 34.0  # height of a caption, with the air below it
_LETTER = 8.8  # width of a letter of a caption
_ASPECT = 1.5  # width of all panels by their height, at best


@dataclass(frozen=True)
class Grid:
    """Panels of equal size.

    Members
    -------
    panels : sequence of Panel
        Row by row; one alone has no caption.
    columns : int
        Panels in a row.
    cell : ndarray
        Width and height of a panel with its caption.
    """

    panels: Sequence[Panel]
    columns: int
    cell: np.ndarray

    @classmethod
    def of(cls, panels: Sequence[Panel]) -> Self:
        """Grid that is about as wide as a screen."""
        low, high = panels[0].bounds
        cell = high - low
        if len(panels) == 1:
            return cls(panels, 1, cell)
        captions = max(len(panel.shown.title) for panel in panels if panel.shown)
        cell = np.array([max(cell[0], _LETTER * captions), cell[1] + _CAPTION])

        def spread(columns: int) -> float:
            rows = -(-len(panels) // columns)
            return max(columns * (cell[0] + _GAP) / _ASPECT, rows * (cell[1] + _GAP))

        return cls(panels, min(range(1, len(panels) + 1), key=spread), cell)

    @property
    def size(self) -> np.ndarray:
        """Width and height of all panels."""
        rows = -(-len(self.panels) // self.columns)
        return np.array([self.columns, rows]) * (self.cell + _GAP) - _GAP

    def draw(self, parent: ET.Element, corner: np.ndarray) -> None:
        """Draw the panels and their captions, the first one at `corner`."""
        low, high = self.panels[0].bounds
        if len(self.panels) == 1:
            self.panels[0].moved(corner - low).draw(parent)
            return
        inset = np.array([(self.cell[0] - (high - low)[0]) / 2, _CAPTION])
        for number, panel in enumerate(self.panels):
            row, column = divmod(number, self.columns)
            place = corner + np.array([column, row]) * (self.cell + _GAP)
            group = ET.SubElement(parent, "g", {"class": "panel"})
            middle = place[0] + self.cell[0] / 2
            if panel.shown:
                style = {"size": "15", "weight": "bold", "anchor": "middle"}
                add_text(group, middle, place[1] + 12, panel.shown.title, **style)
            panel.moved(place + inset - low).draw(group)
