"""Runs of the emitted Verilog under cocotb and Verilator."""

import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from knotwork.builds.folders import work_folder
from knotwork.emit import network_verilog
from knotwork.emit.ports import config_widths, eject_widths, inject_widths
from knotwork.errors import ToolError
from knotwork.network import Network
from knotwork.progress import progress

from ..model.record import Record, patience_with
from ..scoreboard.network_facts import NetworkFacts
from ..traffic.keys import Traffic
from ..traffic.packets import Packets, address_codes
from ..traffic.replies import Receiver
from .job import JOB_VARIABLE, Job
from .verilator import Simulator, build_simulator
from .wrapper import TOP, wrapper_verilog

BLOCK_LINES = 6_000
"""Lines of Verilog that a block must save: as many, compiled flat, cost what a block costs."""
BLOCK_NAME = 100
"""Longest name of a block. Of a longer one Verilator shortens the names of its functions where it
calls them, and not where it defines them."""


def build_rtl(network: Network, *, trace: str | None = None) -> Simulator:
    """Compiled simulator of a network's Verilog within its wrapper."""
    verilog = network_verilog(network)
    sources = {f"{network.name}.v": verilog, "testbench.v": wrapper_verilog(network)}
    # A waveform should show the inside of the routers.
    blocks = () if trace else router_blocks(network, verilog)
    return build_simulator(sources, TOP, trace=trace, blocks=blocks)


def router_blocks(network: Network, verilog: str) -> tuple[str, ...]:
    """Router modules that are worth a block: placed often enough for their size.

    Parameters
    ----------
    verilog : str
        The network's Verilog, in which `network_verilog` puts one kind of router after another,
        before all else.
    """
    names = [kind.name for kind in network.router_kinds]
    # The modules of a kind end with its own.
    own = [re.search(rf"^module {name} *\(", verilog, re.MULTILINE) for name in names]
    ends = [verilog.index("\nendmodule", found.start()) for found in own if found]
    lines = np.diff([0, *(verilog.count("\n", 0, end) for end in ends)])
    placed = np.bincount(network.router_number, minlength=len(names))
    spared = ((placed - 1) * lines).tolist()
    return tuple(
        name
        for name, many in zip(names, spared, strict=True)
        if many >= BLOCK_LINES and len(name) <= BLOCK_NAME
    )


def _jump_table_width(network: Network) -> int:
    """Bits of a buddy in a jump table; 0 where there is none."""
    return max(config_widths(network).get("tdata", 0) - 1, 0)


class BrokenRun(NamedTuple):
    """Run that a reset breaks off.

    Members
    -------
    traffic, packets
        As of `run_rtl`.
    golden : Record or None
        What the golden model has seen of it; None where cycles are not judged.
    cycles : int
        Cycles until the reset.
    """

    traffic: Traffic
    packets: Packets
    golden: Record | None
    cycles: int


def make_job(
    network: Network,
    traffic: Traffic,
    packets: Packets,
    work: Path,
    *,
    golden: Record | None = None,
) -> Job:
    """Job of these packets, which leaves its record and its progress in `work`.

    `golden` is the golden model's record, if cycles are judged.
    """
    return Job(
        addresses=address_codes(network, packets),
        address_width=network.topology.address_width,
        data_width=network.hardware.data_width,
        user_width=inject_widths(network).get("tuser", 0),
        flag_width=eject_widths(network).get("tuser", 0),
        has_source="tid" in eject_widths(network),
        buddy_width=0 if network.loads_tables else _jump_table_width(network),
        traffic=traffic,
        packets=packets,
        record=work / "record",
        progress=work / "progress",
        patience=patience_with(network),
        receiver=Receiver.of(network, packets),
        facts=NetworkFacts.of(network),
        golden=golden,
    )


def run_rtl(
    network: Network,
    traffic: Traffic,
    packets: Packets,
    *,
    golden: Record | None = None,
    before: BrokenRun | None = None,
    simulator: Simulator | None = None,
    trace_file: Path | None = None,
) -> Record:
    """Run the Verilog on the packets; `run_model` does the same with the golden model.

    The cocotb test fails where the Verilog is wrong, and the record's `mismatch` says how.

    Parameters
    ----------
    golden : Record or None
        The golden model's record, with which the test compares all cycles.
    before : BrokenRun or None
        What runs first, until a reset of one cycle.
    simulator : Simulator or None
        Result of `build_rtl`; built here if None.
    trace_file : Path or None
        Waveform to write; `simulator` must have been built for its format.

    Raises
    ------
    ToolError
        The simulation did not finish, or its test failed for another reason than the Verilog.
    """
    simulator = simulator or build_rtl(network)
    with (
        work_folder() as work,
        progress("simulating", total=int(packets.due.sum()), unit="flits") as task,
    ):
        job = make_job(network, traffic, packets, work, golden=golden)
        if before is not None:
            first = make_job(network, before.traffic, before.packets, work, golden=before.golden)
            job = replace(job, before=replace(first, until=before.cycles))
        (work / "job").write_bytes(pickle.dumps(job))
        environment = {JOB_VARIABLE: str(work / "job")}
        trace = trace_file.absolute() if trace_file else None

        def read_progress() -> None:  # the testbench rewrites the file every 256 cycles
            if job.progress.exists():
                task.done = max(task.done, int(job.progress.read_text() or 0))

        try:
            simulator.run(
                "knotwork_sim.rtl.cocotb_test",
                work,
                environment=environment,
                trace_file=trace,
                while_running=read_progress,
            )
        except ToolError:
            found = _read(job.record)
            if found is None or found.mismatch is None:
                raise
            return found
        return pickle.loads(job.record.read_bytes())


def _read(path: Path) -> Record | None:
    """Record of a run, if it came to its end."""
    return pickle.loads(path.read_bytes()) if path.exists() else None
