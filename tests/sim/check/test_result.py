import dataclasses
from pathlib import Path

import numpy as np
import pytest
from knotwork import Network
from knotwork_sim.check import repeat
from knotwork_sim.check.result import FATES, Latency, SimulationResult
from knotwork_sim.check.simulate import simulate
from knotwork_sim.traffic.keys import Traffic

GOOD = SimulationResult(
    engine="both", network="hypercube_n2", **dict.fromkeys(FATES, 0), cycles=9, latency=Latency(),
    throughput=0.5, mismatches=0, has_network_cycles=False, network_cycles=None, seed=1,
)  # fmt: skip


def test_fields_stand_in_the_order_that_was_promised():
    cycles = {"has_network_cycles": True, "network_cycles": 3, "network_cycles_ci95": 0.1}
    files = {"trace": Path("a.vcd"), "save_file": Path("a.gtkw")}
    full = dataclasses.replace(GOOD, **cycles, **files, repeat=2)
    common = [
        *("engine", "network", *FATES, "cycles", "latency", "latency_histogram"),
        *("throughput", "links", "mismatches", "first_fault"),
    ]
    assert list(GOOD.as_json()) == [*common, "seed"]
    more = ["network_cycles", "seed", "trace", "save_file", "network_cycles_ci95", "repeat"]
    assert list(full.as_json()) == [*common, *more]


def test_a_trace_of_packets_has_no_save_file():
    fields = dataclasses.replace(GOOD, trace=Path("a.html")).as_json()
    assert fields["trace"] == "a.html"
    assert "save_file" not in fields


def test_its_repr_is_one_line_that_tells_what_became_of_the_packets():
    assert repr(dataclasses.replace(GOOD, injected=5, delivered=4)) == (
        "<SimulationResult of hypercube_n2, engine=both: 4 of 5 packets delivered, mean latency "
        "unknown, throughput 0.5 flits/node/cycle>"
    )


def test_a_data_frame_of_several_runs_has_one_row():
    pytest.importorskip("pandas")
    frame = dataclasses.replace(GOOD, repeat=3, latency=Latency(mean=2.5)).to_pandas()
    assert len(frame) == 1
    assert (frame["repeat"][0], frame.latency_mean[0], frame.cycles[0]) == (3, 2.5, 9)


def test_faults_are_the_counts_that_should_be_zero():
    assert GOOD.faults == {}
    assert dataclasses.replace(GOOD, mismatches=None).faults == {}
    bad = dataclasses.replace(GOOD, injected=5, refused=1, lost=2, mismatches=3)
    assert bad.faults == {"lost": 2, "mismatches": 3}


CIRCUITS = Network.from_word("lcan:d=2,u=2,levels=3,max_packet=4")
PERMUTED = Traffic(traffic="permutation", permutation="random")


def test_runs_are_repeated_with_the_next_seeds():
    seeds = [dataclasses.replace(PERMUTED, seed=seed) for seed in (5, 6, 7)]
    runs = [simulate(CIRCUITS, traffic, engine="model") for traffic in seeds]
    total = repeat.repeat(CIRCUITS, seeds[0], times=3, engine="model")
    cycles = [run.network_cycles for run in runs]
    assert total.network_cycles == pytest.approx(sum(cycles) / 3, abs=1e-4)
    half = 4.3027 * np.std(cycles, ddof=1) / 3**0.5  # t of 2 degrees
    assert total.network_cycles_ci95 == pytest.approx(half, abs=1e-4)
    assert (total.injected, total.delivered, total.lost) == (24, 24, 0)
    assert (total.seed, total.repeat) == (5, 3)
    for name in ("cycles", "throughput"):
        assert getattr(total, name) == round(sum(getattr(run, name) for run in runs) / 3, 4)
    assert total.latency.mean == round(sum(run.latency.mean for run in runs) / 3, 4)
    assert total.latency.max == max(run.latency.max for run in runs)
    assert (total.mismatches, total.faults) == (None, {})


def test_a_repeat_of_the_verilog_alone_knows_no_network_cycles(monkeypatch):
    run = simulate(CIRCUITS, PERMUTED, engine="model")
    run = dataclasses.replace(run, network_cycles=None, latency=Latency())
    monkeypatch.setattr(repeat, "simulate", lambda *_, **__: run)
    total = repeat.repeat(CIRCUITS, PERMUTED, times=2, engine="rtl")
    assert total.network_cycles is None
    assert total.as_json()["network_cycles"] is None
    assert "network_cycles_ci95" not in total.as_json()
    assert total.latency.max is None
