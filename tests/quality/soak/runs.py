"""Runs of a soak: draw a network and its traffics from the run's number, simulate, judge."""

import resource
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from knotwork.errors import KnotworkError, ToolError
from knotwork.network import Network
from knotwork_sim.model.router_model import Run
from knotwork_sim.model.run import run_log
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import Packets

from . import arrivals
from .random_networks import Family, draw_network, draw_traffic

MARGIN = 64
"""Cycles simulated in Verilog after the model's end, to see beats that should not come."""
BEAT_BITS = 12
"""Bits of a payload in Verilog that number the beat: 2^12 beats per packet, 2^20 packets."""


class Engine(NamedTuple):
    """Limits of the runs on the golden model or in Verilog."""

    flits: int  # flits to deliver in all runs
    # Approximate limits of a run; what follows lengthens the runs of fast families.
    run_flits: int
    run_cycles: int
    most: int  # nodes of a network at most
    traffics: int  # traffics of a run, which share its flits: Verilog takes long to compile
    spread: int  # range of the hardware parameters (`draw_network`)


ENGINES = {
    "model": Engine(10**9, 2_000_000, 20_000, 300, 2, 5),
    "rtl": Engine(10**7, 500_000, 400_000, 12, 8, 2),
}


class Job(NamedTuple):
    """Run, determined by all of its members."""

    engine: str  # ``model`` or ``rtl``
    family: Family  # what the network is drawn from
    number: int  # number among the family's runs, from 0
    # Approximate limits of the run.
    flits: int
    cycles: int
    seed: int  # seed of the whole soak

    @property
    def command(self) -> str:
        """Shell command that repeats the run, from the project's folder."""
        run = f"{self.engine}/{self.family}/{self.number}"
        sizes = f"--flits {self.flits} --clocks {self.cycles}"
        program = "PYTHONPATH=tests .venv/bin/python -m quality.soak"
        return f"{program} --seed {self.seed} {sizes} --run {run}"


class Result(NamedTuple):
    """What one traffic of a run came to: flits delivered, cycles, and faults in words."""

    flits: int
    cycles: int
    faults: list[str]


