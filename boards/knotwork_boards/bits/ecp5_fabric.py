"""Wires of a configured ECP5, and what drives each of them."""

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from knotwork.errors import ToolError
from knotwork.tools import PACKAGES

_PLACE = re.compile(r"R(\d+)C(\d+)")
_RELATIVE = re.compile(r"^([NS]\d+)?([EW]\d+)?_(.*)$")
_CLOCKS = ("G_HPBX", "G_VPTX", "G_HPRX")  # wires with a place, among the global ones
_DIES = ("25K_", "45K_", "85K_")
_OUTPUT = re.compile(
    r"[FQ]\d_SLICE|F[5X][A-D]_SLICE|FCO[ABC]?_SLICE|WA?DO\dC_SLICE|JPADDI[A-D]_PIO"
)


class Wire(NamedTuple):
    """Wire of the chip: its column, its row, and its name there."""

    x: int
    y: int
    name: str


class Database:
    """Project Trellis's database of a device."""

    def __init__(self, device: str) -> None:
        package = PACKAGES["ecppack"]
        found = find_spec(package.replace("-", "_"))
        if found is None or not found.submodule_search_locations:
            raise ToolError(f"{package}: must be installed: `pip install {package}`")
        self._root = Path(found.submodule_search_locations[0], "share/trellis/database/ECP5")
        device = device.replace("12F", "25F")  # the same die
        self.die = f"{re.findall(r'-([0-9]+)F', device)[0]}K_"
        self._device = self._root / device
        self.globals = self._read("globals.json")
        self.pads = self._read("iodb.json")["packages"]

    def _read(self, name: str) -> dict:
        return json.loads((self._device / name).read_text())

    def tiles(self) -> Iterator[tuple[int, int, str]]:
        """Column, row and type of every tile."""
        for name, tile in self._read("tilegrid.json").items():
            yield *tile_position(name), tile["type"]

    @cache  # noqa: B019 - a database lives as long as one bitstream is read
    def connections(self, kind: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Fixed connections of a type of tile, and arcs that are there where no bit is set."""
        fixed, unset, sink = [], [], ""
        for line in (self._root / "tiledata" / kind / "bits.db").read_text().splitlines():
            words = line.split()
            if words[:1] == [".fixed_conn"]:
                fixed.append((words[1], words[2]))
            if words[:1] == [".mux"]:
                sink = words[1]
            elif len(words) == 2 and words[1] == "-" and sink:
                unset.append((sink, words[0]))
            elif not words or words[0].startswith("."):
                sink = ""
        return fixed, unset


def tile_position(tile: str) -> tuple[int, int]:
    """Column and row in a tile's name."""
    found = _PLACE.search(tile)
    if found is None:
        raise ToolError(f"ecpunpack: a tile must be named by row and column, not {tile!r}")
    return int(found[2]), int(found[1])


class Fabric:
    """Configured chip: what drives each wire, and how each tile is set."""

    def __init__(self, config: str, database: Database) -> None:
        self._database = database
        self._driver: dict[Wire, Wire] = {}
        self._fixed: dict[Wire, Wire] = {}
        self.settings: dict[tuple[int, int], dict[str, str]] = {}
        for block in config.split(".tile ")[1:]:
            head, *lines = block.splitlines()
            x, y = tile_position(head)
            settings = self.settings.setdefault((x, y), {})
            for line in lines:
                kind, *words = line.split() or [""]
                if kind == "arc:":
                    self._join(self._driver, x, y, *words)
                elif kind in ("word:", "enum:"):
                    settings[words[0]] = words[1]
        for x, y, kind in database.tiles():
            fixed, unset = database.connections(kind)
            for sink, source in (*fixed, *unset):
                self._join(self._fixed, x, y, sink, source)

    def _join(self, into: dict[Wire, Wire], x: int, y: int, sink: str, source: str) -> None:
        ends = self.wire(x, y, sink), self.wire(x, y, source)
        if None not in ends:
            into.setdefault(*ends)  # pyright: ignore[reportArgumentType]

    def wire(self, x: int, y: int, name: str) -> Wire | None:
        """Wire that a tile knows by a name; None for one of another die."""
        if name.startswith(_DIES):
            if not name.startswith(self._database.die):
                return None
            name = name.removeprefix(self._database.die)
        if name.startswith(("G_", "L_", "R_")):
            here = not name.startswith("G_") or name.startswith(_CLOCKS)
            return Wire(x, y, name) if here else Wire(0, 0, name)
        found = _RELATIVE.match(name)
        if found is None or not (found[1] or found[2]):
            return Wire(x, y, name)
        for step in filter(None, (found[1], found[2])):
            length = int(step[1:])
            x += {"E": length, "W": -length}.get(step[0], 0)
            y += {"S": length, "N": -length}.get(step[0], 0)
        return Wire(x, y, found[3])

    def source(self, wire: Wire) -> Wire | None:
        """Pin of a cell that drives a wire, at the end of its way back; None if nothing does."""
        last = None
        seen = set()
        while wire not in seen:
            seen.add(wire)
            last = wire
            before = self._driver.get(wire) or self._fixed.get(wire) or self._of_clock(wire)
            if before is None:
                break
            wire = before
        return last if last is not None and is_output(last.name) else None

    def adds(self, carry: Wire) -> bool:
        """Whether the slice of a carry output is an adder."""
        slice_ = carry.name[3] if carry.name[3] != "_" else "D"
        settings = self.settings.get((carry.x, carry.y), {})
        return settings.get(f"SLICE{slice_}.MODE") == "CCU2"

    def chosen(self, x: int, y: int, mux: str) -> str | None:
        """Name of what a tile's multiplexer is set to; None where it is not."""
        before = self._driver.get(Wire(x, y, mux))
        return None if before is None else before.name

    def _of_clock(self, wire: Wire) -> Wire | None:
        """Wire before one of a clock's spines, which the database leaves out."""
        x, y, name = wire
        parts = self._database.globals
        if name.startswith("G_HPBX"):
            for tap, reach in parts["taps"].items():
                for side in "LR":
                    if reach[f"{side.lower()}x0"] <= x <= reach[f"{side.lower()}x1"]:
                        return Wire(int(tap[1:]), y, name.replace("G_", f"{side}_"))
        quadrant = next(
            each
            for each, box in parts["quadrants"].items()
            if box["x0"] <= x <= box["x1"] and box["y0"] <= y <= box["y1"]
        )
        if name.startswith("G_VPTX"):
            spine = parts["spines"].get(f"{quadrant}{x}")
            return None if spine is None else Wire(spine["x"], spine["y"], name)
        if name.startswith("G_HPRX"):
            return Wire(0, 0, f"G_{quadrant}PCLK{int(name[6:-2])}")
        if found := re.match(r"G_CLKO_(\w+)$", name):
            return Wire(0, 0, f"G_CLKI_{found[1]}")
        return None


def is_output(name: str) -> bool:
    """Whether a wire is an output of a cell."""
    return _OUTPUT.fullmatch(name) is not None
