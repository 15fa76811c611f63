"""Searches from their plan to their figure."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from helpers.refusals import refuses
from knotwork_sim.search import run
from knotwork_sim.search.output import draw
from knotwork_sim.search.run import Job, Making, Plan, run_search
from knotwork_sim.sweep.workers import LocalWorkers, OwnProcess
from knotwork_sim.traffic.files import RateMatrix


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ((5, 3), "--degree must be even where --nodes is odd (5), not 3"),
        ((4, 4), "--degree must be less than the 4 nodes, not 4"),
        ((6, 1), "--degree must be at least 2 to connect 6 nodes, not 1"),
        ((4, 2, "hops"), "aim must be one of distance, load, not 'hops'"),
        (
            (4, 2, "load", RateMatrix.of(np.ones((3, 3)))),
            "--traffic must have a row for each of the 4 nodes, not 3",
        ),
    ],
)
def test_what_no_graph_can_be_is_refused(arguments, line):
    with refuses(f"search: {line}"):
        Plan(*arguments)


def test_rotations_divide_the_nodes_and_keep_the_degree():
    jobs = Plan(64, 3, starts=1).jobs()
    turns = [job.rotations for job in jobs if job.kind == "symmetric"]
    assert turns
    assert all(64 % each == 0 and (64 // each) % 2 == 0 for each in turns)
    assert not [job for job in Plan(61, 4).jobs() if job.kind == "symmetric"]
    matrix = RateMatrix.of(np.ones((64, 64)))
    assert not [job for job in Plan(64, 3, traffic=matrix).jobs() if job.kind == "symmetric"]


def test_starts_multiply_the_random_graphs_and_every_job_draws_its_own():
    assert len(Plan(61, 4, starts=5).jobs()) == 5 + 2
    assert len(set(Plan(64, 4, starts=3).jobs())) == 3 * 4 + 2
    plan = Plan(20, 4)
    drawn = {int(Making(plan, job).random.integers(2**62)) for job in plan.jobs()}
    assert len(drawn) == len(plan.jobs())
    assert Making(plan, Job("random")).random.integers(2**62) == (
        Making(Plan(20, 4), Job("random")).random.integers(2**62)
    )


def test_rates_are_a_flit_per_node_and_work_grows_with_swaps_and_size():
    rates = Plan(3, 2, traffic=RateMatrix.of([[0, 2, 0], [0, 0, 4], [0, 6, 0]])).lowered.rates
    assert rates.sum() == pytest.approx(3)
    assert rates[2, 1] == pytest.approx(1.5)
    job = Job("random")
    assert Plan(64, 4).swaps(job) > Plan(1024, 6).swaps(job) > Plan(1024, 6, "load").swaps(job)
    assert Plan(1024, 6, effort=7).swaps(job) == 7
    few, many = (Plan(64, 4, effort=effort).work(1).seconds for effort in (100, 10**7))
    assert few < 10
    assert many > 60
    assert Plan(64, 4, effort=10**7).work(4).seconds < many


@pytest.mark.parametrize("kind", ["circulant", "random", "symmetric", "published"])
def test_a_job_makes_its_graphs(kind):
    plan = Plan(20, 4, effort=20)
    rows = Making(plan, Job(kind, 5 if kind == "symmetric" else 1))()
    assert {row.kind for row in rows} == {kind}
    for row in rows:
        if kind != "published":
            assert (row.figures.degree_min, row.figures.degree_max) == (4, 4)
            assert row.neighbours.shape == (20, 4)
    assert [row.swaps for row in rows if row.name.endswith("swapped")] == (
        [20] if kind != "published" else []
    )


@pytest.fixture(scope="module")
def found():
    return run_search(Plan(16, 3, effort=2000))


def test_the_best_graph_comes_first_and_every_kind_is_in_json(found):
    means = [row.figures.average_distance for row in found.rows]
    assert means == sorted(means)
    assert means[0] == pytest.approx(2.2)  # the Moore bound, which 16 routers of degree 3 reach
    assert found.best is found.rows[0]
    assert len({row.name for row in found.rows}) == len(found.rows)
    assert {row.kind for row in found.rows} == {"circulant", "random", "symmetric"}
    assert {row.swaps for row in found.rows} == {0, 2000}
    assert "hypercube:n=4" in [row.name for row in found.published]
    told = found.as_json()
    promised = "nodes degree aim traffic seed starts bounds best found published"
    assert set(told) == set(promised.split())
    edges = told["best"]["edges"]
    assert len(edges) == 24
    assert np.bincount(np.ravel(edges)).tolist() == [3] * 16
    assert told["bounds"] == {
        "diameter": 3,
        "average_distance": pytest.approx(2.2),
        "fullest_channel": pytest.approx(2.2 / 3),
    }


def test_a_seed_decides_everything_and_of_equal_graphs_the_simplest_comes_first(found):
    assert run_search(Plan(4, 3, effort=10)).best.name == "circulant 1,2"
    assert run_search(Plan(9, 2, "load", effort=10)).best.steps == (1,)
    assert run_search(Plan(16, 3, effort=2000)).as_json() == found.as_json()
    two, three = (run_search(Plan(16, 3, effort=5, seed=seed)) for seed in (2, 3))
    assert two.as_json() != three.as_json()


def test_short_work_starts_no_processes_and_processes_find_the_same(found, monkeypatch):
    assert isinstance(run._workers(Plan(16, 3, effort=10), None), OwnProcess)
    many = run._workers(Plan(64, 4), None)
    assert isinstance(many, LocalWorkers)
    many.close()
    monkeypatch.setattr(run, "QUICK", 0.0)
    assert run_search(Plan(16, 3, effort=2000)).as_json() == found.as_json()


def test_the_best_graph_and_all_networks_are_shown_in_the_same_bytes(found):
    text = draw(found, "svg")
    assert text == draw(found, "svg")
    ET.fromstring(text)
    for name in (found.best.name, *(row.name for row in found.published), "Moore bound"):
        assert f"<!-- {name}" in text.decode()
    assert draw(found, "png").startswith(b"\x89PNG")
    assert draw(found, "pdf").startswith(b"%PDF")
