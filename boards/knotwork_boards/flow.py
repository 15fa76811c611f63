"""From a network and a board to a bitstream."""

import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from knotwork import __version__
from knotwork.emit import network_verilog
from knotwork.errors import ConfigurationError, ToolError
from knotwork.files import unwritable, write_whole
from knotwork.network import Network, RouterKind
from knotwork.tools import FailedRunError, find_tool, run_tool

from .board_top import BoardTop
from .place_and_route import Resources, count_cells, read_report, shortage
from .selftest import PacketFormat, SelfTest
from .table import Board

RECORD = "bitstream.json"
"""File beside a bitstream that says what it is."""

SEED = 1
"""Seed of nextpnr: the same network and board give the same bitstream."""

FLAT_LIMIT = 16
"""Routers up to which each is synthesised in its place, which makes it a few per cent smaller.

Beyond, each kind is synthesised once: a twentieth more cells, an eighth of the time at 64 routers.
"""

PRODUCTS = {"ecp5": "top.bit", "ice40": "top.bin"}

LOGS = {"top.rpt": "yosys.log", "top.tim": "nextpnr.log", "report.json": "nextpnr.json"}
"""What is kept of the tools' files, and its name beside the bitstream."""

_WRITTEN_BY = {"yosys": "top.rpt", "nextpnr-ecp5": "top.tim", "nextpnr-ice40": "top.tim"}


def build_bitstream(
    network: Network, board: Board, directory: Path | None = None
) -> dict[str, Any]:
    """Build the self-test of `network` for `board`.

    The tools work in a temporary folder in `directory`, which is gone in the end; bitstream and
    record appear when all is well, the logs in any case.

    Parameters
    ----------
    network : Network
        What to test.
    board : Board
        Where.
    directory : Path, optional
        Folder of the results, ``build/<network>_<board>`` if unnamed.

    Returns
    -------
    dict
        `name`, `network`, `parameters`, `board`, `bitstream` (its path), `fmax_mhz`, `clock_mhz`,
        `utilization` (of `lut`, `ff`, `block_ram`, each `used` and `available`), `seconds`.

    Raises
    ------
    ConfigurationError
        The network does not fit or is too slow, or the folder cannot be written.
    DeadlockError
        The network failed its deadlock check.
    ToolError
        A tool is missing or fails.
    """
    began = time.monotonic()
    network.require_deadlock_free()
    PacketFormat(network)  # refuses what cannot test itself
    require_room(network, board)
    plan = make_plan(network, board)
    commands = json.loads(plan.files["build_top.json"])["commands"]
    for command in commands:
        find_tool(command[0])
    title = f"{network.name}_{board.name}"
    directory = Path("build") / title if directory is None else Path(directory)
    workshop = _make_workshop(directory)
    try:
        plan.extract(workshop)
        fmax, resources = _run(network, board, commands, workshop, directory)
        bitstream = directory / (title + Path(PRODUCTS[board.family]).suffix)
        answer = {
            "name": network.name,
            "network": network.topology.name,
            "parameters": network.parameters,
            "board": board.name,
            "bitstream": bitstream.name,
            "fmax_mhz": round(fmax, 2),
            "clock_mhz": board.clock_mhz,
            "utilization": resources,
        }
        (directory / RECORD).unlink(missing_ok=True)
        write_whole(bitstream, (workshop / PRODUCTS[board.family]).read_bytes())
        record = {"tool": "knotwork", "version": __version__, **answer}
        write_whole(directory / RECORD, json.dumps(record, indent=1) + "\n")
    finally:
        for made, kept in LOGS.items():
            if (workshop / made).is_file():
                write_whole(directory / kept, (workshop / made).read_bytes())
        shutil.rmtree(workshop, ignore_errors=True)
    seconds = round(time.monotonic() - began, 1)
    return {**answer, "bitstream": str(bitstream), "seconds": seconds}


def make_plan(network: Network, board: Board) -> Any:
    """Files and commands of a build, by the board's platform; no path in them is absolute.

    Returns
    -------
    amaranth.build.run.BuildPlan
        Its command list is the file ``build_top.json``.
    """
    platform = board.make_platform()
    platform.add_file(f"{network.name}.v", network_verilog(network))
    # Multiplexers of the slices' own save few cells here and cost placement half its time.
    options = ["-nowidelut"] if board.family == "ecp5" else []
    after = "# flat"
    router = "router1"
    if network.topology.routers > FLAT_LIMIT:
        options.append("-noflatten")
        after = "flatten\nopt_clean"
        router = "router2"  # a few per cent slower hardware, far sooner where nets are many
    return platform.build(
        BoardTop(SelfTest(network, clock_hz=board.clock_hz), board),
        do_build=False,
        emit_src=False,
        synth_opts=" ".join(options),
        script_after_synth=after,
        nextpnr_opts=f"--seed {SEED} --router {router} --report report.json --timing-allow-fail",
    )


