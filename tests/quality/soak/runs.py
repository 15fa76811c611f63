"""Runs of a soak: a network and its traffics drawn from the run's number, carried out, judged."""

import resource
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from knotwork.errors import KnotworkError
from knotwork.network import Network
from knotwork_sim.model.packet.state import Log
from knotwork_sim.model.run import run_log
from knotwork_sim.traffic.copies import Copies
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import Packets

from . import arrivals
from .random_networks import Family, draw_network, draw_traffic

MARGIN = 64
"""Clocks run in Verilog after the model's end, to see beats that should not come."""
BEAT_BITS = 12
"""Bits of a payload in Verilog that number the beat: packets have at most 2^12, runs 2^20."""


class Engine(NamedTuple):
    """What is soaked.

    Members
    -------
    flits : int
        To be delivered in all.
    run_flits, run_clocks : int
        In a run, about and at most, but for what `soak` learns of a family's speed.
    most : int
        Nodes of a network.
    traffics : int
        Traffics of a run, each with that part of its flits: Verilog compiles for long.
    spread : int
        Of the hardware parameters (`draw_network`).
    """

    flits: int
    run_flits: int
    run_clocks: int
    most: int
    traffics: int
    spread: int


ENGINES = {
    "model": Engine(10**9, 2_000_000, 20_000, 300, 2, 5),
    "rtl": Engine(10**7, 500_000, 400_000, 12, 8, 2),
}


class Job(NamedTuple):
    """Run: `seed` and all other members together decide it.

    Members
    -------
    engine : str
        ``model`` or ``rtl``.
    family : Family
    number : int
        Of the family's runs, from 0.
    flits : int
        To deliver, about and at most.
    clocks : int
        In which, about and at most.
    seed : int
    """

    engine: str
    family: Family
    number: int
    flits: int
    clocks: int
    seed: int

    @property
    def command(self) -> str:
        """Command that repeats it."""
        run = f"{self.engine}/{self.family}/{self.number}"
        sizes = f"--flits {self.flits} --clocks {self.clocks}"
        return f"python -m quality.soak.__main__ --seed {self.seed} {sizes} --run {run}"


def run_job(job: Job) -> dict[str, Any]:
    """Carry out a run: what it was, what it took, and its faults in words."""
    begin = time.process_time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    name = f"{job.engine}/{job.family}/{job.number}"
    facts: dict[str, Any] = {"run": name, "flits": 0, "clocks": 0, "faults": []}
    try:
        for traffic, flits, clocks, faults in _traffics(job, facts):
            facts["flits"] += flits
            facts["clocks"] += clocks
            facts["faults"] += [f"{fault} ({traffic})" for fault in faults]
    except (KnotworkError, LookupError) as error:
        facts["faults"].append(str(error))
    except Exception as error:  # a defect as much as a lost flit; the others go on
        facts["faults"].append(f"{type(error).__name__}: {error}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    outside = after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime
    facts["seconds"] = round(time.process_time() - begin + outside, 2)
    facts["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return facts


def _traffics(job: Job, facts: dict[str, Any]) -> Iterator[tuple[str, int, int, list[str]]]:
    """Draw and carry out all traffics of a run; the network is noted for who looks for a fault."""
    seeds = [job.seed, job.number, *f"{job.family}/{job.engine}".encode()]
    rng, engine = np.random.default_rng(seeds), ENGINES[job.engine]
    word, network = draw_network(job.family, rng, most=engine.most, spread=engine.spread)
    facts |= {"net": word, "nodes": network.topology.nodes}
    clocks = job.clocks // engine.traffics
    flits = min(job.flits // engine.traffics, network.topology.nodes * clocks // 4)
    for _ in range(engine.traffics):
        traffic, packets = draw_traffic(network, rng, flits=max(1, flits))
        run = run_log(network, traffic, packets, clocks=clocks)
        while run[2] == clocks and len(packets) > network.topology.nodes:
            # Not done in time: the same with as many packets as should be.
            done = len(run[0].clock) + len(run[0].refused_clock)
            share = 0.7 * done / (packets.due.sum() + packets.refused.sum())
            batches = max(1, int(share * len(packets) / network.topology.nodes))
            traffic = replace(traffic, packets=batches * network.topology.nodes)
            packets = make_packets(network, traffic)
            run = run_log(network, traffic, packets, clocks=clocks if batches > 1 else 2**62)
        keys = {key: value for key, value in traffic.as_dict().items() if value is not None}
        words = " ".join(f"{key}={_spelled(value)}" for key, value in keys.items())
        yield (words, *_judged(job, network, packets, traffic, run))


def _spelled(value: Any) -> str:
    return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _judged(
    job: Job,
    network: Network,
    packets: Packets,
    traffic: Traffic,
    run: tuple[Log, Copies, int],
) -> tuple[int, int, list[str]]:
    """Flits delivered, clocks and faults of what the model ran; in Verilog, where that is asked."""
    log, copies, clocks = run
    seen = arrivals.of_model(log, copies)
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
        hardware = arrivals.of_driver(
            noted, packets, beat_bits=BEAT_BITS, codes=codes if has_source else None
        )
        found = [f"model: {fault}" for fault in found]
        found += arrivals.faults(network, packets, hardware)
        if apart := arrivals.differences(hardware, seen):
            found.append(f"{apart} beats or refusals differ from the model's")
        seen = hardware
    return len(seen.packet), clocks, found
