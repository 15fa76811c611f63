"""Long runs of the emitted Verilog: Verilator and a compiled driver, no Python in any clock."""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from knotwork.emit import network_verilog
from knotwork.emit.ports import config_widths, eject_widths, has_config, inject_widths
from knotwork.errors import ToolError
from knotwork.files import write_whole
from knotwork.network import Network

from ..traffic.addresses import address_codes
from ..traffic.endpoints import pause_numbers
from ..traffic.keys import Traffic
from ..traffic.packets import Packets
from .verilator import (
    block_marks,
    cache_directory,
    digest,
    failure,
    keep_library,
    library,
    locked,
    tool_environment,
)
from .wrapper import TOP, wrapper_verilog

DATA_WIDTH = 32
"""Payload bits of the network that is run: its beats carry the numbers of their packets."""

SCRAMBLE = 0x9E3779B1
"""Odd number by which payloads are multiplied, modulo 2^32, so that all their bits change."""

_KIND = "driver"  # of Verilator's library


_REFUSED = 2  # in the place of `last`, as driver.cpp has it


class DriverLog(NamedTuple):
    """What the nodes saw, in order of clock and node; int64 each.

    Members
    -------
    word, clock, last, node, source : ndarray
        Payload of each beat, clock in which a node took it, 1 for a packet's last beat, node, and
        the address that came with it, 0 where packets carry none. The payload is the packet's
        number and, where that was asked for, the beat's below it.
    refused : ndarray
        (clock, node) of every packet refused, of shape (packets, 2).
    accepted : ndarray
        Beats that the network took from each node.
    """

    word: np.ndarray
    clock: np.ndarray
    last: np.ndarray
    node: np.ndarray
    source: np.ndarray
    refused: np.ndarray
    accepted: np.ndarray


def driven_network(network: Network) -> Network:
    """Network with the payload that the driver needs; that changes no clock."""
    if network.hardware.data_width == DATA_WIDTH:  # it may have classes of its own
        return network
    parameters = network.parameters | {"data_width": DATA_WIDTH}
    return Network.from_texts(network.topology.name, parameters)


def build_driver(network: Network, *, level: str = "-O2", coverage: bool = False) -> Path:
    """Executable of a network within its testbench; one that was compiled before is used again.

    Parameters
    ----------
    level : str
        How far the compiler optimises: for runs of some seconds ``-O1`` is soonest done.
    coverage : bool
        Whether it counts the lines and toggles of the Verilog.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler is missing or failed; names the log.
    """
    driven = driven_network(network)
    sources = {
        f"{driven.name}.v": network_verilog(driven),
        "testbench.v": wrapper_verilog(driven),
        **compiled_sources("driver.cpp"),
    }
    return build_executable(
        sources,
        level=level,
        coverage=coverage,
        KNOTWORK_DATA_WIDTH=DATA_WIDTH,
        KNOTWORK_SCRAMBLE=SCRAMBLE,
        KNOTWORK_ADDRESS_WIDTH=driven.topology.address_width,
        KNOTWORK_USER_WIDTH=inject_widths(driven).get("tuser", 0),
        KNOTWORK_HAS_SOURCE=int("tid" in eject_widths(driven)),
        KNOTWORK_HAS_CONFIG=int(has_config(driven)),
    )


def compiled_sources(program: str) -> dict[str, str]:
    """C++ of this package by name: a program, and what all of them include."""
    files = [Path(__file__).parent / name for name in (program, "ports.h")]
    return {file.name: file.read_text(encoding="utf-8") for file in files}


