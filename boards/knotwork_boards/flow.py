"""The flow from a network and a board to a bitstream."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NotRequired, TypedDict

from knotwork import __version__
from knotwork.builds.folders import work_folder
from knotwork.errors import ConfigurationError, ToolError
from knotwork.files import AnyPath, as_path, unwritable, write_file, write_files
from knotwork.network import Network
from knotwork.progress import progress
from knotwork.tools import FailedRunError, find_tool, run_tool

from .board_top import clock_parameters
from .build_plan import FREQUENCY, SYNTHESISER, fingerprint, make_plan
from .capacity import advice, placement_seconds, require_fit, synthesis_seconds
from .clock import AUTO, Clock, ClockSearch, clock_below
from .place_and_route import (
    PlaceAndRoute,
    Resources,
    count_cells,
    read_report,
    set_parameters,
    shortage,
)
from .placed import RECORD
from .report import PAGE, report_files, require_folder
from .selftest import BuildHints, SelfTest, require_measuring, self_test_of
from .table import Board
from .untyped import JsonObject

LOGS = {"top.rpt": "yosys.log", "top.tim": "nextpnr.log", "report.json": "nextpnr.json"}
"""Files of the tools that are kept, and their names beside the bitstream."""


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
        Highest frequency, and the frequency of the network's clock.
    pll : dict or None
        Dividers of the PLL that makes the clock; None where the clock is the board's own.
    utilization : Resources
        Cells of the kinds `lut`, `ff` and `block_ram`, each `used` and `available`.
    sources : str
        Digest of the tools' input and versions: `fingerprint`.
    """

    name: str
    network: str
    parameters: JsonObject
    board: str
    bitstream: str
    fmax_mhz: float
    clock_mhz: float
    pll: dict[str, int] | None
    utilization: Resources
    sources: str


class TimedBitstream(Bitstream):
    """Bitstream, how often it was placed, the seconds of it all, and the path of its report."""

    builds: int
    seconds: float
    report: NotRequired[str]


def build_bitstream(
    network: Network,
    board: Board,
    directory: AnyPath | None = None,
    *,
    clock_mhz: float | str = AUTO,
    report: AnyPath | None = None,
    measure: bool = False,
) -> TimedBitstream:
    """Build the self-test of `network` for `board`.

    By default the clock is the highest that the placed network reaches: the divisors of the PLL and
    of the UART are constants that are set afterwards. The tools work in a temporary folder in
    `directory`, which is removed at the end. Bitstream and record appear only if the build
    succeeds, the logs in any case.

    Parameters
    ----------
    network, board
        Network that the bitstream tests, and board that it runs on.
    directory, report : str or PathLike, optional
        Folders of the results, ``build/<network>_<board>`` if unnamed, and of a report with
        pictures: see `report_files`.
    clock_mhz, measure
        See `BuildKeys`.

    Raises
    ------
    ConfigurationError
        The network cannot test itself, does not fit or is too slow, or a folder cannot be written.
    DeadlockError
        The network failed its deadlock check.
    ToolError
        A tool is missing or fails.
    """
    began = time.monotonic()
    folder = None if directory is None else as_path(directory, "a bitstream's folder")
    pictures = None if report is None else as_path(report, "a report's folder")
    cells = require_build(network, board, measure=measure)
    require_folder(pictures)
    search = ClockSearch(board, clock_mhz)
    for tool in (SYNTHESISER, board.family.placer, board.family.packer):
        find_tool(tool)
    title = f"{network.name}_{board.name}"
    folder = folder or Path("build") / title
    with _tool_folder(folder) as tool_folder:
        built = ToolRun(
            network=network,
            board=board,
            hints=self_test_of(network).build_hints(network),
            directory=folder,
            tool_folder=tool_folder,
            cells=cells,
            measure=measure,
        ).run(search)
        record = _record(network, board, title + Path(board.family.product).suffix, built)
        bitstream = folder / record["bitstream"]
        report_contents = _report_files(pictures, network, board, tool_folder, built.result)
        contents = (tool_folder / board.family.product).read_bytes()
        _save(record, report_contents | {bitstream: contents}, folder)
    seconds = round(time.monotonic() - began, 1)
    answer: TimedBitstream = {**record, "builds": built.builds, "seconds": seconds}
    answer["bitstream"] = str(bitstream)
    return answer if pictures is None else {**answer, "report": str(pictures / PAGE)}


