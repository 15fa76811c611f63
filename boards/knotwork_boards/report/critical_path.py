"""Critical paths in words, from nextpnr's report."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from ..untyped import JsonObject
from .owners import Location, Owners, readable_name

WIRES = "routing"
"""Kind of the steps along wires, in nextpnr's report; the others are in cells."""


class Stretch(NamedTuple):
    """Part of a path that stays in one module.

    Members
    -------
    place : str
        Module in words.
    cells, wires : float
        Nanoseconds in cells, and along the wires that lead out of them.
    levels : int
        Cells passed.
    """

    place: str
    cells: float
    wires: float
    levels: int


class CriticalPath(NamedTuple):
    """Longest path from one edge of a clock to the next.

    Members
    -------
    clock : str
        Clock.
    start, end : str
        Cells between which it leads, in words.
    stretches : tuple of Stretch
        What it passes, one after the other.
    tiles : tuple of (int, int)
        Where it passes.
    """

    clock: str
    start: str
    end: str
    stretches: tuple[Stretch, ...]
    tiles: tuple[tuple[int, int], ...]

    @property
    def cells(self) -> float:
        """Nanoseconds in cells."""
        return sum(stretch.cells for stretch in self.stretches)

    @property
    def wires(self) -> float:
        """Nanoseconds along wires."""
        return sum(stretch.wires for stretch in self.stretches)

    @property
    def words(self) -> str:
        """The path as a sentence."""
        return (
            f"from {self.start} to {self.end}: {self.cells + self.wires:.1f} ns, "
            f"of it {self.wires:.1f} in wires"
        )


def critical_paths(report: JsonObject, owners: Owners) -> list[CriticalPath]:
    """Critical path of each clock of nextpnr's report; not those between clocks and pins."""
    paths = [path for path in report["critical_paths"] if path["from"] == path["to"]]
    clocks = [path["from"].split()[-1] for path in paths]  # `posedge clk`, or `<async>` for pins
    return [
        _path(clock, path["path"], owners)
        for clock, path in zip(clocks, paths, strict=True)
        if clock in report["fmax"] and path["path"]
    ]


def _path(clock: str, steps: list[JsonObject], owners: Owners) -> CriticalPath:
    stretches = []
    for place, run in groupby(_placed(steps, owners), key=lambda step: step[0]):
        inside = [step for _, step in run]
        cells = sum((step["delay"] for step in inside if step["type"] != WIRES), 0.0)
        wires = sum((step["delay"] for step in inside if step["type"] == WIRES), 0.0)
        levels = len({step["from"]["cell"] for step in inside})
        stretches.append(Stretch(place, cells, wires, levels))
    start, end = (owners.words(one["cell"]) for one in (steps[0]["from"], steps[-1]["to"]))
    ends = [steps[0]["from"], *(step["to"] for step in steps)]
    tiles = tuple((int(x), int(y)) for (x, y), _ in groupby(end["loc"] for end in ends))
    return CriticalPath(clock, start, end, tuple(stretches), tiles)


def _placed(steps: list[JsonObject], owners: Owners) -> Iterator[tuple[str, JsonObject]]:
    """Steps, each with the module of the cell that it leaves."""
    for step in steps:
        yield module_words(owners.locate(step["from"]["cell"]), owners), step


def clock_words(name: str) -> str:
    """Name of a clock without what nextpnr adds to that of a global net."""
    return re.sub(r"^\$glbnet\$|_?\$glb_\w+$", "", name)


def module_words(place: Location, owners: Owners) -> str:
    """Owner of a cell, and the module directly in it, if the cell is in one."""
    modules = [readable_name(name) for name in place.inside[:-1]]
    return ", ".join([owners.title(place.owner), *modules[:1]])
