"""What place and route says of its outcome."""

import json
import re
from pathlib import Path
from typing import Any

Resources = dict[str, dict[str, int]]
"""``used`` and ``available`` by kind of resource."""

CELLS = {
    "ecp5": {"lut": "TRELLIS_COMB", "ff": "TRELLIS_FF", "block_ram": "DP16KD"},
    "ice40": {"lut": "ICESTORM_LC", "block_ram": "ICESTORM_RAM"},
}
"""Kinds of resources by nextpnr's names for them; a logic cell of iCE40 is a LUT and flip-flop."""

_UTILISATION = re.compile(r"Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s+\d+%")


def read_report(path: Path, *, family: str) -> tuple[float, Resources]:
    """Fmax in MHz of the clock with the least margin, and utilisation, from nextpnr's JSON."""
    report: dict[str, Any] = json.loads(path.read_text())
    clocks = report["fmax"].values()
    slowest = min(clocks, key=lambda clock: clock["achieved"] / clock["constraint"])
    cells = report["utilization"]
    kinds = CELLS[family].items()
    return slowest["achieved"], {kind: dict(cells[cell]) for kind, cell in kinds}


def count_cells(netlist: Path, prefix: str) -> int:
    """Cells of Yosys's JSON netlist whose type begins with `prefix`, in its top module."""
    modules = json.loads(netlist.read_text())["modules"].values()
    top = next(module for module in modules if int(module["attributes"].get("top", "0"), 2))
    return sum(cell["type"].startswith(prefix) for cell in top["cells"].values())


def shortage(log: str) -> str | None:
    """Resources of which a design needs more than there are, from nextpnr's log; None if none."""
    short = [
        f"{used} of {available} {cell}"
        for cell, used, available in _UTILISATION.findall(log)
        if int(used) > int(available)
    ]
    return ", ".join(short) or None