def require_build(network: Network, board: Board, *, measure: bool = False) -> int:
    """Refuse a network that cannot be built for a board; return its estimated cells.

    Raises
    ------
    ConfigurationError, DeadlockError
        See `build_bitstream`.
    """
    node_test = self_test_of(network).node_test(network)  # refuses one that cannot test itself
    if measure:
        require_measuring(node_test)
    if network.topology.nodes <= board.luts:
        network.require_deadlock_free()
    return require_fit(network, board)


class Built(NamedTuple):
    """Outcome of the tools' runs.

    Members
    -------
    clock : Clock
        Clock that is reached.
    result : PlaceAndRoute
        Outcome of place and route for it.
    builds : int
        How many clocks were placed for.
    sources : str
        `fingerprint` of what was synthesised.
    """

    clock: Clock
    result: PlaceAndRoute
    builds: int
    sources: str


def _record(network: Network, board: Board, name: str, built: Built) -> Bitstream:
    clock, result = built.clock, built.result
    return {
        "name": network.name,
        "network": network.topology.name,
        "parameters": network.parameters,
        "board": board.name,
        "bitstream": name,
        "fmax_mhz": round(result.fmax_mhz, 2),
        "clock_mhz": round(clock.mhz, 3),
        "pll": None if clock.setting is None else dict(clock.setting.dividers),
        "utilization": result.resources,
        "sources": built.sources,
    }


def _report_files(
    folder: Path | None, network: Network, board: Board, tool_folder: Path, result: PlaceAndRoute
) -> dict[Path, str | bytes]:
    """Files of the report of a build; none without a folder for it."""
    if folder is None:
        return {}
    with progress("drawing the report"):
        files = report_files(network, board, tool_folder, result.resources)
    return {folder / name: content for name, content in files.items()}


def _save(record: Bitstream, files: Mapping[Path, str | bytes], directory: Path) -> None:
    """Write the files of a build, and last the record, which shows that they are complete."""
    (directory / RECORD).unlink(missing_ok=True)
    write_files(files)
    tagged = {"tool": "knotwork", "version": __version__, **record}
    write_file(directory / RECORD, json.dumps(tagged, indent=1) + "\n")


@contextmanager
def _tool_folder(directory: Path) -> Iterator[Path]:
    """Temporary folder for the tools; the logs in it are kept in `directory`."""
    with work_folder(directory) as tool_folder:
        _remove_logs(directory)
        try:
            yield tool_folder
        finally:
            for name, kept in LOGS.items():
                if (tool_folder / name).is_file():
                    write_file(directory / kept, (tool_folder / name).read_bytes())


def _remove_logs(directory: Path) -> None:
    for log in LOGS.values():
        try:
            (directory / log).unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(directory / log, error) from None


class Synthesised(NamedTuple):
    """Netlist in the temporary folder, and the commands that place and pack it.

    Members
    -------
    selftest : SelfTest
        What it is of.
    sources : str
        `fingerprint` of its plan.
    placing, packing : list of str
        Commands.
    """

    selftest: SelfTest
    sources: str
    placing: list[str]
    packing: list[str]

    def fits(self, clock: Clock) -> bool:
        """Whether changing only constants makes it a netlist for a clock."""
        return self.selftest.tunable and clock.setting is not None


