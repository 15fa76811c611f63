import json
from dataclasses import replace

import pytest
from helpers.refusals import refuses
from knotwork.errors import ConfigurationError
from knotwork_sim.check.result import Latency
from knotwork_sim.sweep.load import Results
from knotwork_sim.sweep.load_result import (
    LoadCurve,
    LoadPoint,
    LoadResult,
    Window,
)
from knotwork_sim.traffic.keys import Traffic


@pytest.fixture
def file(tmp_path):
    return tmp_path / "folder" / "points"


def write(file, digest="abc", **results):
    kept = Results(file, digest)
    for key, result in results.items():
        kept.add(key, result)
    kept.close()


def read(file, digest="abc"):
    kept = Results(file, digest)
    found = dict(kept.items())
    kept.close()
    return found


def test_results_are_there_again(file):
    write(file, a={"x": 0.1}, b=[1, None])
    write(file, c=True)
    assert read(file) == {"a": {"x": 0.1}, "b": [1, None], "c": True}


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_torn_line_is_ignored_and_overwritten(file, cut):
    write(file, a=1, b=2)
    file.write_bytes(file.read_bytes()[:-cut])
    assert read(file) == {"a": 1}
    write(file, b=3)
    assert read(file) == {"a": 1, "b": 3}


def test_a_torn_head_is_a_new_file(file):
    write(file)
    file.write_bytes(file.read_bytes()[:9])
    assert read(file, "other") == {}


def test_without_a_file_results_are_kept_in_memory_as_a_file_would_give_them():
    kept = Results(None, "abc")
    kept.add("a", (1, 2))
    assert dict(kept.items()) == {"a": [1, 2]}
    assert "a" in kept
    assert len(kept) == 1
    kept.close()


def test_another_sweeps_results_are_refused_and_stay(file):
    write(file, a=1)
    before = file.read_bytes()
    with refuses(
        f"{file}: the results must be those of this sweep, not of another; remove the file or "
        f"name another with --results"
    ):
        Results(file, "other")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "text", ["offered,accepted\n", "[]\n", '{"a": 1}\n', "1\n", "\xff\n", "my notes", "x"]
)
def test_what_holds_no_results_is_refused_and_stays(file, text):
    file.parent.mkdir()
    file.write_text(text, encoding="latin-1")
    line = "the results must be those of a sweep; remove the file or name another"
    with refuses(f"{file}: {line}"):
        Results(file, "abc")
    assert file.read_text(encoding="latin-1") == text


@pytest.mark.parametrize(("old", "new"), [("0.25", "0.75"), ('"rate"', '"Rate"'), ('"b"', '"c"')])
def test_a_line_that_was_changed_is_refused(file, old, new):
    write(file, a=1, b={"rate": 0.25})
    assert read(file) == {"a": 1, "b": {"rate": 0.25}}
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(ConfigurationError, match="the results must be those of a sweep; remove"):
        Results(file, "abc")


def test_a_result_is_on_disk_at_once_and_two_sweeps_do_not_share_a_file(file):
    kept = Results(file, "abc")
    kept.add("a", 1)
    assert '"a"' in file.read_text()
    line = "the results must be written by one sweep at a time, not by two"
    with refuses(f"{file}: {line}"):
        Results(file, "abc")
    kept.close()


def test_a_folder_in_the_way_is_told(tmp_path):
    with pytest.raises(ConfigurationError, match="the file must be writable: Is a directory"):
        Results(tmp_path, "abc")


STEADY = LoadPoint(
    offered=0.1, accepted=0.1, accepted_ci95=0.01, accepted_least=0.1, latency_ci95=0.2,
    saturated=False, packets=100, latency=Latency(mean=3.5, p50=3.0, p99=9.0, max=12), warmup=0,
)  # fmt: skip
FULL = replace(
    STEADY, offered=0.5, accepted=0.4, latency=Latency(), latency_ci95=None, saturated=True
)
CURVE = LoadCurve(
    network="hypercube_n2", label="hypercube:n=2", parameters={"n": 2}, rtl_points=None,
    points=(STEADY, replace(STEADY, offered=0.3, accepted=0.3), FULL, replace(FULL, offered=0.6)),
    zero_load_latency=2.0, ideal_throughput=1.0,
)  # fmt: skip


