"""`simulate`: a network's traffic through its Verilog, its golden model, or both."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeGuard

from knotwork.builds.beside import beside
from knotwork.designs import read_network
from knotwork.errors import ConfigurationError
from knotwork.files import AnyPath, read_json, write_file
from knotwork.network import Network
from knotwork.progress import report
from knotwork.routing.scheduling.rounds import Round, read_rounds
from knotwork.wording import not_one_of

from ..columns import require_suffix
from ..model.record import Record
from ..model.run import MODELS, run_model
from ..rtl.job import MARGIN, BrokenRun
from ..scoreboard import Mismatch, Scoreboard
from ..scoreboard.score import Score, score
from ..scoreboard.scoreboard import check_record
from ..traffic.keys import Traffic
from ..traffic.make import AnyTraffic, as_traffic, hostile_packets, list_packets, make_packets
from ..traffic.packets import NEVER, Packets
from .compilation_time import note_driver_seconds
from .engines import BOARD_ENGINES, ENGINES, PACKET_TRACES, TRACE_ENGINES, WAVEFORMS
from .links import MOST, Crossings, LinkLoads, require_few
from .memory import require_memory_to_simulate
from .result import FATES, Histogram, Latency, SimulationResult, class_latencies, packet_rows

CYCLES = 40
"""Cycles until the reset."""


def run_before(
    network: Network, traffic: Traffic, packets: Packets, golden: Record | None
) -> BrokenRun:
    """Run of `hostile_packets`, which all nodes still send when the reset comes.

    Where nodes send in batches or in rounds, it is the beginning of the simulation itself.

    Parameters
    ----------
    traffic, packets
        The simulation's.
    golden : Record or None
        What the golden model has seen of them; None if it does not run.
    """
    if network.routing.arrivals != "any_time":
        end = CYCLES if golden is None else min(CYCLES, golden.clocks // 2)
        return BrokenRun(traffic, packets, golden, end)
    hostile = hostile_packets(network, flits=CYCLES, seed=traffic.seed)
    pauses = Traffic(bubble=0.2, stall=0.3, seed=traffic.seed)
    if golden is not None:
        golden = run_model(network, pauses, hostile, clocks=CYCLES)
    return BrokenRun(pauses, hostile, golden, CYCLES)


def split_words(words: Sequence[str]) -> tuple[Network, Traffic]:
    """Network and traffic that ``NET... key=value`` words describe."""
    keys = Traffic.keys()
    of_traffic = [word for word in words if word.partition("=")[0] in keys and "=" in word]
    of_network = [word for word in words if word not in of_traffic]
    network = read_network(of_network, beside=keys)
    return network, Traffic.from_words(of_traffic)


def read_schedule(network: Network, path: AnyPath) -> list[Round]:
    """Rounds in a file that `knotwork schedule --json` wrote.

    Raises
    ------
    ConfigurationError
        A file that cannot be read, rounds that do not fit the network or collide, or a network
        whose packets do not name their path.
    """
    tree = network.routing.level_tree
    if tree is None or network.routing.takes_packets_any_time:
        raise ConfigurationError(
            f"{network.name}: --schedule must be used with routing=scheduled, not "
            f"{network.routing.name}"
        )
    return read_rounds(tree, read_json(path))


def require_counts(network: Network, engine: str, option: str) -> None:
    """Refuse a run in which nothing counts what crosses the links, as an option asks.

    Raises
    ------
    ConfigurationError
        The golden model does not run, or does not count.
    """
    if engine == "rtl":
        raise ConfigurationError(
            f"{option} must be used with --engine model or both, not {engine!r}"
        )
    if not MODELS[network.router_class].counts_crossings:
        raise ConfigurationError(
            f"{network.name}: {option} must be used with packets, batches or deflection, not with "
            f"{network.router_class} routers"
        )


def simulate(
    network: Network,
    traffic: AnyTraffic,
    *,
    engine: str = "both",
    board: str | None = None,
    trace_file: Path | None = None,
    record_file: Path | None = None,
    rounds: Sequence[Round] | None = None,
) -> SimulationResult:
    """Run an engine, or both and compare them.

    Parameters
    ----------
    traffic : Traffic, packets or callable
        Keys; packets, as `PacketList.of` takes them; or a function of the network giving either.
    engine, board : str
        One of `ENGINES`; board for which one of `BOARD_ENGINES` synthesises.
    trace_file : Path or None
        Waveform of the Verilog to write, .vcd or .fst, with a GTKWave save file beside it. With
        an ending of `PACKET_TRACES` nothing is written, and the result has its `crossings`.
    record_file : Path or None
        CSV file to write, with the packets that were offered; ``traffic=replay`` takes it.
    rounds : sequence of Round or None
        Schedule, for a network whose packets name their path.

    Raises
    ------
    ConfigurationError, DeadlockError
        Traffic that the network cannot have, a waveform or a board that no engine uses; a network
        that failed its deadlock check.
    ToolError
        A tool is missing or failed.
    """
    check_engine(engine, board, trace_file)
    if is_of_packets(trace_file):
        require_counts(network, engine, f"--trace *{trace_file.suffix}")
    traffic = as_traffic(network, traffic)
    if engine != "rtl":
        require_memory_to_simulate(network, traffic)
    network.require_deadlock_free()
    packets = make_packets(network, traffic, rounds=rounds)
    if record_file is not None:
        list_packets(network, packets)  # refused before anything runs
    model, judged = _run(
        network, traffic, packets, engine=engine, board=board, trace_file=trace_file
    )
    fates = score(network, packets, judged, None if judged is model else model)
    if record_file is not None:
        write_file(record_file, list_packets(network, packets, fates.time).text())
    return SimulationResult(
        engine=engine,
        board=board,
        network=network.name,
        **_found(fates),
        **_details(network, packets, judged, fates, model),
        has_network_cycles=network.routing.has_network_cycles,
        network_cycles=None if model is None else model.network_cycles,
        seed=traffic.seed,
        **_traced(network, packets, model, trace_file),
    )


def _model_fault(network: Network, packets: Packets, record: Record, fates: Score) -> str | None:
    """What a scoreboard finds wrong in a run of the golden model, in words.

    It is asked only where packets have other fates than they should: a run may have millions.
    """
    if fates.is_faultless:
        return None
    scoreboard = Scoreboard(network)
    scoreboard.expect_packets(packets)
    try:
        check_record(scoreboard, record)
    except Mismatch as found:
        return str(found)
    return None


def _found(fates: Score) -> dict[str, Any]:
    """Members of a result that follow from the packets' fates."""
    return {
        **{name: getattr(fates, name) for name in FATES},
        "cycles": fates.cycles,
        "latency": Latency.of(fates.latency),
        "round_trip": Latency.of(fates.round_trip) if len(fates.round_trip) else None,
        "throughput": fates.throughput,
        "mismatches": fates.mismatches,
    }