def require_room(network: Network, board: Board) -> None:
    """Refuse a network that cannot fit by far, before minutes of synthesis say so.

    An output of a crossbar or of a circuit switch to which several inputs can lead, or the store of
    a router of batches, which takes a packet from its node or a neighbour, needs a look-up table
    for each of its data bits at the least.

    Raises
    ------
    ConfigurationError
        More look-up tables than the board has.
    """
    what, choices = _CHOICES[network.routing.router]
    width = network.hardware.data_width
    of_kind = [choices(network, kind) * width for kind in network.router_kinds]
    least = sum(of_kind[number] for number in network.router_number)
    if least > board.luts:
        raise ConfigurationError(
            f"{network.name}: the network must fit {board.name}, which has {board.luts} LUTs, "
            f"but its {what} alone need {least}; take a smaller network or data_width"
        )


def _merging_outputs(network: Network, kind: RouterKind) -> int:
    """Outputs of a router's crossbar to which several inputs can lead."""
    del network
    inputs: dict[int, set[int]] = {}
    for turn in kind.turns:
        inputs.setdefault(turn.output_port, set()).add(turn.input_port)
    return sum(len(ports) > 1 for ports in inputs.values())


def _merging_links(network: Network, kind: RouterKind) -> int:
    """Outputs of a circuit switch to which several inputs can lead.

    An upper takes from all downers, a downer from all uppers and from the downers of the other
    children; on level 0 from its own too.
    """
    topology: Any = network.topology
    level = topology.level_of(kind.router)
    downers, own = topology.downers[level], topology.wires[level] if level else 0
    uppers = len(kind.ports) - 1 - downers
    return uppers * (downers > 1) + downers * (uppers + downers - own > 1)


_CHOICES: dict[str, tuple[str, Callable[[Network, RouterKind], int]]] = {
    "packet": ("crossbars", _merging_outputs),
    "batch": ("exchanges", lambda network, kind: 1),
    "circuit": ("switches", _merging_links),
}
"""By the class of routers: where data is chosen, and how many such places a router has."""


def _make_workshop(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for log in LOGS.values():
            (directory / log).unlink(missing_ok=True)
        return Path(tempfile.mkdtemp(prefix=".building-", dir=directory))
    except OSError as error:
        raise unwritable(directory, error) from None


def _run(
    network: Network, board: Board, commands: list[list[str]], workshop: Path, directory: Path
) -> tuple[float, Resources]:
    """Run the tools; give Fmax and what the network uses."""
    report = workshop / "report.json"
    for command in commands:
        log = _WRITTEN_BY.get(command[0])
        try:
            run_tool(command, workshop, log=log)
        except FailedRunError as failed:
            short = shortage(failed.log)
            if short is not None:
                raise ConfigurationError(
                    f"{network.name}: the network must fit {board.name}, but needs {short}; take a "
                    f"smaller network, data_width or {_storage_key(network)}, or a larger board"
                ) from None
            where = f"; see {directory / LOGS[log]}" if log is not None else ""
            raise ToolError(f"{failed}{where}") from None
        if report.is_file():
            fmax, _ = read_report(report, family=board.family)
            if fmax < board.clock_mhz:
                faster = "pipeline=2 or " if hasattr(network.hardware, "pipeline") else ""
                raise ConfigurationError(
                    f"{network.name}: Fmax must be at least the {board.clock_mhz:g} MHz of "
                    f"{board.name}, not {fmax:.2f} MHz; take {faster}a smaller network"
                )
    fmax, resources = read_report(report, family=board.family)
    if "ff" not in resources:
        flip_flops = count_cells(workshop / "top.json", "SB_DFF")
        resources["ff"] = {"used": flip_flops, "available": resources["lut"]["available"]}
    return fmax, resources


def _storage_key(network: Network) -> str:
    """Hardware key that says how much a router or an interface of a node stores."""
    keys = ("buffer_depth", "words", "max_packet")
    return next(key for key in keys if hasattr(network.hardware, key))
