"""Long runs of the emitted Verilog: Verilator and a compiled driver, no Python in any clock."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from knotwork.emit import network_verilog
from knotwork.errors import ToolError
from knotwork.files import write_whole
from knotwork.network import Network

from .endpoints import PERIOD
from .packets import Packets
from .testbench import TOP, testbench_verilog
from .traffic import Traffic
from .verilator import (
    cache_directory,
    digest,
    failure,
    keep_library,
    library,
    locked,
    tool_environment,
)

DATA_WIDTH = 32
"""Payload bits of the network that is run: its beats carry the numbers of their packets."""

_KIND = "driver"  # of Verilator's library


class DriverLog(NamedTuple):
    """What the nodes saw, in order of clock and node; int64 each.

    Members
    -------
    packet, clock, last, node : ndarray
        Packet of each beat, clock in which a node took it, 1 for a packet's last beat, and node.
    """

    packet: np.ndarray
    clock: np.ndarray
    last: np.ndarray
    node: np.ndarray


def driven_network(network: Network) -> Network:
    """Network with the payload that the driver needs; that changes no clock."""
    parameters = network.parameters | {"data_width": DATA_WIDTH}
    return Network.from_texts(network.topology.name, parameters)


def build_driver(network: Network) -> Path:
    """Executable of a network within its testbench; one that was compiled before is used again.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler is missing or failed; names the log.
    """
    driven = driven_network(network)
    source = Path(__file__).with_name("driver.cpp").read_text(encoding="utf-8")
    sources = {
        f"{driven.name}.v": network_verilog(driven),
        "testbench.v": testbench_verilog(driven),
        "driver.cpp": source,
    }
    options = [
        *("--cc", "--exe", "--build", "-j", "0", "-O3", "-Wno-fatal", "--output-split", "20000"),
        *("--top-module", TOP, "-Mdir", "."),
        *("-CFLAGS", f"-O2 -DKNOTWORK_DATA_WIDTH={DATA_WIDTH}"),
        *("-CFLAGS", f"-DKNOTWORK_ADDRESS_WIDTH={driven.topology.address_width}"),
    ]
    directory = cache_directory() / f"driver-{digest(sorted(sources.items()), options)}"
    executable = directory / f"V{TOP}"
    with locked(directory):
        if (directory / "done").exists():
            return executable
        if shutil.which("c++") is None:
            raise ToolError("a C++ compiler must be installed as c++ (Debian: apt install g++)")
        for name, text in sources.items():
            write_whole(directory / name, text)
        for path in library(_KIND).glob("*.o"):
            shutil.copy(path, directory)
        with tool_environment():
            done = subprocess.run(
                ["verilator", *options, *sources],
                cwd=directory,
                capture_output=True,
                text=True,
                check=False,
            )
        log = directory / "build.log"
        write_whole(log, done.stdout + done.stderr)
        if done.returncode or not executable.exists():
            raise failure("Verilator", log, "no executable")
        keep_library(directory, _KIND)
        (directory / "done").touch()
    return executable


def run_driver(network: Network, traffic: Traffic, packets: Packets, *, clocks: int) -> DriverLog:
    """Run the Verilog on the packets for so many clocks.

    Raises
    ------
    ToolError
        The simulator could not be built, or did not come to its end.
    """
    executable = build_driver(network)
    codes = np.array([network.topology.address(i) for i in range(network.topology.nodes)], np.int64)
    shares = [np.uint64(int(share * 2**64)) for share in (traffic.bubble, traffic.stall)]
    period = PERIOD if traffic.pauses == "changing" else 0
    head = [network.topology.nodes, len(packets), clocks, traffic.seed, period]
    arrays = [np.array(head, np.int64), np.array(shares, np.uint64), packets.first_packet]
    arrays += [codes[packets.destination], packets.length, packets.time]
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        job, log = Path(folder) / "job", Path(folder) / "log"
        job.write_bytes(b"".join(np.ascontiguousarray(part).tobytes() for part in arrays))
        done = subprocess.run(
            [executable, job, log], capture_output=True, text=True, errors="replace", check=False
        )
        if done.returncode:
            kept = executable.with_name("simulation.log")
            write_whole(kept, done.stdout + done.stderr)
            raise failure("the simulation", kept, f"status {done.returncode}")
        rows = np.fromfile(log, np.int64).reshape(-1, 4)
    return DriverLog(*rows.T)
