import numpy as np
import pytest
from knotwork_sim.search import run
from knotwork_sim.search.plan import Plan
from knotwork_sim.search.run import run_search
from knotwork_sim.sweep.workers import LocalWorkers, OwnProcess
from knotwork_sim.traffic.given import RateMatrix


@pytest.fixture(scope="module")
def found():
    return run_search(Plan(16, 3, effort=2000))


def test_the_best_graph_comes_first(found):
    means = [row.figures.average_distance for row in found.rows]
    assert means == sorted(means)
    assert means[0] == pytest.approx(2.2)  # the Moore bound, which 16 routers of degree 3 reach
    assert found.best is found.rows[0]
    assert len({row.name for row in found.rows}) == len(found.rows)


def test_of_equal_graphs_the_simplest_comes_first():
    assert run_search(Plan(4, 3, effort=10)).best.name == "circulant 1,2"
    assert run_search(Plan(9, 2, "load", effort=10)).best.steps == (1,)


def test_every_kind_and_the_networks_are_there(found):
    assert {row.kind for row in found.rows} == {"circulant", "random", "symmetric"}
    assert {row.swaps for row in found.rows} == {0, 2000}
    assert "hypercube:n=4" in [row.name for row in found.published]


def test_json_has_the_promised_fields(found):
    told = found.as_json()
    assert set(told) == {
        *("nodes", "degree", "aim", "traffic", "seed", "starts"),
        *("bounds", "best", "found", "published"),
    }
    edges = told["best"]["edges"]
    assert len(edges) == 24
    assert np.bincount(np.ravel(edges)).tolist() == [3] * 16
    assert told["bounds"] == {
        "diameter": 3,
        "average_distance": pytest.approx(2.2),
        "fullest_channel": pytest.approx(2.2 / 3),
    }


def test_a_seed_decides_everything(found):
    again = run_search(Plan(16, 3, effort=2000))
    assert again.as_json() == found.as_json()
    assert run_search(Plan(16, 3, effort=5, seed=2)).as_json() != (
        run_search(Plan(16, 3, effort=5, seed=3)).as_json()
    )


def test_processes_find_what_one_process_finds(found, monkeypatch):
    monkeypatch.setattr(run, "QUICK", 0.0)
    assert run_search(Plan(16, 3, effort=2000)).as_json() == found.as_json()


def test_short_work_starts_no_processes():
    assert isinstance(run._workers(Plan(16, 3, effort=10), None), OwnProcess)
    many = run._workers(Plan(64, 4), None)
    assert isinstance(many, LocalWorkers)
    many.close()


def test_traffic_that_a_ring_carries_is_given_a_ring():
    """Nodes that send to the next one alone: every one of them can be a neighbour."""
    rates = np.zeros((12, 12))
    order = np.random.default_rng(5).permutation(12)
    rates[order, np.roll(order, 1)] = 1.0
    found = run_search(Plan(12, 3, "load", RateMatrix.of(rates), effort=4000))
    assert found.best.figures.average_distance < 1.3
    assert found.best.figures.fullest_channel <= 1.0
