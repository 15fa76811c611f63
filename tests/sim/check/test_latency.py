import numpy as np
from knotwork_sim.check.latency import Latency


def test_a_summary_has_the_fields_that_json_promises():
    summary = Latency.of(np.arange(1, 102)).as_json()
    assert summary == {"mean": 51.0, "p50": 51.0, "p99": 100.0, "max": 101}
    assert list(summary) == ["mean", "p50", "p99", "max"]
    assert isinstance(summary["max"], int)


def test_without_packets_nothing_is_known():
    assert Latency.of(np.zeros(0, np.int64)) == Latency()
    assert set(Latency().as_json().values()) == {None}
