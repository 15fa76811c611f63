"""`simulate`: a network's traffic through its Verilog, its golden model, or both."""

import dataclasses
import json
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.lcan import Scheduled
from knotwork.routing.scheduling.replay import read_rounds
from knotwork.routing.scheduling.rounds import Round
from rich.console import Console
from rich.progress import Progress

from ..model.record import Record
from ..model.run import ENGINES, run_model
from ..rtl.waveform import check_trace, whole_trace, write_save_file
from ..traffic.packets import Packets
from ..traffic.traffic import Traffic, make_packets
from .memory import require_memory_to_simulate
from .score import half_width_95, mismatches, score


def split_words(words: Sequence[str]) -> tuple[Network, Traffic]:
    """Network and traffic of ``NET... key=value`` words; traffic has keys of its own."""
    keys = Traffic.keys()
    of_traffic = [word for word in words if word.partition("=")[0] in keys and "=" in word]
    network = Network.from_words([word for word in words if word not in of_traffic])
    return network, Traffic.from_words(of_traffic)


def read_schedule(network: Network, path: Path) -> list[Round]:
    """Rounds that a file of `knotwork schedule --json` tells.

    Raises
    ------
    ConfigurationError
        A file that cannot be read, rounds that do not fit the network or collide, or a network
        whose packets do not say their way.
    """
    if not isinstance(network.routing, Scheduled):
        raise ConfigurationError(
            f"{network.name}: --schedule must go with routing=scheduled, not {network.routing.name}"
        )
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path}: must be a readable JSON file: {error}") from None
    return read_rounds(network.routing.topology, told)


def repeat(
    network: Network, traffic: Traffic, *, times: int, engine: str = "both"
) -> dict[str, Any]:
    """Run several simulations, with seeds one after the other, and add up what they gave.

    Counts are sums; `cycles`, `network_cycles` and `throughput` are means, latencies those of the
    means. `network_cycles_ci95` is half the width of the mean's 95 % confidence interval.
    """
    results = [
        simulate(network, dataclasses.replace(traffic, seed=traffic.seed + run), engine=engine)
        for run in range(times)
    ]
    total: dict[str, Any] = dict(results[0])
    for field, value in results[0].items():
        values = [result[field] for result in results]
        if field == "latency":
            total[field] = {
                name: _mean([entry[name] for entry in values]) if name != "max" else None
                for name in value
            }
            known = [entry["max"] for entry in values if entry["max"] is not None]
            total[field]["max"] = max(known, default=None)
        elif field in ("cycles", "network_cycles", "throughput"):
            total[field] = _mean(values)
        elif isinstance(value, int) and field != "seed":
            total[field] = sum(values)
    if total.get("network_cycles") is not None:
        counts = [result["network_cycles"] for result in results]
        total["network_cycles_ci95"] = round(half_width_95(counts), 4)
    return total | {"repeat": times}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(float(np.mean(known)), 4) if known else None


def simulate(
    network: Network,
    traffic: Traffic,
    *,
    engine: str = "both",
    trace_file: Path | None = None,
    rounds: Sequence[Round] | None = None,
) -> dict[str, Any]:
    """Run an engine, or both and compare them.

    Parameters
    ----------
    engine : str
        ``rtl``: the emitted Verilog under cocotb and Verilator; ``model``: the golden model;
        ``both``: each, compared beat by beat.
    trace_file : Path or None
        Waveform (``.vcd``, or ``.fst`` where the machine can) of the Verilog; a GTKWave save file
        is written beside it.
    rounds : sequence of Round or None
        Schedule, for a network whose packets say their way.

    Returns
    -------
    dict
        Fields that ``simulate --json`` promises.

    Raises
    ------
    ConfigurationError
        Traffic that the network cannot have, a waveform without a Verilog run.
    DeadlockError
        The network failed its deadlock check.
    ToolError
        Verilator or the C++ compiler is missing or failed.
    """
    if engine not in ENGINES:
        raise ConfigurationError(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")
    if trace_file is not None and engine == "model":
        raise ConfigurationError(f"--trace must go with --engine rtl or both, not {engine!r}")
    trace = check_trace(trace_file) if trace_file else None
    if engine != "rtl":
        require_memory_to_simulate(network, traffic)
    network.require_deadlock_free()
    packets = make_packets(network, traffic, rounds=rounds)
    model = run_model(network, traffic, packets) if engine != "rtl" else None
    rtl = None
    if engine != "model":
        with whole_trace(trace_file) if trace_file else nullcontext() as partial:
            rtl = _run_rtl(network, traffic, packets, trace, partial)
    judged = rtl if rtl is not None else model
    assert judged is not None
    result: dict[str, Any] = {"engine": engine, "network": network.name}
    result |= score(network, packets, judged).as_json(network.topology.nodes)
    result["mismatches"] = None
    if rtl is not None and model is not None:
        result["mismatches"] = mismatches(rtl, model)
    if network.routing.router == "circuit":
        result["network_cycles"] = model.network_cycles if model is not None else None
    result["seed"] = traffic.seed
    if trace_file is not None:
        result["trace"] = str(trace_file)
        result["save_file"] = str(write_save_file(network, trace_file))
    return result


def faults(result: dict[str, Any]) -> list[str]:
    """Fields of a result that should be 0 and are not."""
    fields = ("lost", "duplicated", "misrouted", "corrupted", "mismatches")
    return [field for field in fields if result[field]]


def _run_rtl(
    network: Network,
    traffic: Traffic,
    packets: Packets,
    trace: str | None,
    trace_file: Path | None,
) -> Record:
    """Run the Verilog, with a progress bar where stderr is a terminal."""
    from ..rtl.cocotb_run import build_rtl, run_rtl

    flits = int(packets.due.sum())
    console = Console(stderr=True)
    with (
        tempfile.TemporaryDirectory(prefix="knotwork-") as folder,
        Progress(console=console, disable=not console.is_terminal, transient=True) as bar,
        ThreadPoolExecutor(1) as pool,
    ):
        counter = Path(folder) / "progress"
        task = bar.add_task("compiling the Verilog", total=None)
        model = pool.submit(build_rtl, network, trace=trace).result()
        bar.update(task, description="simulating", total=flits)
        running = pool.submit(
            run_rtl,
            network,
            traffic,
            packets,
            model=model,
            trace_file=trace_file,
            progress=counter,
        )
        while not running.done():
            time.sleep(0.05)
            if counter.exists():
                bar.update(task, completed=int(counter.read_text() or 0))
        return running.result()
