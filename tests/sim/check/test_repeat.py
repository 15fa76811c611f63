import dataclasses

import numpy as np
import pytest
from knotwork import Network
from knotwork_sim.check import repeat
from knotwork_sim.check.latency import Latency
from knotwork_sim.check.simulate import simulate
from knotwork_sim.traffic.keys import Traffic

CIRCUITS = Network.from_word("lcan:d=2,u=2,levels=3,max_packet=4")
PERMUTED = Traffic(traffic="permutation", permutation="random")


def test_runs_are_repeated_with_the_next_seeds():
    single = [
        simulate(CIRCUITS, dataclasses.replace(PERMUTED, seed=seed), engine="model")
        for seed in (5, 6, 7)
    ]
    total = repeat.repeat(CIRCUITS, dataclasses.replace(PERMUTED, seed=5), times=3, engine="model")
    cycles = [result.network_cycles for result in single]
    assert total.network_cycles == pytest.approx(sum(cycles) / 3, abs=1e-4)
    half = 1.96 * np.std(cycles, ddof=1) / 3**0.5
    assert total.network_cycles_ci95 == pytest.approx(half, abs=1e-4)
    assert (total.delivered, total.lost, total.seed, total.repeat) == (24, 0, 5, 3)
    latest = [result.latency.max for result in single]
    assert total.latency.max == max(latest)
    assert total.mismatches is None
    assert total.faults == {}


def test_a_repeat_of_the_verilog_alone_knows_no_network_cycles(monkeypatch):
    run = simulate(CIRCUITS, PERMUTED, engine="model")
    run = dataclasses.replace(run, network_cycles=None, latency=Latency())
    monkeypatch.setattr(repeat, "simulate", lambda *_, **__: run)
    total = repeat.repeat(CIRCUITS, PERMUTED, times=2, engine="rtl")
    assert total.network_cycles is None
    assert total.as_json()["network_cycles"] is None
    assert "network_cycles_ci95" not in total.as_json()
    assert total.latency.max is None


def test_counts_are_sums_and_the_rest_means():
    network, traffic = Network.from_word("hypercube:n=2"), Traffic(rate=0.3, packets=50, seed=7)
    runs = [
        simulate(network, dataclasses.replace(traffic, seed=seed), engine="model")
        for seed in (7, 8)
    ]
    total = repeat.repeat(network, traffic, times=2, engine="model").as_json()
    assert (total["injected"], total["delivered"], total["repeat"]) == (100, 100, 2)
    for name in ("cycles", "throughput"):
        assert total[name] == round(sum(getattr(run, name) for run in runs) / 2, 4)
    assert total["latency"]["mean"] == round(sum(run.latency.mean for run in runs) / 2, 4)
    assert "network_cycles" not in total
