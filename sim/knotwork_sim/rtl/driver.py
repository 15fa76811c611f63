"""Runs of the emitted Verilog by the compiled C++ driver: no Python runs in any cycle."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from knotwork.builds.compilation import failure, keep_log, run_process
from knotwork.builds.folders import work_folder
from knotwork.emit import network_verilog
from knotwork.emit.ports import (
    config_widths,
    eject_widths,
    has_config,
    inject_widths,
    status_width,
)
from knotwork.network import Network
from knotwork.progress import Task, progress

from ..model.record import Record, patience_with
from ..scoreboard.exact_cycles import beats_of
from ..scoreboard.network_facts import NetworkFacts
from ..scoreboard.scoreboard import RunChecker
from ..traffic.endpoints import make_endpoints, pause_numbers
from ..traffic.keys import Traffic
from ..traffic.packets import Packets, address_codes
from ..traffic.replies import Receiver
from .job import MARGIN, BrokenRun
from .programs import Program, compiled_sources, program_of, router_blocks, router_lines
from .wrapper import jump_table_width, wrapper_verilog

DATA_WIDTH = 32
"""Payload bits of the network that `run_driver` runs; its beats carry the packets' numbers."""

SCRAMBLE = 0x9E3779B1
"""Odd number by which those payloads are multiplied, modulo 2^32, so that all their bits change."""

_REFUSAL, _STATUS = 2, 3  # what a row has in the place of `last` if it is no beat
_COLUMNS = 5  # of a row, before the data of its beat


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
    """Same network with the payload width that `run_driver` needs; the timing stays the same."""
    if network.hardware.data_width == DATA_WIDTH:
        return network
    return network.changed(data_width=DATA_WIDTH)


def driver_program(
    network: Network,
    *,
    level: str = "-O2",
    blocks: bool = False,
    asserts: bool = False,
    coverage: bool = False,
) -> Program:
    """Program that drives a network.

    Parameters
    ----------
    level : str
        Optimisation of the compiler: for a run of a few seconds, ``-O1`` is done first.
    blocks : bool
        Whether a router that is placed several times is compiled once: done first, but slower.
    asserts : bool
        Whether a failed assertion in the Verilog ends a run.
    coverage : bool
        Whether to count the lines and toggles of the Verilog.
    """
    verilog = network_verilog(network)
    return _program(
        network,
        verilog,
        level=level,
        blocks=router_blocks(network, verilog) if blocks else (),
        asserts=asserts,
        coverage=coverage,
    )


def build_driver(network: Network, *, level: str = "-O2", coverage: bool = False) -> Path:
    """Executable of `driver_program`; if it was built before, that one.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler is missing or failed; names the log.
    """
    return driver_program(network, level=level, coverage=coverage).build()


def _program(network: Network, verilog: str, **options: Any) -> Program:
    sources = {
        f"{network.name}.v": verilog,
        "testbench.v": wrapper_verilog(network, public=False),
        **compiled_sources("driver.cpp"),
    }
    return program_of(
        sources,
        **options,
        KNOTWORK_DATA_WIDTH=network.hardware.data_width,
        KNOTWORK_ADDRESS_WIDTH=network.topology.address_width,
        KNOTWORK_USER_WIDTH=inject_widths(network).get("tuser", 0),
        KNOTWORK_FLAG_WIDTH=eject_widths(network).get("tuser", 0),
        KNOTWORK_HAS_SOURCE=int("tid" in eject_widths(network)),
        KNOTWORK_CONFIG_WIDTH=2 + config_widths(network)["tdata"] if has_config(network) else 0,
        KNOTWORK_STATUS_WIDTH=status_width(network),
    )


class _Choice(NamedTuple):
    """Way to compile a network, and what it costs.

    Members
    -------
    level : str
        Optimisation of the compiler.
    blocks : bool
        Whether a router that is placed several times is compiled once.
    build : float
        Seconds per line of Verilog that is compiled.
    run : float
        Seconds per line that is placed, and cycle.
    """

    level: str
    blocks: bool
    build: float
    run: float


# Measured on a core; what takes longer to build is faster. Between blocks nothing is optimised.
_CHOICES = (
    _Choice("-O0", blocks=True, build=1.2e-3, run=4e-9),
    _Choice("-O1", blocks=True, build=2.4e-3, run=1e-9),
    _Choice("-O1", blocks=False, build=1.2e-3, run=0.4e-9),
)


