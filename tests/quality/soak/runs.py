"""Runs of a soak: draw a network and its traffics from the run's number, simulate, judge."""

import resource
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from knotwork.errors import KnotworkError
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
    # Approximate limits of a run; `dispatch` lengthens the runs of fast families.
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
        yield words, _judged(job, network, packets, traffic, run)


def _spelled(value: Any) -> str:
    return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _judged(
    job: Job,
    network: Network,
    packets: Packets,
    traffic: Traffic,
    run: Run,
) -> Result:
    """Judge the model's run, and for the engine ``rtl`` simulate and judge the Verilog."""
    seen, clocks = arrivals.of_model(run.log, run.copies), run.clocks
    found = arrivals.faults(network, packets, seen)
    if job.engine == "rtl":
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
