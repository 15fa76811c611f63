"""Registers of a module that a cycle of reset does not bring to their value at power-up.

Every proof begins with one cycle of reset in any state, so what is proven holds whatever registers
and memories without a reset hold. But a register of which no property says anything would not be
missed there: so each must have its reset, unless it is known to hold data only.
"""

import json
import re
import time
from collections.abc import Iterable
from typing import NamedTuple

from ..builds.folders import work_folder
from ..tools import run_tool
from .property import FAILED, PROVEN, Result

# A mutant's Verilog, which Yosys wrote, has its assertions for synthesis too.
_SCRIPT = """
read_verilog -formal module.v
hierarchy -check -top {module}
proc -norom
delete t:$print
chformal -remove
flatten
opt_clean
write_json registers.json
"""

_DATA = (
    r"to_\w+",  # deflection: a packet on its way to a port
    r"kept_\w+",  # deflection: what came on a link; adapters: of beats that become one, or many
    r"gate_\w+",  # credits: a flit that was granted, until the next is
    r"crossing_flit",  # credits: a flit in the crossbar's own cycle
    r"row_\d+",  # buses: a transaction under way
    r"out_of_\w+",  # what was read from a RAM
)
"""Names of registers that hold data only; others, which are reset, say whether they are valid."""

_Bit = int | str
"""Bit of a net: its number, or the constant ``0`` or ``1``."""


class Register(NamedTuple):
    """Register of a module.

    Members
    -------
    path : str
        Its name in the flattened module.
    is_reset : bool
        Whether a cycle of reset brings it to its value at power-up, in any state.
    """

    path: str
    is_reset: bool

    @property
    def holds_data(self) -> bool:
        """Whether it is one of those that need no reset."""
        return re.fullmatch("|".join(_DATA), self.path.rpartition(".")[2]) is not None


def registers(module: str, verilog: str) -> list[Register]:
    """Registers of a module of this Verilog, sorted by their paths.

    A register is reset if the last choice before it is that of the reset, for the value at
    power-up. That is read from the gates, so it holds in any state.
    """
    with work_folder() as folder:
        (folder / "module.v").write_text(verilog)
        (folder / "registers.ys").write_text(_SCRIPT.format(module=module))
        run_tool(["yosys", "-q", "registers.ys"], folder)
        found = json.loads((folder / "registers.json").read_text())["modules"][module]
    nets, cells = found["netnames"], [one["connections"] for one in found["cells"].values()]
    reset = _pairs((one for one in cells if one.get("S") == nets["rst"]["bits"]), "Y", "B")
    following = _pairs((one for one in cells if "Q" in one), "Q", "D")
    return [
        Register(path, all(reset.get(following[bit]) == value for bit, value in bits))
        for path, bits in sorted(_initial(nets).items())
        if all(bit in following for bit, _ in bits)
    ]


def _pairs(cells: Iterable[dict[str, list[_Bit]]], key: str, value: str) -> dict[_Bit, _Bit]:
    """Bits at one port of these cells, and the bits at another."""
    return {one: other for cell in cells for one, other in zip(cell[key], cell[value], strict=True)}


def _initial(nets: dict[str, dict]) -> dict[str, list[tuple[_Bit, _Bit]]]:
    """Bits of every net that has a value at power-up, and that value."""
    found = {path: (net["bits"], net["attributes"].get("init")) for path, net in nets.items()}
    return {
        path: [*zip(bits, reversed(init), strict=True)]
        for path, (bits, init) in found.items()
        if init is not None
    }


def prove_reset(module: str, verilog: str) -> Result:
    """Prove that a cycle of reset sets every register of a module that does not hold data only."""
    begun = time.monotonic()
    found = registers(module, verilog)
    lacking = [one.path for one in found if not (one.is_reset or one.holds_data)]
    return Result(
        name="reset",
        text="in any state, one cycle of rst brings every register to its value at power-up, but "
        "for those that hold data only",
        result=FAILED if lacking else PROVEN,
        depth=1,
        seconds=round(time.monotonic() - begun, 2),
        reason=f"not {', '.join(lacking)}" if lacking else "",
    )
