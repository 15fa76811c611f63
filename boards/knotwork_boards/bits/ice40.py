"""Bitstreams of iCE40 as Verilog, by `iceunpack` and IceStorm's `icebox_vlog`.

The Verilog has look-up tables and registers as expressions, and blocks of RAM as cells.
"""

import re
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from knotwork.builds.processes import run_process
from knotwork.errors import ToolError
from knotwork.tools import FailedRunError, last_words, run_tool, search_path

from ..table import Board
from .chip import MODULE

READER = "icebox_vlog"

_PINS = "bits.pcf"
_TEXT = "bits.asc"


def unpack(folder: Path, board: Board, pins: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Verilog of the bitstream in a folder, and its ports at these pins.

    Raises
    ------
    ToolError
        IceStorm is not installed, or fails.
    """
    reader = shutil.which(READER, path=search_path())
    if reader is None:
        raise ToolError(f"{READER} must be installed: no wheel has it (Debian: apt install "
                        "fpga-icestorm)")  # fmt: skip
    run_tool(["iceunpack", board.family.product, _TEXT], folder)
    (folder / _PINS).write_text("".join(f"set_io {name} {pin}\n" for name, pin in pins.items()))
    done = run_process([reader, "-s", "-n", MODULE, "-p", _PINS, _TEXT], folder=folder)
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        raise FailedRunError(READER, text, last_words(text) or f"exit status {done.returncode}")
    place = text.index(f"module {MODULE} ")  # what it says before is no Verilog
    verilog = text[place:]
    head = verilog[: verilog.index(");")]
    named = set(re.findall(r"(?:input|output|inout) (\w+)", head))
    return wires_once(verilog, named), {name: name for name in pins if name in named}


def wires_once(verilog: str, ports: Collection[str]) -> str:
    """Verilog whose ports are not declared a second time, as wires: Verilator refuses that."""

    def declared(found: re.Match[str]) -> str:
        names = [name for name in re.split(r",\s*", found[1]) if name not in ports]
        return f"wire {', '.join(names)};" if names else ""

    return re.sub(r"^wire ([\w,\s]+);$", declared, verilog, flags=re.MULTILINE)
