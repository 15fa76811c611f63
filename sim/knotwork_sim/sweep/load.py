"""`sweep`: offered load against accepted load and latency, for several networks at once."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from knotwork import __version__
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.parameters import unknown_key
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..check.engines import POINT_ENGINES
from ..check.memory import require_memory
from ..traffic.keys import Traffic
from .channel_load import channel_load, ideal_throughput
from .point import Window, check_load, measure_point
from .rates import highest_rate, next_rates
from .results import Results
from .workers import ClusterWorkers, LocalWorkers, Workers, work
from .zero_load import zero_load_latency


@dataclass(frozen=True)
class Entry:
    """Network of a sweep.

    Members
    -------
    label : str
        The word that named it.
    network : Network
        Checked and resolved.
    """

    label: str
    network: Network


class Job(NamedTuple):
    """Point to be measured: its network's place in the sweep, the offered load, and by what."""

    place: int
    label: str
    rate: float
    engine: str

    def __str__(self) -> str:
        return f"{self.label} at rate {self.rate:g}"

    @property
    def key(self) -> str:
        """Name of its result."""
        return f"{self.place} {self.engine} {self.rate!r}"


def split_nets(words: Sequence[str]) -> tuple[list[Entry], Traffic]:
    """Networks, each in one word, and the traffic of the ``key=value`` words among them.

    Raises
    ------
    ConfigurationError
        No network, a key that is none of the traffic's, or whatever makes no network or traffic.
    """
    of_traffic = [word for word in words if "=" in word.partition(":")[0]]
    for word in of_traffic:
        key = word.partition("=")[0]
        if key not in Traffic.keys():  # noqa: SIM118 - they are no mapping's
            raise ConfigurationError(
                unknown_key("sweep", key, list(Traffic.keys()))
                + "; a network's keys follow its colon, as in moebius:n=6,twist=1"
            )
    nets = [word for word in words if word not in of_traffic]
    if not nets:
        raise ConfigurationError(
            "sweep: networks must be named, each in one word like moebius:n=6,twist=1"
        )
    return [Entry(net, Network.from_word(net)) for net in nets], Traffic.from_words(of_traffic)


