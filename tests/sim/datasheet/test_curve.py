import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_sim.datasheet.curve import curve_sweep, curves


def test_points_are_those_of_the_sweep(answer):
    words = "hypercube n=2"
    sweep = curve_sweep([Network.from_words(words.split())], [words], "0.2:0.4:0.2", 200)
    (found,) = curves(sweep, "0.2:0.4:0.2")
    told = answer(found["command"].removeprefix("knotwork "))["sweeps"][0]["points"]
    assert found["points"] == [
        [point["offered"], point["accepted"], point["latency"]["mean"], point["saturated"]]
        for point in told
    ]


def test_rates_that_are_no_range_are_refused():
    with pytest.raises(ConfigurationError, match="must be FIRST:LAST:STEP"):
        curve_sweep([Network.from_words(["ring", "n=4"])], ["ring n=4"], "fast")
