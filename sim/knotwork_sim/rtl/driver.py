"""Long runs of the emitted Verilog by the compiled C++ driver: no Python runs in any cycle."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from knotwork.builds.compilation import failure, run_process
from knotwork.builds.folders import work_folder
from knotwork.emit import network_verilog
from knotwork.emit.ports import config_widths, eject_widths, has_config, inject_widths
from knotwork.files import write_file
from knotwork.network import Network

from ..traffic.endpoints import pause_numbers
from ..traffic.keys import Traffic
from ..traffic.packets import Packets, address_codes
from .verilator import build_executable, compiled_sources
from .wrapper import wrapper_verilog

DATA_WIDTH = 32
"""Payload bits of the network that is run; its beats carry the numbers of their packets."""

SCRAMBLE = 0x9E3779B1
"""Odd number by which payloads are multiplied, modulo 2^32, so that all their bits change."""

_REFUSED = 2  # what a refusal has in the place of `last`, in driver.cpp too


class DriverLog(NamedTuple):
    """What the nodes saw, in order of cycle and node; int64 each.

    Members
    -------
    word : ndarray
        Payload of each beat: its packet's number and below it, if that was asked for, the number of
        the beat in the packet.
    clock : ndarray
        Cycle in which the node took the beat.
    last : ndarray
        1 for a packet's last beat.
    node : ndarray
        Node that took the beat.
    source : ndarray
        Address that came with the beat; 0 where packets carry none.
    refused : ndarray
        (cycle, node) of every refused packet, of shape (packets, 2).
    accepted : ndarray
        Number of beats that the network took from each node.
    """

    word: np.ndarray
    clock: np.ndarray
    last: np.ndarray
    node: np.ndarray
    source: np.ndarray
    refused: np.ndarray
    accepted: np.ndarray


def driven_network(network: Network) -> Network:
    """Same network with the payload width that the driver needs; the timing stays the same."""
    if network.hardware.data_width == DATA_WIDTH:
        return network
    return network.changed(data_width=DATA_WIDTH)


def build_driver(network: Network, *, level: str = "-O2", coverage: bool = False) -> Path:
    """Executable that drives a network; one that was compiled before is used again.

    Parameters
    ----------
    level : str
        Optimisation of the compiler: for a run of a few seconds, ``-O1`` is done first.
    coverage : bool
        Whether to count the lines and toggles of the Verilog.

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
    """Run the Verilog on the packets for so many cycles.

    Parameters
    ----------
    clocks : int
        Cycles to run.
    beat_bits : int
        Low bits of every payload that hold the beat's number in its packet; the packet's number
        stands above them.
    level : str
        Optimisation of the compiler, as in `build_driver`.
    coverage : Path or None
        File for Verilator's counts of lines and toggles.

    Raises
    ------
    ToolError
        The simulator could not be built, or did not come to its end.
    """
    executable = build_driver(network, level=level, coverage=coverage is not None)
    with work_folder() as folder:
        job, log = folder / "job", folder / "log"
        arrays = _job(network, traffic, packets, clocks, beat_bits)
        job.write_bytes(b"".join(np.ascontiguousarray(part).tobytes() for part in arrays))
        command = [executable, job, log, *([] if coverage is None else [coverage])]
        kept = executable.with_name("simulation.log")
        try:
            done = run_process(command)
        except OSError as error:
            write_file(kept, f"error: {error.strerror}\n")
            raise failure("the simulation", kept, error) from None
        if done.returncode:
            write_file(kept, done.stdout)
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
    """Arrays in the order in which driver.cpp reads them."""
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