def test_a_window_ends_after_a_drain():
    assert Window(warmup=50, measure=100).cycles == 250
    assert Window(measure=100).cycles == 300
    assert replace(Window(), measure=5).longest_warmup == 5


def test_points_come_back_from_their_json():
    for point in (STEADY, FULL):
        assert LoadPoint.from_json(json.loads(json.dumps(point.as_json()))) == point


def test_a_point_of_several_seeds_has_the_means_and_the_confidence_of_the_runs():
    means, accepted = (3.5, 4.5, 5.5), (0.1, 0.11, 0.12)
    runs = [
        replace(
            STEADY, accepted=rate, packets=number, warmup=10 * number,
            latency=Latency(mean=mean, p50=3.0, p99=9.0 + number, max=12 + number),
        )
        for number, (mean, rate) in enumerate(zip(means, accepted, strict=True))
    ]  # fmt: skip
    point = LoadPoint.mean_of(runs)
    assert point.latency == Latency(mean=4.5, p50=3.0, p99=10.0, max=14)
    # Of three values with standard deviation 1: 4.3027 / sqrt(3).
    assert point.latency_ci95 == pytest.approx(2.4841, abs=1e-4)
    assert (point.accepted, point.accepted_ci95) == (0.11, pytest.approx(0.024841, abs=2e-6))
    assert (point.packets, point.warmup, point.saturated) == (3, 20, False)
    assert point.runs == tuple(runs)
    assert point.as_json()["runs"] == [run.as_json() for run in runs]
    assert "runs" not in STEADY.as_json()
    assert LoadPoint.mean_of([STEADY]) == STEADY


def test_a_load_is_steady_if_every_seed_is():
    runs = [STEADY, replace(FULL, offered=0.1), STEADY]
    point = LoadPoint.mean_of(runs)
    assert point.saturated
    assert (point.latency, point.latency_ci95) == (Latency(), None)
    assert point.accepted == pytest.approx(0.2)


def test_saturation_lies_between_two_loads():
    assert CURVE.saturated_between == (0.3, 0.5)
    assert CURVE.saturation_throughput == 0.3
    assert CURVE.reported_saturation == "0.300"
    assert CURVE.accepted_at_overload == 0.4
    assert replace(CURVE, points=(STEADY,)).saturated_between is None


def test_where_no_load_is_steady_it_lies_below():
    lowest = replace(CURVE, points=(FULL,))
    assert lowest.saturated_between == (0.0, 0.5)
    assert lowest.saturation_throughput is None
    assert lowest.reported_saturation == "below 0.5"


def test_a_steady_load_above_a_saturated_one_does_not_count():
    curve = replace(CURVE, points=(STEADY, FULL, replace(STEADY, offered=0.9, accepted=0.9)))
    assert curve.saturation_throughput == 0.1
    assert curve.accepted_at_overload is None


def test_without_a_saturated_point_there_is_no_saturation_throughput():
    below = replace(CURVE, points=CURVE.points[:2])
    assert below.saturation_throughput is None
    assert below.reported_saturation == "not reached up to 0.3"
    assert below.as_json()["saturation_throughput"] is None
    whole = replace(CURVE, points=(STEADY, replace(STEADY, offered=1.0, accepted=1.0)))
    assert whole.reported_saturation == "not reached up to 1"


def test_json_has_the_promised_fields():
    both = replace(CURVE, rtl_points=(STEADY,))
    answer = LoadResult(
        traffic=Traffic(length=(1, 4)), engine="model", window=Window(), curves=(CURVE, both),
        version="9", command="knotwork sweep x",
    ).as_json()  # fmt: skip
    assert list(answer) == ["version", "command", "traffic", "engine", "window", "sweeps"]
    assert "permutation" not in answer["traffic"]
    assert answer["window"] == {"warmup": None, "measure": 10_000}
    figures = ["saturation_throughput", "saturated_between", "accepted_at_overload"]
    figures.append("zero_load_latency")
    assert [list(curve)[4:] for curve in answer["sweeps"]] == [
        [*figures, "ideal_throughput"],
        ["rtl_points", *figures, "ideal_throughput"],
    ]
    assert list(answer["sweeps"][0]["points"][0]) == [
        *("offered", "accepted", "accepted_ci95", "accepted_least", "latency", "latency_ci95"),
        *("saturated", "packets", "warmup"),
    ]