def build_executable(
    sources: Mapping[str, str],
    *,
    blocks: Sequence[str] = (),
    asserts: bool = False,
    level: str = "-O2",
    coverage: bool = False,
    **widths: int,
) -> Path:
    """Executable of Verilog within `TOP` and a C++ program; made before, it is used again.

    Parameters
    ----------
    sources : mapping of str to str
        Verilog, control files and C++ by name.
    blocks : sequence of str
        Modules that are compiled once each.
    asserts : bool
        Whether assertions are checked; they cost time.
    level : str
        How far the compiler optimises.
    coverage : bool
        Whether lines and toggles are counted.
    widths : int
        Macros that the program reads.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler is missing or failed; names the log.
    """
    options = [
        *("--cc", "--exe", "--build", "-j", "0", "-O3", "-Wno-fatal", "--output-split", "20000"),
        *("--assert" if asserts else "--no-assert", "--top-module", TOP, "-Mdir", "."),
        # Verilator's own library always: at -O0 its coverage takes minutes to set up half a million
        # points.
        *("-MAKEFLAGS", f"OPT_FAST={level} OPT_SLOW={level} OPT_GLOBAL=-O2"),
    ]
    for name, width in widths.items():
        options += ["-CFLAGS", f"-D{name}={width}"]
    sources = dict(sources)
    if blocks:
        sources["blocks.vlt"] = block_marks(blocks)
        options.append("--hierarchical")
    kind = _KIND
    if coverage:
        # What synthesises: the invariants' failures are not to be reached. A module that is not
        # inlined compiles once; in blocks (`--hierarchical`) Verilator mixes the counts up.
        options += ["--coverage-line", "--coverage-toggle", "-DSYNTHESIS", "-fno-inline"]
        kind += "-coverage"
    directory = cache_directory() / f"driver-{digest(sorted(sources.items()), options)}"
    executable = directory / f"V{TOP}"
    with locked(directory):
        if (directory / "done").exists():
            return executable
        if shutil.which("c++") is None:
            raise ToolError("a C++ compiler must be installed as c++ (Debian: apt install g++)")
        for name, text in sources.items():
            write_whole(directory / name, text)
        for path in library(kind).glob("*.o"):
            shutil.copy(path, directory)
            # The makefile, which they depend on, is newer: Make would compile them again.
            options += ["-MAKEFLAGS", f"--old-file={path.name}"]
        files = [name for name in sources if not name.endswith(".h")]
        with tool_environment():
            done = subprocess.run(
                ["verilator", *options, *files],
                cwd=directory,
                capture_output=True,
                text=True,
                check=False,
            )
        log = directory / "build.log"
        write_whole(log, done.stdout + done.stderr)
        if done.returncode or not executable.exists():
            raise failure("Verilator", log, "no executable")
        keep_library(directory, kind)
        (directory / "done").touch()
    return executable


def run_driver(
    network: Network,
    traffic: Traffic,
    packets: Packets,
    *,
    clocks: int,
    beat_bits: int = 0,
    level: str = "-O2",
    coverage: Path | None = None,
) -> DriverLog:
    """Run the Verilog on the packets for so many clocks.

    Parameters
    ----------
    beat_bits : int
        Bits of every payload that hold the beat's number in its packet; the packet's is above them.
    level : str
        As of `build_driver`.
    coverage : Path or None
        File for what Verilator counts.

    Raises
    ------
    ToolError
        The simulator could not be built, or did not come to its end.
    """
    executable = build_driver(network, level=level, coverage=coverage is not None)
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        job, log = Path(folder) / "job", Path(folder) / "log"
        arrays = _job(network, traffic, packets, clocks, beat_bits)
        job.write_bytes(b"".join(np.ascontiguousarray(part).tobytes() for part in arrays))
        command = [executable, job, log, *([] if coverage is None else [coverage])]
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
        if done.returncode:
            kept = executable.with_name("simulation.log")
            write_whole(kept, done.stdout + done.stderr)
            raise failure("the simulation", kept, f"status {done.returncode}")
        numbers = np.fromfile(log, np.int64)
    accepted = numbers[len(numbers) - network.topology.nodes :]
    rows = numbers[: -len(accepted)].reshape(-1, 5)
    undone = rows[:, 0].astype(np.uint64) * np.uint64(pow(SCRAMBLE, -1, 1 << DATA_WIDTH))
    rows[:, 0] = undone & np.uint64((1 << DATA_WIDTH) - 1)
    is_refusal = rows[:, 2] == _REFUSED
    return DriverLog(*rows[~is_refusal].T, refused=rows[is_refusal][:, [1, 3]], accepted=accepted)


def _job(
    network: Network, traffic: Traffic, packets: Packets, clocks: int, beat_bits: int
) -> list[np.ndarray]:
    """Arrays that driver.cpp reads, in its order."""
    chains = [np.array(packets.chains[number], np.int64) for number in sorted(packets.chains)]
    ends = np.zeros(len(packets), np.int64)
    ends[sorted(packets.chains)] = [len(chain) for chain in chains]
    buddy_width = max(config_widths(network).get("tdata", 0) - 1, 0)
    table = [
        (jump << buddy_width | buddy) << 2 | (place == len(loading.entries) - 1) << 1 | 1
        for loading in packets.loadings
        for place, (jump, buddy) in enumerate(loading.entries)
    ]
    *shares, period = pause_numbers(traffic)
    listed = np.concatenate([np.zeros(0, np.int64), *chains])
    address = address_codes(network, packets)
    return [
        np.array([network.topology.nodes, len(packets), clocks, traffic.seed, period], np.int64),
        np.array(shares, np.uint64),
        np.array([beat_bits, len(listed), len(table)], np.int64),
        packets.first_packet,
        *(address, packets.length, packets.time, packets.user, np.cumsum(ends), listed),
        np.array(table, np.int64),
    ]
