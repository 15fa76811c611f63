import dataclasses
from pathlib import Path

import pytest
from knotwork_sim.check.latency import Latency
from knotwork_sim.check.result import FATES, SimulationResult

GOOD = SimulationResult(
    engine="both",
    network="hypercube_n2",
    **dict.fromkeys(FATES, 0),
    cycles=9,
    latency=Latency(),
    throughput=0.5,
    mismatches=0,
    has_network_cycles=False,
    network_cycles=None,
    seed=1,
)


def test_fields_stand_in_the_order_that_was_promised():
    full = dataclasses.replace(
        GOOD,
        has_network_cycles=True,
        network_cycles=3,
        network_cycles_ci95=0.1,
        repeat=2,
        trace=Path("a.vcd"),
        save_file=Path("a.gtkw"),
    )
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
