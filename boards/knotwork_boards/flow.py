"""The flow from a network and a board to a bitstream."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from knotwork import __version__
from knotwork.builds.folders import work_folder
from knotwork.errors import ConfigurationError, ToolError
from knotwork.files import unwritable, write_whole
from knotwork.network import Network
from knotwork.progress import progress
from knotwork.tools import FailedRunError, find_tool, run_tool

from .build_plan import make_plan
from .cells import require_room
from .place_and_route import PlaceAndRoute, Resources, count_cells, read_report, shortage
from .selftest import BuildHints, self_test_of
from .table import Board
from .untyped import JsonObject

RECORD = "bitstream.json"
"""File beside a bitstream that says what the bitstream holds."""

PRODUCTS = {"ecp5": "top.bit", "ice40": "top.bin"}
"""Bitstream that the tools make, by family."""

LOGS = {"top.rpt": "yosys.log", "top.tim": "nextpnr.log", "report.json": "nextpnr.json"}
"""Files of the tools that are kept, and their names beside the bitstream."""

_STEPS = {"yosys": "synthesising", "nextpnr-ecp5": "placing", "nextpnr-ice40": "placing"}
"""What a tool does."""

_WRITTEN_BY = {"yosys": "top.rpt", "nextpnr-ecp5": "top.tim", "nextpnr-ice40": "top.tim"}


class Bitstream(TypedDict):
    """Bitstream that was built: the record beside it, and the answer of the command.

    Members
    -------
    name, network : str
        Name with the main parameters, and name of the topology.
    parameters : dict
        All parameters, resolved.
    board : str
        Name of the board.
    bitstream : str
        Path; in the record, the name of the file.
    fmax_mhz, clock_mhz : float
        Highest frequency, and the frequency of the board's clock.
    utilization : Resources
        Cells of the kinds `lut`, `ff` and `block_ram`, each `used` and `available`.
    """

    name: str
    network: str
    parameters: JsonObject
    board: str
    bitstream: str
    fmax_mhz: float
    clock_mhz: float
    utilization: Resources


class TimedBitstream(Bitstream):
    """Bitstream, and the seconds that its build took."""

    seconds: float


def build_bitstream(
    network: Network, board: Board, directory: Path | None = None
) -> TimedBitstream:
    """Build the self-test of `network` for `board`.

    The tools work in a temporary folder in `directory`, which is removed at the end. Bitstream and
    record appear only if the build succeeds, the logs in any case.

    Parameters
    ----------
    network : Network
        Network that the bitstream tests.
    board : Board
        Board that it runs on.
    directory : Path, optional
        Folder of the results, ``build/<network>_<board>`` if unnamed.

    Raises
    ------
    ConfigurationError
        The network cannot test itself, does not fit or is too slow, or the folder cannot be
        written.
    DeadlockError
        The network failed its deadlock check.
    ToolError
        A tool is missing or fails.
    """
    began = time.monotonic()
    require_build(network, board)
    self_test = self_test_of(network)
    plan = make_plan(network, board)
    commands = json.loads(plan.files["build_top.json"])["commands"]
    for command in commands:
        find_tool(command[0])
    title = f"{network.name}_{board.name}"
    directory = Path("build") / title if directory is None else Path(directory)
    with _workshop(directory) as workshop:
        plan.extract(str(workshop))
        tools = ToolRun(
            network=network,
            board=board,
            hints=self_test.build_hints(network),
            directory=directory,
            workshop=workshop,
        )
        result = tools.run(commands)
        product = PRODUCTS[board.family]
        bitstream = directory / (title + Path(product).suffix)
        record = _record(network, board, bitstream.name, result)
        (directory / RECORD).unlink(missing_ok=True)
        write_whole(bitstream, (workshop / product).read_bytes())
        tagged = {"tool": "knotwork", "version": __version__, **record}
        write_whole(directory / RECORD, json.dumps(tagged, indent=1) + "\n")
    seconds = round(time.monotonic() - began, 1)
    return {**record, "bitstream": str(bitstream), "seconds": seconds}


def require_build(network: Network, board: Board) -> int:
    """Refuse a network that cannot be built for a board; return its estimated cells.

    Raises
    ------
    ConfigurationError, DeadlockError
        See `build_bitstream`.
    """
    self_test_of(network).node_test(network)  # refuses a network that cannot test itself
    if network.topology.nodes <= board.luts:
        network.require_deadlock_free()
    return require_room(network, board)


def _record(network: Network, board: Board, name: str, result: PlaceAndRoute) -> Bitstream:
    return {
        "name": network.name,
        "network": network.topology.name,
        "parameters": network.parameters,
        "board": board.name,
        "bitstream": name,
        "fmax_mhz": round(result.fmax_mhz, 2),
        "clock_mhz": board.clock_mhz,
        "utilization": result.resources,
    }


@contextmanager
def _workshop(directory: Path) -> Iterator[Path]:
    """Temporary folder for the tools; the logs in it are kept in `directory`."""
    with work_folder(directory) as workshop:
        _remove_logs(directory)
        try:
            yield workshop
        finally:
            for made, kept in LOGS.items():
                if (workshop / made).is_file():
                    write_whole(directory / kept, (workshop / made).read_bytes())


def _remove_logs(directory: Path) -> None:
    for log in LOGS.values():
        try:
            (directory / log).unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(directory / log, error) from None


@dataclass(frozen=True, kw_only=True)
class ToolRun:
    """Run of the tools in their temporary folder."""

    network: Network
    board: Board
    hints: BuildHints
    directory: Path
    workshop: Path

    def run(self, commands: Sequence[list[str]]) -> PlaceAndRoute:
        """Run the tools; refuse a network that does not fit or is too slow."""
        report = self.workshop / "report.json"
        for command in commands:
            with progress(f"{_STEPS.get(command[0], command[0])} with {command[0]}"):
                self._run_tool(command)
            if report.is_file():
                self._require_speed(read_report(report, family=self.board.family).fmax_mhz)
        result = read_report(report, family=self.board.family)
        if "ff" not in result.resources:
            flip_flops = count_cells(self.workshop / "top.json", "SB_DFF")
            available = result.resources["lut"]["available"]
            result.resources["ff"] = {"used": flip_flops, "available": available}
        return result

    def _run_tool(self, command: list[str]) -> None:
        log = _WRITTEN_BY.get(command[0])
        try:
            run_tool(command, self.workshop, log=log)
        except FailedRunError as failed:
            short = shortage(failed.log)
            if short is not None:
                raise ConfigurationError(
                    f"{self.network.name}: the network must fit {self.board.name}, but needs "
                    f"{short}; take a smaller network, data_width or {self.hints.storage_key}, or "
                    f"a larger board"
                ) from None
            where = f"; see {self.directory / LOGS[log]}" if log is not None else ""
            raise ToolError(f"{failed}{where}") from None

    def _require_speed(self, fmax_mhz: float) -> None:
        if fmax_mhz < self.board.clock_mhz:
            faster = "pipeline=2 or " if self.hints.has_pipeline else ""
            raise ConfigurationError(
                f"{self.network.name}: Fmax must be at least the {self.board.clock_mhz:g} MHz of "
                f"{self.board.name}, not {fmax_mhz:.2f} MHz; take {faster}a smaller network"
            )