@dataclass(frozen=True, kw_only=True)
class ToolRun:
    """Run of the tools in their temporary folder."""

    network: Network
    board: Board
    hints: BuildHints
    directory: Path
    tool_folder: Path
    cells: int
    measure: bool = False

    def run(self, search: ClockSearch) -> Built:
        """Run the tools, until a clock is reached; refuse what does not fit or is too slow."""
        netlist: Synthesised | None = None
        for builds, clock in enumerate(search, 1):
            if netlist is not None and netlist.fits(clock):
                parameters = clock_parameters(netlist.selftest, self.board, clock)
                set_parameters(self.tool_folder / "top.json", parameters)
            else:
                netlist = self._synthesise(clock, is_open=search.is_open)
            result = self._place(netlist.placing, clock)
            reached = clock if result.fmax_mhz >= clock.mhz else self._retuned(netlist, result)
            if reached is not None:
                self._run_tool(netlist.packing)
                return Built(reached, result, builds, netlist.sources)
            search.reached(clock, result.fmax_mhz)
        raise self._too_slow(search)

    def _synthesise(self, clock: Clock, *, is_open: bool) -> Synthesised:
        """Synthesise for a clock, or, where it is still open, such that a PLL can make another."""
        selftest = SelfTest(
            self.network,
            clock_hz=round(clock.hz),
            measure=self.measure,
            tunable=is_open and clock.setting is not None,
        )
        plan = make_plan(self.network, self.board, clock, selftest=selftest)
        plan.extract(str(self.tool_folder))
        synthesising, placing, packing = json.loads(plan.files["build_top.json"])["commands"]
        self._run_tool(synthesising)
        return Synthesised(selftest, fingerprint(plan, self.board), placing, packing)

    def _retuned(self, netlist: Synthesised, result: PlaceAndRoute) -> Clock | None:
        """Clock that was reached, to which what was placed has been set; None where it cannot."""
        retune, clock = self.board.family.retune, clock_below(self.board, result.fmax_mhz)
        if retune is None or clock is None or not netlist.fits(clock):
            return None
        retune(self.tool_folder, clock_parameters(netlist.selftest, self.board, clock))
        return clock

    def _place(self, command: Sequence[str], clock: Clock) -> PlaceAndRoute:
        """Place and route for a clock."""
        family = self.board.family
        before = command.index(FREQUENCY)
        self._run_tool([*command[: before + 1], f"{clock.mhz:.3f}", *command[before + 2 :]])
        result = read_report(self.tool_folder / "report.json", family=family)
        for kind, cell in family.counted.items():
            used = count_cells(self.tool_folder / "top.json", cell)
            available = result.resources["lut"]["available"]
            result.resources[kind] = {"used": used, "available": available}
        return result

    def _run_tool(self, command: list[str]) -> None:
        family = self.board.family
        log = {SYNTHESISER: "top.rpt", family.placer: "top.tim"}.get(command[0])
        expected = {SYNTHESISER: synthesis_seconds, family.placer: placement_seconds}
        steps = {SYNTHESISER: "synthesising", family.placer: "placing", family.packer: "packing"}
        try:
            seconds = expected[command[0]](self.cells) if command[0] in expected else None
            with progress(f"{steps[command[0]]} with {command[0]}", expected=seconds):
                run_tool(command, self.tool_folder, log=log)
        except FailedRunError as failed:
            short = shortage(failed.log)
            if short is not None:
                cells = max(short.cells(family), self.board.luts + 1)
                raise ConfigurationError(
                    f"{self.network.name}: the network must fit {self.board.name}, but needs "
                    f"{short}; {advice(self.network, self.board, cells)}"
                ) from None
            where = f"; see {self.directory / LOGS[log]}" if log is not None else ""
            raise ToolError(f"{failed}{where}") from None

    def _too_slow(self, search: ClockSearch) -> ConfigurationError:
        name, board = self.network.name, self.board.name
        clock, fmax_mhz = search.last
        is_open = search.is_open
        remedies = [] if is_open else ["clock_mhz=auto"]
        if self.hints.has_pipeline and self.network.cycles_per_hop == 1:
            remedies.append("pipeline=2")
        changes = " or ".join([*remedies, "a smaller network"])
        least = "that of a clock that" if is_open else f"the {clock.mhz:g} MHz of the clock that"
        return ConfigurationError(
            f"{name}: Fmax must be at least {least} {board} makes, not {fmax_mhz:.2f} MHz; "
            f"take {changes}"
        )
