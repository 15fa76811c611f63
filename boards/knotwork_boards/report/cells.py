"""Cells of a build and their places, from nextpnr's answer and Yosys's netlist."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..families import Family
from ..untyped import JsonObject
from .owners import Owner, Owners

BEL = "NEXTPNR_BEL"
"""Attribute in which nextpnr writes a cell's position: ``X12/Y5/lc3``, ``X12Y5/LUT3``."""

_DIGITS = "0123456789"
_TILE = re.compile(r"X(\d+)/?Y(\d+)/")

Tile = tuple[int, int]
"""Column and row of the FPGA, as nextpnr counts them."""


class Cells(NamedTuple):
    """Cells of a build by owner.

    Members
    -------
    used : dict
        Cells by owner, of each kind of resource that the family has.
    tiles : dict
        Cells of any such kind by tile, and there by owner.
    """

    used: dict[Owner, Counter[str]]
    tiles: dict[Tile, Counter[Owner]]


def read_cells(placed: Path, netlist: Path, *, owners: Owners, family: Family) -> Cells:
    """Read nextpnr's answer, a JSON file, and Yosys's for the kinds that nextpnr does not count.

    Raises
    ------
    ValueError
        A cell without a place.
    """
    cells = Cells({}, {})
    for name, cell in _top_cells(placed):
        kind, size = _taken(cell, family)
        if kind is not None:
            owner = owners.place(name).owner
            cells.used.setdefault(owner, Counter())[kind] += size
            cells.tiles.setdefault(_tile(name, cell), Counter())[owner] += 1
    if family.counted:
        for name, cell in _top_cells(netlist):
            for kind, prefix in family.counted.items():
                if cell["type"].startswith(prefix):
                    owner = owners.place(name).owner
                    cells.used.setdefault(owner, Counter())[kind] += 1
    return cells


def _taken(cell: JsonObject, family: Family) -> tuple[str | None, int]:
    """Kind of resource that a cell takes, and how much of it.

    Where cells of several types fit one place of the FPGA, nextpnr counts the places: a ``DFFR`` in
    ``X12Y5/DFF3`` is a ``DFF``.
    """
    place = cell["attributes"].get(BEL, "").rpartition("/")[2].rstrip(_DIGITS)
    for kind, taken in family.cells.items():
        for counted, size in taken.items():
            if counted == cell["type"] or counted.rstrip(_DIGITS) == place:
                return kind, size
    return None, 0


def _top_cells(path: Path) -> Iterator[tuple[str, JsonObject]]:
    """Cells of the top module in a netlist of Yosys's form."""
    modules = json.loads(path.read_text())["modules"].values()
    top = next(module for module in modules if int(module["attributes"].get("top", "0"), 2))
    yield from top["cells"].items()


def _tile(name: str, cell: JsonObject) -> Tile:
    bel = cell["attributes"].get(BEL, "")
    place = _TILE.match(bel)
    if place is None:
        raise ValueError(f"{name}: {BEL} must be a tile and a place in it, not {bel!r}")
    return int(place[1]), int(place[2])
