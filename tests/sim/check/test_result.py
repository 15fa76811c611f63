import dataclasses
from pathlib import Path

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
    common = ["engine", "network", *FATES, "cycles", "latency", "throughput", "mismatches"]
    assert list(GOOD.as_json()) == [*common, "seed"]
    more = ["network_cycles", "seed", "trace", "save_file", "network_cycles_ci95", "repeat"]
    assert list(full.as_json()) == [*common, *more]


def test_faults_are_the_counts_that_should_be_zero():
    assert GOOD.faults == {}
    assert dataclasses.replace(GOOD, mismatches=None).faults == {}
    bad = dataclasses.replace(GOOD, injected=5, refused=1, lost=2, mismatches=3)
    assert bad.faults == {"lost": 2, "mismatches": 3}