def run_job(job: Job) -> dict[str, Any]:
    """Simulate a run: its network, size, time and memory, and its faults in words."""
    begin = time.process_time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    name = f"{job.engine}/{job.family}/{job.number}"
    facts: dict[str, Any] = {"run": name, "flits": 0, "clocks": 0, "faults": []}
    try:
        for words, result in _traffics(job, facts):
            facts["flits"] += result.flits
            facts["clocks"] += result.cycles
            facts["faults"] += [f"{fault} ({words})" for fault in result.faults]
    except (KnotworkError, LookupError) as error:
        facts["faults"].append(str(error))
    except Exception as error:  # as much a defect as a lost flit; the other runs go on
        facts["faults"].append(f"{type(error).__name__}: {error}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    outside = after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime
    facts["seconds"] = round(time.process_time() - begin + outside, 2)
    facts["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return facts


def _traffics(job: Job, facts: dict[str, Any]) -> Iterator[tuple[str, Result]]:
    """Draw and simulate all traffics of a run, after noting its network in `facts`."""
    seeds = [job.seed, job.number, *f"{job.family}/{job.engine}".encode()]
    rng, engine = np.random.default_rng(seeds), ENGINES[job.engine]
    word, network = draw_network(job.family, rng, most=engine.most, spread=engine.spread)
    facts |= {"net": word, "nodes": network.topology.nodes}
    cycles = job.cycles // engine.traffics
    flits = min(job.flits // engine.traffics, network.topology.nodes * cycles // 4)
    for _ in range(engine.traffics):
        traffic, packets = draw_traffic(network, rng, flits=max(1, flits))
        run = run_log(network, traffic, packets, clocks=cycles)
        while run.clocks == cycles and len(packets) > network.topology.nodes:
            # Not done in time: try again with as many packets as the cycles suffice for.
            done = len(run.log.clock) + len(run.log.refused_clock)
            share = 0.7 * done / (packets.due.sum() + packets.refused.sum())
            batches = max(1, int(share * len(packets) / network.topology.nodes))
            traffic = replace(traffic, packets=batches * network.topology.nodes)
            packets = make_packets(network, traffic)
            run = run_log(network, traffic, packets, clocks=cycles if batches > 1 else 2**62)
        keys = {key: value for key, value in traffic.as_dict().items() if value is not None}
        words = " ".join(f"{key}={_spelled(value)}" for key, value in keys.items())
        yield words, judged(job.engine, network, packets, traffic, run)


def _spelled(value: Any) -> str:
    return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)


def judged(
    engine: str,
    network: Network,
    packets: Packets,
    traffic: Traffic,
    run: Run,
) -> Result:
    """Judge the model's run, and for the engine ``rtl`` simulate and judge the Verilog."""
    seen, clocks = arrivals.of_model(run.log, run.copies), run.clocks
    found = arrivals.faults(network, packets, seen)
    if engine == "rtl":
        from knotwork.emit.ports import eject_widths
        from knotwork_sim.rtl.driver import run_driver

        length = clocks + MARGIN
        noted = run_driver(
            network, traffic, packets, clocks=length, beat_bits=BEAT_BITS, level="-O1"
        )
        nodes = range(network.topology.nodes)
        codes = np.array([network.topology.address(node) for node in nodes], np.int64)
        has_source = "tid" in eject_widths(network)
        rtl = arrivals.of_driver(
            noted, packets, beat_bits=BEAT_BITS, codes=codes if has_source else None
        )
        found = [f"model: {fault}" for fault in found]
        found += arrivals.faults(network, packets, rtl)
        if apart := arrivals.differences(rtl, seen):
            found.append(f"{apart} beats or refusals differ from the model's")
        seen = rtl
    return Result(len(seen.packet), clocks, found)


MOST_FAULTS = 50
"""Faulty runs after which no other run begins."""
RUN_SECONDS = 15.0
"""Processor time that a run should take at most, approximately."""


class RunCallback(Protocol):
    """Called after every run with its job and what it found."""

    def __call__(self, job: Job, found: dict[str, Any], /) -> None: ...  # noqa: D102


@dataclass
class Tally:
    """Sums over the runs of an engine; `rows` are by family."""

    engine: str
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    flits: int = 0
    faults: list[dict[str, Any]] = field(default_factory=list)

    def add(self, job: Job, facts: dict[str, Any]) -> None:
        """Count a run."""
        empty = {"family": str(job.family), "runs": 0, "flits": 0, "seconds": 0.0, "peak_mib": 0}
        row = self.rows.setdefault(str(job.family), empty)
        row["runs"] += 1
        row["flits"] += facts["flits"]
        row["seconds"] = round(row["seconds"] + facts["seconds"], 2)
        row["peak_mib"] = max(row["peak_mib"], facts["peak_mib"])
        self.flits += facts["flits"]
        if facts["faults"]:
            self.faults.append({**facts, "command": job.command})


@dataclass
class Spent:
    """What the runs of a family have spent so far."""

    runs: int = 0  # runs begun
    seconds: float = 0.01  # processor time of the runs that ended
    # Flits delivered and cycles simulated by them.
    flits: int = 1
    cycles: int = 1

    @property
    def turn(self) -> float:
        """Order of the families, least first: time is shared by the roots of their speeds."""
        return self.seconds / (self.flits / self.seconds) ** 0.5


class Soak:
    """Soak of one engine: a `share` of its flits, and each family once at least."""

    def __init__(self, engine: str, *, seed: int, share: float, known: list[Family]) -> None:
        self.tally = Tally(engine)
        self.seed = seed
        limits = ENGINES[engine]
        self.target = max(1, int(limits.flits * share))
        self.flits = max(1, min(limits.run_flits, self.target // (2 * len(known))))
        self.cycles = limits.run_cycles
        self.spent = {family: Spent() for family in known}
        self.running: dict[Future, Job] = {}

    def next_job(self) -> Job | None:
        """Run to begin now: of a family without a run, or of the family whose turn it is."""
        free = [family for family in self.spent if family not in self._families()] or self.spent
        family = min(free, key=lambda one: (self.spent[one].runs > 0, self.spent[one].turn))
        spent = self.spent[family]
        under_way = sum(job.flits for job in self.running.values())
        if spent.runs and self.tally.flits + under_way // 2 >= self.target:
            return None
        if len(self.tally.faults) >= MOST_FAULTS:
            return None
        number, speed = spent.runs, spent.cycles / spent.seconds
        cycles = max(self.cycles, int(speed * RUN_SECONDS) if number else 0)
        spent.runs += 1
        return Job(self.tally.engine, family, number, self.flits, cycles, self.seed)

    def _families(self) -> list[Family]:
        return [job.family for job in self.running.values()]

    def run(self, pool: Executor, jobs: int, until: float, on_run: RunCallback) -> None:
        """Run to the end, or begin no run after `until` on the monotonic clock."""
        while True:
            while len(self.running) < jobs and time.monotonic() < until:
                job = self.next_job()
                if job is None:
                    break
                self.running[pool.submit(run_job, job)] = job
            if not self.running:
                return
            done, _ = wait(self.running, return_when=FIRST_COMPLETED)
            for future in done:
                job = self.running.pop(future)
                try:
                    facts = future.result()
                except BrokenExecutor:
                    raise ToolError(f"a worker must finish {job.command}, but died") from None
                self.spent[job.family].seconds += facts["seconds"]
                self.spent[job.family].flits += facts["flits"]
                self.spent[job.family].cycles += facts["clocks"]
                self.tally.add(job, facts)
                on_run(job, facts)
