"""Outcome of place and route, from nextpnr's report and log."""

import json
import re
from pathlib import Path
from typing import NamedTuple

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


CELLS = {
    "ecp5": {"lut": "TRELLIS_COMB", "ff": "TRELLIS_FF", "block_ram": "DP16KD"},
    "ice40": {"lut": "ICESTORM_LC", "block_ram": "ICESTORM_RAM"},
}
"""nextpnr's name for each kind of resource; a logic cell of iCE40 is a LUT and a flip-flop."""

_UTILISATION = re.compile(r"Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s+\d+%")


def read_report(path: Path, *, family: str) -> PlaceAndRoute:
    """Read nextpnr's report, a JSON file."""
    report: JsonObject = json.loads(path.read_text())
    clocks = report["fmax"].values()
    slowest = min(clocks, key=lambda clock: clock["achieved"] / clock["constraint"])
    cells = report["utilization"]
    kinds = CELLS[family].items()
    return PlaceAndRoute(slowest["achieved"], {kind: dict(cells[cell]) for kind, cell in kinds})


def count_cells(netlist: Path, prefix: str) -> int:
    """Number of cells in the top module of Yosys's JSON netlist whose type begins with `prefix`."""
    modules = json.loads(netlist.read_text())["modules"].values()
    top = next(module for module in modules if int(module["attributes"].get("top", "0"), 2))
    return sum(cell["type"].startswith(prefix) for cell in top["cells"].values())


def shortage(log: str) -> str | None:
    """Resources of which a design needs more than the FPGA has, from nextpnr's log, or None."""
    short = [
        f"{used} of {available} {cell}"
        for cell, used, available in _UTILISATION.findall(log)
        if int(used) > int(available)
    ]
    return ", ".join(short) or None
