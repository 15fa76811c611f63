"""Bitstreams of a short self-test, for a simulator: built, unpacked, and kept by content."""

import hashlib
import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

from knotwork.builds.folders import kept_folder
from knotwork.errors import ConfigurationError
from knotwork.files import write_file
from knotwork.network import Network
from knotwork.progress import progress
from knotwork.tools import PACKAGES, run_tool

from ..build_plan import make_plan
from ..capacity.room import require_fit
from ..netlist import SYNTHESISER, cell_models
from ..selftest import SelfTest, self_test_of
from ..table import Board, board_named
from ..untyped import BuildPlan
from . import ecp5, ice40
from .chip import MODULE, Chip

Unpack = Callable[[Path, Board, Mapping[str, str]], tuple[str, dict[str, str]]]

UNPACKERS: dict[str, Unpack] = {"ice40": ice40.unpack, "ecp5": ecp5.unpack}
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
    """Folder with the unpacked bitstream, made now or before."""
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