def _traced(
    network: Network, packets: Packets, model: Record | None, trace_file: Path | None
) -> dict[str, Any]:
    """Members of a result that name a waveform, or that a trace of packets is made of."""
    if trace_file is None:
        return {}
    if is_of_packets(trace_file):
        return {"crossings": None if model is None else Crossings.of(network, packets, model)}
    from ..rtl.waveform import write_save_file

    return {"trace": trace_file, "save_file": write_save_file(network, trace_file)}


def _details(
    network: Network, packets: Packets, judged: Record, fates: Score, model: Record | None
) -> dict[str, Any]:
    """Members of a result that tell more than a number each."""
    counted = None if model is None else model.tally
    links = None if counted is None else LinkLoads.of(network, counted, fates.cycles)
    return {
        "latency_histogram": Histogram.of(fates.latency),
        "links": links,
        "packets": packet_rows(network, packets, judged, fates, counted),
        "classes": class_latencies(network, packets, model or judged, fates),
        "first_fault": (
            _model_fault(network, packets, judged, fates) if judged is model else judged.mismatch
        ),
    }


def is_of_packets(trace_file: Path | None) -> TypeGuard[Path]:
    """Whether a trace is one of packets, not a waveform."""
    return trace_file is not None and trace_file.suffix in PACKET_TRACES


