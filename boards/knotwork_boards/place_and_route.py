"""Outcome of place and route, from nextpnr's report and log."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from .families import Family
from .untyped import JsonObject

Resources = dict[str, dict[str, int]]
"""Cells ``used`` and ``available``, by kind of resource."""


class PlaceAndRoute(NamedTuple):
    """Outcome of place and route.

    Members
    -------
    fmax_mhz : float
        Highest frequency of the clock with the least margin.
    resources : Resources
        Cells of the FPGA in use.
    """

    fmax_mhz: float
    resources: Resources


_UNPLACED = "find legal placement"
_UTILISATION = re.compile(r"Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s+\d+%")


def read_report(path: Path, *, family: Family) -> PlaceAndRoute:
    """Read nextpnr's report, a JSON file."""
    report: JsonObject = json.loads(path.read_text())
    clocks = report["fmax"].values()
    slowest = min(clocks, key=lambda clock: clock["achieved"] / clock["constraint"])
    return PlaceAndRoute(slowest["achieved"], resources(report["utilization"], family))


def resources(cells: Mapping[str, Mapping[str, int]], family: Family) -> Resources:
    """Resources of a family that nextpnr's cells take."""
    return {
        kind: {
            "used": sum(size * cells[cell]["used"] for cell, size in taken.items()),
            "available": cells[next(iter(taken))]["available"],
        }
        for kind, taken in family.cells.items()
    }


def packed(log: str) -> dict[str, dict[str, int]]:
    """Cells ``used`` and ``available`` by name, from the last table in nextpnr's log."""
    return {
        cell: {"used": int(used), "available": int(available)}
        for cell, used, available in _UTILISATION.findall(log)
    }


def count_cells(netlist: Path, prefix: str) -> int:
    """Number of cells in the top module of Yosys's JSON netlist whose type begins with `prefix`."""
    modules = json.loads(netlist.read_text())["modules"].values()
    top = next(module for module in modules if int(module["attributes"].get("top", "0"), 2))
    return sum(cell["type"].startswith(prefix) for cell in top["cells"].values())


def set_parameters(netlist: Path, parameters: Mapping[str, Mapping[str, int]]) -> None:
    """Set parameters of cells in the top module of Yosys's JSON netlist; widths stay."""
    design = json.loads(netlist.read_text())
    cells = design["modules"]["top"]["cells"]
    for name, values in parameters.items():
        known = cells[name]["parameters"]
        known |= {key: f"{value:0{len(known[key])}b}" for key, value in values.items()}
    netlist.write_text(json.dumps(design))


class Shortage(NamedTuple):
    """What a design needs more of than the FPGA has; as text, ``6751 of 5280 ICESTORM_LC``.

    Members
    -------
    packed : mapping
        Cells ``used`` and ``available`` by name.
    """

    packed: Mapping[str, Mapping[str, int]]

    def cells(self, family: Family) -> int:
        """Look-up tables that the design needs."""
        sizes = family.cells["lut"]
        return sum(sizes.get(cell, 0) * count["used"] for cell, count in self.packed.items())

    def __str__(self) -> str:
        short = [
            f"{count['used']} of {count['available']} {cell}"
            for cell, count in self.packed.items()
            if count["used"] > count["available"]
        ]
        if short:
            return ", ".join(short)
        # Of what is scarce (VCC, global buffers), all may be used on an empty FPGA.
        cell, count = max(self.packed.items(), key=lambda known: known[1]["used"])
        return f"{count['used']} of {count['available']} {cell}, for which nextpnr finds no places"


def shortage(log: str) -> Shortage | None:
    """What a design needs more of than the FPGA has, from nextpnr's log, or None.

    An FPGA that is nearly full may be too small as well: nextpnr finds no legal placement.
    """
    found = Shortage(packed(log))
    over = any(count["used"] > count["available"] for count in found.packed.values())
    return found if over or (found.packed and _UNPLACED in log) else None
