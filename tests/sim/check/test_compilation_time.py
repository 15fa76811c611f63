import pytest
from knotwork import Hypercube, Mesh, Network
from knotwork_sim.check.compilation_time import (
    driver_seconds,
    expected_driver_seconds,
    note_driver_seconds,
)


def test_what_compilations_took_here_decides_of_other_networks_too(monkeypatch, tmp_path):
    monkeypatch.setenv("KNOTWORK_CACHE", str(tmp_path))
    small, large = Network(Hypercube(n=2)), Network(Mesh(x=8, y=8))
    assert expected_driver_seconds(large) == driver_seconds(large) > 2 * driver_seconds(small)
    note_driver_seconds(small, 3 * driver_seconds(small))
    assert expected_driver_seconds(large) == pytest.approx(3 * driver_seconds(large))
