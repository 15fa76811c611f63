"""Runs of a network's Verilog under hostile conditions: what tests of them share."""

import pickle
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from knotwork_sim.rtl.cocotb_run import build_rtl, make_job
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import EVERYONE, packet_lengths, packet_table

UNBOUNDED = 2**31


@contextmanager
def testbenches():
    """Context in which programs for the simulator can be imported: its path is ours."""
    folder = str(Path(__file__).parents[1] / "cocotb")
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def run_phases(network, phases, work, *, simulator=None):
    """Records of phases (traffic, packets, more of `Phase`), in one run of the simulator."""
    simulator = simulator or build_rtl(network)
    with testbenches():
        from hostile_testbench import PHASES_VARIABLE, Phase

        jobs = []
        for number, (traffic, packets, more) in enumerate(phases):
            folder = work / str(number)
            folder.mkdir()
            jobs.append(Phase(make_job(network, traffic, packets, folder), **more))
        (work / "phases").write_bytes(pickle.dumps(jobs))
        environment = {PHASES_VARIABLE: str(work / "phases")}
        simulator.run("hostile_testbench", work, environment=environment)
        return [pickle.loads(phase.job.record.read_bytes()) for phase in jobs]


def longest(network):
    """Beats of the longest packet, of the longest broadcast where only these are limited."""
    return getattr(network.routing.options, "max_packet", None) or packet_lengths(network)[1]


def hostile_traffic(network, seed, packets_a_node=12):
    """Traffic for a router class, with pauses that change all the time."""
    keys = {"bubble": 0.5, "stall": 0.5, "pauses": "changing", "seed": seed}
    count = packets_a_node * network.topology.nodes
    if network.router_class == "batch":
        return Traffic(traffic="permutation", permutation="random", packets=count, **keys)
    share = 0.1 if network.routing.broadcast is not None else 0.0
    lengths = (1, min(longest(network), 6))
    return Traffic(rate=0.6, packets=count, length=lengths, broadcast_share=share, **keys)


def hostile_packets(network, traffic, *, after=0):
    """Packets of a traffic, with some among them that cannot be sent, all `after` cycles later.

    Some are to addresses that are no node; some are too long, one of them by far. Where packets may
    have any length one is long.
    """
    drawn = make_packets(network, traffic)
    rng = np.random.default_rng([traffic.seed, 9])
    rows = {
        "source": drawn.source,
        "destination": drawn.destination,
        "length": drawn.length.copy(),
        "time": drawn.time + after,
    }
    codes = network.topology.unused_addresses
    count = max(len(drawn) // 5, 2 * len(codes) + 2)  # each of the codes is tried
    extra = np.sort(rng.choice(len(drawn), count, replace=False))
    bad = {name: values[extra].copy() for name, values in rows.items()}
    nowhere = np.full(len(extra), bool(codes))
    least, most = packet_lengths(network)
    limit = longest(network)
    if limit < UNBOUNDED:
        nowhere[::2] = False
        bad["length"] = np.where(nowhere, bad["length"], limit + rng.integers(1, 4, len(extra)))
        bad["length"][0] = 40 * limit
        if most == UNBOUNDED:  # but broadcasts are not
            bad["destination"][~nowhere] = EVERYONE
        if least > 1:
            bad["length"][1::4] = least - 1
    else:
        rows["length"][extra[-1]] = 200
    bad["destination"][nowhere] = -1
    if limit < UNBOUNDED or nowhere.any():
        rows = {name: np.insert(rows[name], extra, bad[name]) for name in rows}
    return packet_table(network, seed=traffic.seed, loadings=drawn.loadings, **rows)
