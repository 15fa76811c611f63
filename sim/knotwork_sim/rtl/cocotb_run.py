"""Runs of the emitted Verilog under cocotb and Verilator."""

import pickle
from dataclasses import replace
from pathlib import Path

from knotwork.builds.folders import work_folder
from knotwork.emit import network_verilog
from knotwork.emit.ports import eject_widths, inject_widths
from knotwork.errors import ToolError
from knotwork.network import Network
from knotwork.progress import progress

from ..model.record import Record, patience_with
from ..scoreboard.network_facts import NetworkFacts
from ..traffic.keys import Traffic
from ..traffic.packets import Packets, address_codes
from ..traffic.replies import Receiver
from .job import JOB_VARIABLE, BrokenRun, Job
from .programs import router_blocks
from .verilator import Simulator, build_simulator
from .wrapper import TOP, jump_table_width, wrapper_verilog

BLOCK_LINES = 6_000
"""As `programs.BLOCK_LINES`, where Verilator's makefile compiles each block apart."""


def build_rtl(network: Network, *, trace: str | None = None) -> Simulator:
    """Compiled simulator of a network's Verilog within its wrapper."""
    verilog = network_verilog(network)
    sources = {f"{network.name}.v": verilog, "testbench.v": wrapper_verilog(network)}
    # A waveform should show the inside of the routers.
    blocks = () if trace else router_blocks(network, verilog, BLOCK_LINES)
    return build_simulator(sources, TOP, trace=trace, blocks=blocks)


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
        buddy_width=jump_table_width(network),
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
            read_progress()  # a run may end before it was first looked at
        except ToolError:
            found = _read(job.record)
            if found is None or found.mismatch is None:
                raise
            return found
        return pickle.loads(job.record.read_bytes())


def _read(path: Path) -> Record | None:
    """Record of a run, if it came to its end."""
    return pickle.loads(path.read_bytes()) if path.exists() else None
