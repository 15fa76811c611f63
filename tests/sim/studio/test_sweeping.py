"""Sweeps of the page: the points that `sweep` measures, told as they come."""

import pytest
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Limit
from knotwork_sim.studio.sweeping import planned, sweep
from knotwork_sim.sweep import load
from knotwork_sim.sweep.load import LoadSweep, run_sweep, split_nets
from knotwork_sim.sweep.load_result import Window
from knotwork_sim.sweep.workers import OwnProcess

AMPLE = Limit(600.0, 8e9)
RING = {"words": ["ring", "n=4"], "rates": "0.1:0.3:0.1", "measure": 200, "traffic": ["seed=3"]}


def test_points_are_those_of_sweep(monkeypatch):
    monkeypatch.setattr(load, "LocalWorkers", lambda _: OwnProcess())
    said = []
    told = sweep(RING, AMPLE, lambda so_far: said.append(dict(so_far)))
    entries, traffic = split_nets(["ring:n=4", "seed=3"])
    loads = LoadSweep(entries, traffic, rates=(0.1, 0.2, 0.3), window=Window(measure=200))
    expected = run_sweep(loads).curves[0]
    assert [point[0] for point in told["points"]] == [0.1, 0.2, 0.3]
    assert [point[2] for point in told["points"]] == [p.latency.mean for p in expected.points]
    assert told["command"] == "knotwork sweep ring n=4 seed=3 --rates 0.1:0.3:0.1 --measure 200"
    assert [each["done"] for each in said] == [0, 1, 2, 3]
    assert [each["total"] for each in said] == [3, 3, 3, 3]
    assert said[-1]["points"] == told["points"]


def test_without_loads_saturation_is_searched():
    made, command = planned({"words": ["ring", "n=4"]})
    assert made.rates is None
    assert command == "knotwork sweep ring n=4 --measure 2000"


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"rates": "fast"}, "sweep: --rates must be FIRST:LAST:STEP, three numbers, not 'fast'"),
        ({"rates": 0.1}, "sweep: --rates must be FIRST:LAST:STEP, not 0.1"),
        ({"measure": 99}, "sweep: --measure must be an integer in 100..10000000, not 99"),
        ({"measure": "2000"}, "sweep: --measure must be an integer in 100..10000000, not '2000'"),
        ({"traffic": ["rate=2"]}, "traffic: rate must be a number in 0.0001..1, not 2"),
        (
            {"traffic": ["traffic=replay", "replay=/etc/passwd"]},
            "studio: replay must not be named here: a page names no file",
        ),
        ({"measure": 10_000_000}, "sweep ring n=4 must stay within 1 s, but takes about "),
    ],
)
def test_what_sweep_refuses_is_refused(more, line):
    with pytest.raises(ConfigurationError) as refused:
        sweep(RING | more, Limit(1.0, 1e12), lambda _: None)
    assert str(refused.value).startswith(line)
