import json
from dataclasses import replace

from knotwork_sim.check.latency import Latency
from knotwork_sim.sweep.load_result import LoadCurve, LoadPoint, LoadResult, Window
from knotwork_sim.traffic.keys import Traffic

STEADY = LoadPoint(
    offered=0.1,
    accepted=0.1,
    accepted_ci95=0.01,
    latency=Latency(mean=3.5, p50=3.0, p99=9.0, max=12),
    latency_ci95=0.2,
    saturated=False,
    packets=100,
    warmup=0,
)
FULL = replace(
    STEADY, offered=0.5, accepted=0.4, latency=Latency(), latency_ci95=None, saturated=True
)
CURVE = LoadCurve(
    network="hypercube_n2",
    label="hypercube:n=2",
    parameters={"n": 2},
    points=(STEADY, replace(STEADY, offered=0.3, accepted=0.3), FULL, replace(FULL, offered=0.6)),
    rtl_points=None,
    zero_load_latency=2.0,
    ideal_throughput=1.0,
)


def test_a_window_ends_after_a_drain():
    assert Window(warmup=50, measure=100).cycles == 250
    assert Window(measure=100).cycles == 300
    assert replace(Window(), measure=5).longest_warmup == 5


def test_points_come_back_from_their_json():
    for point in (STEADY, FULL):
        assert LoadPoint.from_json(json.loads(json.dumps(point.as_json()))) == point


def test_saturation_lies_between_two_loads():
    assert CURVE.saturated_between == (0.3, 0.5)
    assert CURVE.saturation_throughput == 0.4
    assert CURVE.told_saturation == "0.400"
    assert replace(CURVE, points=(STEADY,)).saturated_between is None
    assert replace(CURVE, points=(FULL,)).saturated_between == (0.0, 0.5)


def test_without_a_saturated_point_there_is_no_saturation_throughput():
    below = replace(CURVE, points=CURVE.points[:2])
    assert below.saturation_throughput is None
    assert below.told_saturation == "not reached up to 0.3"
    assert below.as_json()["saturation_throughput"] is None
    whole = replace(CURVE, points=(STEADY, replace(STEADY, offered=1.0, accepted=1.0)))
    assert whole.told_saturation == "not reached up to 1"


def test_json_has_the_promised_fields():
    both = replace(CURVE, rtl_points=(STEADY,))
    answer = LoadResult(
        traffic=Traffic(length=(1, 4)), engine="model", window=Window(), curves=(CURVE, both)
    ).as_json()
    assert list(answer) == ["traffic", "engine", "window", "sweeps"]
    assert "permutation" not in answer["traffic"]
    assert answer["window"] == {"warmup": None, "measure": 10_000}
    figures = ["saturation_throughput", "saturated_between", "zero_load_latency"]
    assert [list(curve)[4:] for curve in answer["sweeps"]] == [
        [*figures, "ideal_throughput"],
        ["rtl_points", *figures, "ideal_throughput"],
    ]
    assert list(answer["sweeps"][0]["points"][0]) == [
        *("offered", "accepted", "accepted_ci95", "latency", "latency_ci95"),
        *("saturated", "packets", "warmup"),
    ]