def quickest_program(network: Network, cycles: float) -> Program:
    """Program with assertions that drives a network for so many cycles, built and run first.

    One that runs faster is taken if it was built before.
    """
    verilog = network_verilog(network)
    blocks = router_blocks(network, verilog)
    lines, placed = router_lines(network, verilog)
    is_block = np.array([kind.name in blocks for kind in network.router_kinds])
    flat = int((lines * placed).sum())
    once = int((lines * np.where(is_block, 1, placed)).sum())

    def seconds(choice: _Choice) -> float:
        return choice.build * (once if choice.blocks else flat) + choice.run * flat * cycles

    chosen = min(_CHOICES, key=seconds)
    programs = [
        _program(
            network,
            verilog,
            level=choice.level,
            blocks=blocks if choice.blocks else (),
            asserts=True,
        )
        for choice in reversed(_CHOICES)
        if choice.run <= chosen.run
    ]
    return next((each for each in programs if each.is_built), programs[-1])


def drive(
    network: Network,
    traffic: Traffic,
    packets: Packets,
    *,
    executable: Path,
    golden: Record | None = None,
    before: BrokenRun | None = None,
) -> Record:
    """Run the Verilog on the packets, as `cocotb_run.run_rtl` does with cocotb's testbench.

    Where the Verilog is wrong, the record's `mismatch` says how.

    Parameters
    ----------
    executable : Path
        Result of `build_driver`, with assertions.
    golden : Record or None
        The golden model's record, with which all cycles are compared.
    before : BrokenRun or None
        What runs first, until a reset of one cycle.

    Raises
    ------
    ToolError
        The simulation did not come to its end, as after a failed assertion.
    """
    first = [] if before is None else [_Run(before.traffic, before.packets, before.cycles)]
    runs = [*first, _Run(traffic, packets)]
    width = network.hardware.data_width
    words = [run.packets.words(width) for run in runs]
    with progress("simulating", total=int(packets.due.sum()), unit="flits") as task:
        *earlier, log = _run_program(executable, network, runs, words, task=task)
    facts, record = NetworkFacts.of(network), _record(log)
    checker = RunChecker(facts, packets, golden)
    if before is not None:
        interrupted = RunChecker(facts, before.packets, before.golden)
        _check_cycles(interrupted, _record(earlier[0]))
        checker.take_over(interrupted)
    _check_cycles(checker, record)
    checker.end(log.injected)
    wrong = checker.mismatch
    return record if wrong is None else replace(record, mismatch=str(wrong))


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
    """Run the Verilog on the packets for so many cycles; beats carry the packets' numbers.

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
    driven = driven_network(network)
    executable = build_driver(driven, level=level, coverage=coverage is not None)
    words = _numbers_of_beats(packets, beat_bits)
    runs = [_Run(traffic, packets, clocks)]
    (log,) = _run_program(executable, driven, runs, [words], coverage=coverage)
    clock, node, source, kind = log.rows[:, :4].T
    undone = log.rows[:, _COLUMNS].astype(np.uint64) * np.uint64(pow(SCRAMBLE, -1, 1 << DATA_WIDTH))
    word = (undone & np.uint64((1 << DATA_WIDTH) - 1)).astype(np.int64)
    columns = (word, clock, kind, node, source)
    return DriverLog(
        *(column[kind < _REFUSAL] for column in columns),
        refused=log.rows[kind == _REFUSAL, :2],
        accepted=log.accepted,
    )


def _numbers_of_beats(packets: Packets, beat_bits: int) -> np.ndarray:
    """Payloads that hold the numbers of packets and beats; those of a chain are its addresses."""
    number = np.repeat(np.arange(len(packets)), packets.length)
    beat = np.arange(len(number)) - packets.first_flit[number]
    value = number << beat_bits | beat & ((1 << beat_bits) - 1)
    words = value.astype(np.uint64) * np.uint64(SCRAMBLE) & np.uint64((1 << DATA_WIDTH) - 1)
    for multicast, chain in packets.chains.items():
        first, length = packets.first_flit[multicast], int(packets.length[multicast])
        taken = min(len(chain), length)
        words[first : first + taken] = chain[:taken]
    return words.reshape(-1, 1)


class _Run(NamedTuple):
    """Run of a job, until a cycle or until all is delivered."""

    traffic: Traffic
    packets: Packets
    until: int | None = None


class _Log(NamedTuple):
    """What driver.cpp wrote of a run.

    Members
    -------
    rows : ndarray
        What nodes saw: cycle, node, source, last or another kind, flags, data; int64.
    injected : ndarray
        Cycle in which the network took the first beat of each packet, -1 if never.
    accepted : ndarray
        Beats that the network took from each node.
    cycles : int
        Cycles that the run took.
    """

    rows: np.ndarray
    injected: np.ndarray
    accepted: np.ndarray
    cycles: int


def _run_program(
    executable: Path,
    network: Network,
    runs: Sequence[_Run],
    words: Sequence[np.ndarray],
    *,
    task: Task | None = None,
    coverage: Path | None = None,
) -> list[_Log]:
    """Run the driver; `words` are the payloads of each run's beats.

    Raises
    ------
    ToolError
        It did not come to its end.
    """
    columns = _COLUMNS + words[0].shape[1]
    with work_folder() as folder:
        job, logs = folder / "job", [folder / f"log{place}" for place in range(len(runs))]
        with job.open("wb") as file:
            write_list(file, np.zeros(len(runs), np.int64))
            for run, payloads in zip(runs, words, strict=True):
                for each in _lists(network, run, payloads):
                    write_list(file, each)

        def read_progress() -> None:
            if task is not None and logs[-1].exists():
                rows = logs[-1].stat().st_size // (8 * columns)
                task.done = min(rows, task.total or rows)

        command = [executable, job, *logs, *([] if coverage is None else [coverage])]
        try:
            done = run_process(command, while_running=read_progress)
        except OSError as error:
            log = keep_log(executable.parent, f"error: {error.strerror}\n".encode())
            raise failure("the simulation", log, error) from None
        if done.returncode:
            log = keep_log(executable.parent, done.stdout)
            raise failure("the simulation", log, f"status {done.returncode}")
        found = [np.fromfile(log, np.int64) for log in logs]
    return [_split(numbers, run.packets, columns) for numbers, run in zip(found, runs, strict=True)]


def write_list(file: BinaryIO, numbers: np.ndarray) -> None:
    """Write a list as driver.cpp reads it: its length, and its numbers."""
    np.int64(numbers.size).tofile(file)
    numbers.tofile(file)


def _split(numbers: np.ndarray, packets: Packets, columns: int) -> _Log:
    """Log of a run: rows, and behind them what the sources saw."""
    nodes, count = len(packets.first_packet) - 1, len(packets)
    rows, sources = np.split(numbers, [len(numbers) - count - nodes - 1])
    return _Log(rows.reshape(-1, columns), sources[:count], sources[count:-1], int(sources[-1]))


def _lists(network: Network, run: _Run, words: np.ndarray) -> list[np.ndarray]:
    """Lists of a run, in the order in which driver.cpp reads them."""
    traffic, packets = run.traffic, run.packets
    bubble, stall, period = pause_numbers(traffic)
    buddy_width = jump_table_width(network)
    head = [
        *(len(packets.first_packet) - 1, -1 if run.until is None else run.until),
        *(patience_with(network), MARGIN, traffic.seed, period),
        *(packets.due.sum(), packets.refused.sum(), buddy_width > 0, bubble, stall),
    ]
    has_copies = packets.refused | packets.multicast | packets.broadcast
    table = [
        (
            (jump << buddy_width | buddy) << 2 | (place == len(loading.entries) - 1) << 1 | 1,
            loading.time if place == 0 else 0,
        )
        for loading in packets.loadings
        for place, (jump, buddy) in enumerate(loading.entries)
    ]
    return [
        np.array([int(each) % (1 << 64) for each in head], np.uint64),
        *(packets.first_packet, address_codes(network, packets), packets.length, packets.time),
        *(packets.user, np.where(has_copies, packets.due, -1), packets.first_flit, words),
        *np.array(table, np.int64).reshape(-1, 2).T,
        *_reply_lists(network, packets, traffic),
    ]


def _reply_lists(network: Network, packets: Packets, traffic: Traffic) -> list[np.ndarray]:
    """Lists of the replies; empty where there are none."""
    queues, nodes = make_endpoints(packets, traffic).queues, len(packets.first_packet) - 1
    return [
        *(queues.last_request, queues.flow, queues.service, queues.next_reply, queues.last_reply),
        *Receiver.of(network, packets).sorted_flows(nodes),
    ]


def _record(log: _Log) -> Record:
    """Record of a run, without a verdict."""
    kind = log.rows[:, 3]
    beats, changes = log.rows[kind < _REFUSAL], log.rows[kind == _STATUS]
    clock, node, source, last, user = beats[:, :_COLUMNS].T
    return Record(
        clock=clock,
        node=node,
        source=source,
        last=last,
        user=user,
        data=beats[:, _COLUMNS:].astype(np.uint64),
        refused=log.rows[kind == _REFUSAL, :2],
        clocks=log.cycles,
        injected=log.injected,
        status=changes[:, [0, 2]],
    )


def _check_cycles(checker: RunChecker, record: Record) -> None:
    """Check what a record says, cycle by cycle."""
    columns = record.clock, record.refused[:, 0], record.status[:, 0]
    cycles = np.arange(record.clocks + 1)
    beats, refused, status = beats_of(record), _pairs(record.refused), _pairs(record.status)
    ends = zip(*(np.searchsorted(column, cycles).tolist() for column in columns), strict=True)
    for cycle, (begin, end) in enumerate(itertools.pairwise(ends)):
        checker.cycle(
            cycle,
            beats[begin[0] : end[0]],
            refused[begin[1] : end[1]],
            status[begin[2] : end[2]],
        )


def _pairs(rows: np.ndarray) -> list[tuple[int, int]]:
    return [(one, other) for one, other in rows.tolist()]
