"""Routings by a table, read or generated: the rule that looks it up."""

from abc import abstractmethod
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..base import Routing
from ..compiled.compilable import compilable
from ..compiled.tables import CLASSES
from ..rules import Rule
from .bound_table import BoundTable

_HEAD = 4  # parameters before the entries
_LANES = 4  # entries of 16 bits in a parameter


@compilable
def by_table(parameters, router, port, channel_class, destination):
    """Entry of the router's table; port -1 where there is none."""
    ports, classes, nodes, last_class = parameters[0], parameters[1], parameters[2], parameters[3]
    row = router * ports + (port if ports > 1 else 0)
    row = row * classes + (channel_class if classes > 1 else 0)
    place = row * nodes + destination
    entry = parameters[_HEAD + place // _LANES] >> (place % _LANES * 16) & 65535
    if entry == 65535:
        return -1, 0
    return entry // CLASSES, min(entry % CLASSES, last_class)


class TableRouting(Routing):
    """By a table: the output port and virtual channel for each destination.

    Members
    -------
    table : BoundTable
        Entries of all routers, those to their own nodes included.
    """

    is_adaptable: ClassVar[bool] = False

    @property
    @abstractmethod
    def table(self) -> BoundTable:
        """Table, generated or read once."""

    def needed_virtual_channels(self) -> int:
        """Classes that the table names."""
        return self.table.classes

    @property
    def rule(self) -> Rule:
        """See `by_table`."""
        return by_table

    @cached_property
    def parameters(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Inputs and classes of the table, nodes, the last class; the entries, four a number."""
        entries = self.table.entries
        cells = np.full(-(-entries.size // _LANES) * _LANES, -1, "<i2")
        cells[: entries.size] = entries.ravel()
        head = np.array([*entries.shape[1:], self.classes - 1], np.int64)
        return np.concatenate([head, cells.view("<i8").astype(np.int64, copy=False)])