class LoadSweep:
    """Networks under rising load.

    Parameters
    ----------
    entries : sequence of Entry
        Networks.
    traffic : Traffic
        The same for all.
    rates : sequence of float or None
        Offered loads; None to search each network's saturation.
    window : Window
        Clocks of each point.
    engine : str
        ``model`` or ``rtl``.
    rtl_rates : sequence of float
        Loads that are measured on the Verilog besides.

    Raises
    ------
    ConfigurationError
        What cannot be measured, or does not fit into memory; before anything is measured.
    DeadlockError
        A network failed its deadlock check.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        traffic: Traffic,
        *,
        rates: Sequence[float] | None = None,
        window: Window | None = None,
        engine: str = "model",
        rtl_rates: Sequence[float] = (),
    ) -> None:
        if engine not in POINT_ENGINES:
            raise ConfigurationError(
                f"engine must be one of {', '.join(POINT_ENGINES)}, not {engine!r}"
            )
        if rtl_rates and engine == "rtl":
            raise ConfigurationError("sweep: --rtl-rates must be without --engine rtl")
        self.entries, self.traffic, self.rates = tuple(entries), traffic, rates
        self.window, self.engine, self.rtl_rates = window or Window(), engine, tuple(rtl_rates)
        for entry in self.entries:
            check_load(entry.network, traffic)
        if rates is not None:
            self._require_memory([max(*rates, *rtl_rates, 0)] * len(self.entries))
        self.loads = [channel_load(entry.network, traffic) for entry in self.entries]
        self.ideals = [
            ideal_throughput(entry.network, traffic, load)
            for entry, load in zip(self.entries, self.loads, strict=True)
        ]
        if rates is None:
            self._require_memory([max(highest_rate(i), *rtl_rates, 0) for i in self.ideals])
        for entry in self.entries:
            entry.network.require_deadlock_free()

    def _require_memory(self, rates: Sequence[float]) -> None:
        self.fitting = min(
            require_memory(entry.network, self.traffic, rate, self.window.clocks)
            for entry, rate in zip(self.entries, rates, strict=True)
        )

    @cached_property
    def digest(self) -> str:
        """Name for all that decides a number of this sweep."""
        facts = [__version__, self.traffic.as_dict(), asdict(self.window), self.engine]
        facts += [self.rates and list(self.rates), self.rtl_rates]
        facts += [[e.label, e.network.topology.name, e.network.parameters] for e in self.entries]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def wanted(self, results: Results) -> list[Job]:
        """Jobs that have no result and can begin; none where the sweep is done.

        They follow from the results alone, so it matters neither who had them nor when.
        """
        jobs = []
        for place, entry in enumerate(self.entries):
            rates = self.rates
            if rates is None:
                found = {
                    point["offered"]: point["saturated"] for point in self.points(place, results)
                }
                rates = next_rates(self.ideals[place], found)
            jobs += [Job(place, entry.label, rate, self.engine) for rate in rates]
            jobs += [Job(place, entry.label, rate, "rtl") for rate in self.rtl_rates]
        return [job for job in jobs if job.key not in results]

    def points(
        self, place: int, results: Results, engine: str | None = None
    ) -> list[dict[str, Any]]:
        """Results of a network so far, by rising load; of the sweep's engine, or of another."""
        begin = f"{place} {engine or self.engine} "
        rates = {row["offered"]: row for key, row in results.items() if key.startswith(begin)}
        return [rates[rate] for rate in sorted(rates)]

    def start(self, job: Job) -> tuple:
        """Function and arguments that measure a point, wherever that is done."""
        network = self.entries[job.place].network
        words = json.dumps([network.topology.name, network.parameters])
        return _measure, words, self.traffic.as_dict(), job.rate, self.window, job.engine

    def answer(self, results: Results) -> dict[str, Any]:
        """Fields that ``sweep --json`` promises, from the results of all points."""
        traffic = {key: value for key, value in self.traffic.as_dict().items() if value is not None}
        return {
            "traffic": traffic,
            "engine": self.engine,
            "window": asdict(self.window),
            "sweeps": [self._swept(place, results) for place in range(len(self.entries))],
        }

    def _swept(self, place: int, results: Results) -> dict[str, Any]:
        entry, points = self.entries[place], self.points(place, results)
        saturated = [point["offered"] for point in points if point["saturated"]]
        steady = [p["offered"] for p in points if p["offered"] < min(saturated, default=2.0)]
        beside = {"rtl_points": self.points(place, results, "rtl")} if self.rtl_rates else {}
        return {
            "network": entry.network.name,
            "label": entry.label,
            "parameters": entry.network.parameters,
            "points": points,
            **beside,
            "saturation_throughput": max(point["accepted"] for point in points),
            "saturated_between": [max(steady, default=0.0), min(saturated)] if saturated else None,
            "zero_load_latency": zero_load_latency(entry.network, self.traffic, self.loads[place]),
            "ideal_throughput": self.ideals[place],
        }


def _measure(words: str, traffic: dict[str, Any], rate: float, *rest: Any) -> dict[str, Any]:
    window, engine = rest
    return measure_point(_network(words), Traffic(**traffic), rate, window=window, engine=engine)


@lru_cache(maxsize=4)
def _network(words: str) -> Network:
    """Network of a worker's points, made once."""
    name, parameters = json.loads(words)
    return Network.from_texts(name, parameters)


def run_sweep(
    sweep: LoadSweep, *, results_file: Path | None = None, scheduler: str | None = None
) -> dict[str, Any]:
    """Measure what is not measured yet, and tell all.

    Parameters
    ----------
    results_file : Path or None
        Where each point is kept as it comes; with it the same sweep goes on where it ended.
    scheduler : str or None
        Address of a Dask cluster; None for a process a core of this machine.

    Raises
    ------
    ConfigurationError
        The file is another sweep's.
    ToolError
        The scheduler does not answer, or workers die again and again.
    """
    results = Results(results_file, sweep.digest)
    workers: Workers | None = None
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    try:
        jobs = sweep.wanted(results)
        if jobs:
            workers = make_workers(sweep, scheduler)
            with Progress(
                *columns,
                TimeRemainingColumn(),
                console=console,
                disable=not console.is_terminal,
                transient=True,
            ) as bar:
                task = bar.add_task(
                    "points", total=len(jobs) + len(results), completed=len(results)
                )

                def finish(job: Job, result: dict[str, Any]) -> None:
                    results.add(job.key, result)
                    total = len(results) + len(sweep.wanted(results))
                    bar.update(task, completed=len(results), total=total)

                work(workers, lambda: sweep.wanted(results), sweep.start, finish)
        return sweep.answer(results)
    finally:
        results.close()
        if workers is not None:
            workers.close()


def make_workers(sweep: LoadSweep, scheduler: str | None) -> Workers:
    """Workers of a cluster, or as many processes as there are cores and memory for."""
    if scheduler is not None:
        return ClusterWorkers(scheduler)
    return LocalWorkers(max(1, min(len(os.sched_getaffinity(0)), sweep.fitting)))
