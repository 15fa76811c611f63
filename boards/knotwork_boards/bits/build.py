"""Bitstreams of a short self-test, for a simulator: built, unpacked to Verilog, and cached."""

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from knotwork.builds.compilation import run_process
from knotwork.builds.folders import kept_folder
from knotwork.errors import ConfigurationError, ToolError
from knotwork.files import write_file
from knotwork.network import Network
from knotwork.progress import progress
from knotwork.tools import PACKAGES, FailedRunError, last_words, run_tool, search_path

from ..build_plan import make_plan
from ..capacity import require_fit
from ..netlist import SYNTHESISER, cell_models
from ..selftest import SelfTest, self_test_of
from ..table import Board, board_named
from ..untyped import BuildPlan
from .ecp5 import MODULE
from .ecp5 import unpack as unpack_ecp5


@dataclass(frozen=True, kw_only=True)
class Chip:
    """Verilog of a configured chip.

    Members
    -------
    sources : dict
        Verilog by file name, the models of its cells included.
    module : str
        Module of the chip.
    ports : dict
        Its ports that are the clock (``clk``), the serial line from it (``tx``), and, where the
        chip listens, that to it (``rx``).
    clocks_per_bit : int
        Cycles of a bit on the serial lines.
    """

    sources: dict[str, str]
    module: str
    ports: dict[str, str]
    clocks_per_bit: int


READER = "icebox_vlog"

_PINS = "bits.pcf"
_TEXT = "bits.asc"


def unpack_ice40(folder: Path, board: Board, pins: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Verilog of an iCE40 bitstream in a folder, and its ports at these pins.

    `iceunpack` and IceStorm's `icebox_vlog` write it: look-up tables and registers as expressions,
    and blocks of RAM as cells.

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
    place = text.index(f"module {MODULE} ")  # the text before it is not Verilog
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


Unpack = Callable[[Path, Board, Mapping[str, str]], tuple[str, dict[str, str]]]

UNPACKERS: dict[str, Unpack] = {"ice40": unpack_ice40, "ecp5": unpack_ecp5}
"""What turns a family's bitstream back into Verilog."""

EXCLUDED_CELLS: dict[str, tuple[str, ...]] = {"ecp5": ("-nobram",)}
"""Options of synthesis that leave out what cannot be unpacked: blocks of RAM."""

CLOCKS_PER_BIT = 2
ROUNDS_LOG2 = 2
QUIET_LOG2 = 8

_BAUD = 115200
_DIGITS = 16  # of a digest in a folder's name
_CHIP = "chip.json"


def bits_cache() -> Path:
    """Folder of the unpacked bitstreams: ``build/bits`` below the working folder."""
    return Path("build", "bits").absolute()


def bits_sources(network: Network, board_name: str) -> Chip:
    """Chip that tests a network, from the bits of its bitstream.

    The bitstream is that of `build_bitstream`, but with a short self-test: windows of a few rounds,
    a fast serial line, the board's own clock, and without the cells that cannot be unpacked
    (`EXCLUDED_CELLS`).

    Parameters
    ----------
    network : Network
        Network that can test itself.
    board_name : str
        Name of the board.

    Raises
    ------
    ConfigurationError
        No board has that name, its bits cannot be unpacked, or the network cannot test itself or
        does not fit.
    ToolError
        A tool is missing or fails.
    """
    board = board_named(board_name)
    if board.family.name not in UNPACKERS:
        raise ConfigurationError(
            f"{board.name}: a board whose bits are simulated must be of {' or '.join(UNPACKERS)}, "
            f"not of {board.family.name}"
        )
    self_test_of(network).node_test(network)  # refuses a network that cannot test itself
    require_fit(network, board)
    plan = short_plan(network, board)
    folder = _built(network, board, plan)
    return Chip(
        sources={
            f"{network.name}_{board.name}_bits.v": (folder / "bits.v").read_text(),
            f"{board.family.name}_cells.v": cell_models(board.family),
        },
        module=MODULE,
        ports=json.loads((folder / _CHIP).read_text()),
        clocks_per_bit=CLOCKS_PER_BIT,
    )


def short_plan(network: Network, board: Board) -> BuildPlan:
    """Plan of a build with a short self-test."""
    selftest = SelfTest(
        network,
        clock_hz=CLOCKS_PER_BIT * _BAUD,
        baud=_BAUD,
        rounds_log2=ROUNDS_LOG2,
        quiet_log2=QUIET_LOG2,
    )
    without = EXCLUDED_CELLS.get(board.family.name, ())
    return make_plan(network, board, selftest=selftest, without=without)


def pins_of(board: Board) -> dict[str, str]:
    """Pins of a board's clock and serial lines, by the ports of a `Chip`."""
    platform = board.make_platform()
    clock = platform.request(platform.default_clk, 0, dir="-")
    return {"clk": clock.io.metadata[0].name, **board.uart}


def _built(network: Network, board: Board, plan: BuildPlan) -> Path:
    """Folder with the unpacked bitstream, built now or earlier."""
    family = board.family
    tools = (SYNTHESISER, family.placer, family.packer)
    facts = sorted(plan.files.items()), [version(PACKAGES[tool]) for tool in tools]
    name = hashlib.sha256(repr(facts).encode()).hexdigest()[:_DIGITS]

    def build(folder: Path) -> None:
        plan.extract(str(folder))
        for command in json.loads(plan.files["build_top.json"])["commands"]:
            with progress(f"{command[0]}, {network.name} for {board.name}"):
                run_tool(command, folder)
        text, ports = UNPACKERS[family.name](folder, board, pins_of(board))
        write_file(folder / "bits.v", text)
        write_file(folder / _CHIP, json.dumps(ports) + "\n")

    return kept_folder(bits_cache() / name, build)