def check_engine(engine: str, board: str | None, trace_file: Path | None) -> None:
    """Refuse an unknown engine, a board that is missing or unused, a waveform that none writes."""
    if engine not in ENGINES:
        raise ConfigurationError(not_one_of("engine", ENGINES, engine))
    if engine in BOARD_ENGINES and board is None:
        raise ConfigurationError(
            f"--engine {engine} must be used with --board NAME, one that `knotwork boards` lists"
        )
    if engine not in BOARD_ENGINES and board is not None:
        raise ConfigurationError(
            f"--board must be used with --engine {' or '.join(BOARD_ENGINES)}, not {engine!r}"
        )
    if trace_file is None or is_of_packets(trace_file):
        return
    require_suffix(trace_file, "a trace", (*WAVEFORMS, *PACKET_TRACES))
    if engine not in TRACE_ENGINES:
        ways = " or ".join(TRACE_ENGINES)
        raise ConfigurationError(f"--trace must be used with --engine {ways}, not {engine!r}")
    from ..rtl.waveform import check_trace

    check_trace(trace_file)


def _run(
    network: Network,
    traffic: Traffic,
    packets: Packets,
    *,
    engine: str,
    board: str | None,
    trace_file: Path | None,
) -> tuple[Record | None, Record]:
    """Records of the golden model, None where it does not run, and of the engine that is judged.

    The golden model notes every crossing for a trace of packets.

    Raises
    ------
    ConfigurationError
        More crossings are to be noted than there is room for.
    """
    notes = is_of_packets(trace_file)

    def golden() -> Record | None:
        if engine == "rtl":
            return None
        model = run_model(network, traffic, packets, counts=True, event_limit=MOST if notes else 0)
        if notes:
            require_few(model)
        return model

    if engine == "model":
        model = golden()
        assert model is not None
        return model, model
    if board is not None or (trace_file is not None and not notes):
        model = golden()
        return model, _run_in_cocotb(
            network, traffic, packets, model, trace_file=None if notes else trace_file, board=board
        )
    return _run_driver(network, traffic, packets, golden)


SHOWN_SECONDS = 0.5
"""Seconds for which the Verilog must be compiled still when the model's answer is shown before."""


def _run_driver(
    network: Network, traffic: Traffic, packets: Packets, golden: Callable[[], Record | None]
) -> tuple[Record | None, Record]:
    """Compile the Verilog while the golden model runs, and run it."""
    from ..rtl import driver

    program = driver.quickest_program(network, _expected_cycles(packets))
    is_usual, began = program.has_library and not program.is_built, time.monotonic()

    def note(build: Future[Path]) -> None:
        if is_usual and build.exception() is None:
            note_driver_seconds(network, time.monotonic() - began)

    with beside(program.build) as build:
        build.add_done_callback(note)
        model = golden()
        if model is not None and not wait([build], timeout=SHOWN_SECONDS).done:
            fates = score(network, packets, model)
            report(
                f"the golden model of {network.name} has delivered {fates.delivered:,} of "
                f"{fates.injected:,} packets in {fates.cycles:,} cycles, mean latency "
                f"{Latency.of(fates.latency).mean}; the Verilog is still being compiled"
            )
        before = run_before(network, traffic, packets, model)
        executable = build.result()
    record = driver.drive(
        network, traffic, packets, executable=executable, golden=model, before=before
    )
    return model, record


def _expected_cycles(packets: Packets) -> int:
    """Cycles that a run takes, about: those in which packets are created, and then some."""
    created = packets.time[packets.time < NEVER]
    flits, nodes = int(packets.due.sum()), len(packets.first_packet) - 1
    return int(created.max(initial=0)) + flits // nodes + MARGIN


def _run_in_cocotb(
    network: Network,
    traffic: Traffic,
    packets: Packets,
    golden: Record | None,
    *,
    trace_file: Path | None,
    board: str | None,
) -> Record:
    """Run the Verilog under cocotb for a waveform, or its netlist.

    Its cycles are judged where the golden model has run.
    """
    from ..rtl.cocotb_run import build_rtl, run_rtl
    from ..rtl.netlists import build_netlist
    from ..rtl.waveform import check_trace, complete_trace

    with complete_trace(trace_file) if trace_file else nullcontext() as partial:
        trace = check_trace(trace_file) if trace_file else None
        if board is None:
            simulator = build_rtl(network, trace=trace)
        else:
            simulator = build_netlist(network, board)
        return run_rtl(
            network,
            traffic,
            packets,
            golden=golden,
            before=run_before(network, traffic, packets, golden),
            simulator=simulator,
            trace_file=partial,
        )
