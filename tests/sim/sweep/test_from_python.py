import subprocess
import sys

import pytest
from knotwork import Hypercube
from knotwork.errors import ConfigurationError
from knotwork_sim import sweep
from knotwork_sim.sweep.load import LoadSweep, run_sweep, split_nets
from knotwork_sim.sweep.load_result import Window


@pytest.fixture(scope="module")
def result():
    return sweep(["hypercube:n=2", Hypercube(n=2)], [0.2, 1], measure=300, length=2)


def test_the_answer_is_that_of_the_command(result):
    nets = split_nets(["hypercube:n=2", "length=2"])
    made = LoadSweep(*nets, rates=(0.2, 1.0), window=Window(measure=300))
    assert run_sweep(made).curves[0] == result.curves[0]
    assert [curve.label for curve in result.curves] == ["hypercube:n=2", "hypercube_n2"]
    assert result.curves[0].points == result.curves[1].points


def test_loads_may_be_a_range_in_words(result):
    assert (
        sweep("hypercube:n=2", "0.2:0.2:0.1", measure=300, length=2).curves[0].points
        == (result.curves[0].points[:1])
    )


def test_its_repr_tells_the_saturation(result):
    saturation = f"{result.curves[0].saturation_throughput:.3f}"
    assert repr(result) == (
        f"<LoadResult, engine=model, in flits/node/cycle: hypercube:n=2: saturation {saturation}; "
        f"hypercube_n2: saturation {saturation}>"
    )


def test_a_data_frame_has_a_row_for_each_point(result):
    pandas = pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert frame.offered.tolist() == [0.2, 1.0] * 2
    assert frame.saturated.tolist() == [False, True] * 2
    assert frame.latency_mean[1] is pandas.NA
    assert frame.latency_mean[0] == result.curves[0].points[0].latency.mean


def test_wrong_loads_are_refused():
    with pytest.raises(ConfigurationError, match="a load must be above 0 and at most 1, not 2"):
        sweep("hypercube:n=2", [2])
    with pytest.raises(ConfigurationError, match="rates must be FIRST:LAST:STEP"):
        sweep("hypercube:n=2", "0.1")


def test_the_room_does_not_hide_the_function():
    code = (
        "import knotwork_sim.sweep.rates\n"
        "from knotwork_sim import sweep\n"
        "assert callable(sweep)\n"
        "assert knotwork_sim.sweep.rates.COARSE"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
