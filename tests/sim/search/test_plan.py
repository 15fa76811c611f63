import numpy as np
import pytest
from knotwork.errors import ConfigurationError
from knotwork_sim.search.plan import Job, Making, Plan
from knotwork_sim.traffic.given import RateMatrix


def refusal(*arguments, **settings):
    with pytest.raises(ConfigurationError) as refused:
        Plan(*arguments, **settings)
    return str(refused.value)


def test_what_no_graph_can_be_is_refused():
    assert refusal(5, 3) == "search: --degree must be even where --nodes is odd (5), not 3"
    assert refusal(4, 4) == "search: --degree must be less than the 4 nodes, not 4"
    assert refusal(6, 1) == "search: --degree must be at least 2 to connect 6 nodes, not 1"
    assert refusal(4, 2, "hops") == "search: aim must be one of distance, load, not 'hops'"
    matrix = RateMatrix.of(np.ones((3, 3)))
    assert refusal(4, 2, traffic=matrix) == (
        "search: --traffic must have a row for each of the 4 nodes, not 3"
    )


def test_rotations_divide_the_nodes_and_keep_the_degree():
    jobs = Plan(64, 3, starts=1).jobs()
    turns = [job.rotations for job in jobs if job.kind == "symmetric"]
    assert turns
    assert all(64 % each == 0 and (64 // each) % 2 == 0 for each in turns)
    assert not [job for job in Plan(61, 4).jobs() if job.kind == "symmetric"]
    matrix = RateMatrix.of(np.ones((64, 64)))
    assert not [job for job in Plan(64, 3, traffic=matrix).jobs() if job.kind == "symmetric"]


def test_starts_multiply_the_random_graphs():
    assert len(Plan(61, 4, starts=5).jobs()) == 5 + 2
    assert len(set(Plan(64, 4, starts=3).jobs())) == 3 * 4 + 2


def test_rates_are_a_flit_per_node_on_average():
    rates = Plan(3, 2, traffic=RateMatrix.of([[0, 2, 0], [0, 0, 4], [0, 6, 0]])).lowered.rates
    assert rates.sum() == pytest.approx(3)
    assert rates[2, 1] == pytest.approx(1.5)


def test_swaps_follow_from_the_size_and_not_from_the_clock():
    job = Job("random")
    assert Plan(64, 4).swaps(job) > Plan(1024, 6).swaps(job) > Plan(1024, 6, "load").swaps(job)
    assert Plan(1024, 6, effort=7).swaps(job) == 7


def test_work_grows_with_the_swaps():
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


def test_every_job_draws_its_own():
    plan = Plan(20, 4)
    drawn = {int(Making(plan, job).random.integers(2**62)) for job in plan.jobs()}
    assert len(drawn) == len(plan.jobs())
    assert Making(plan, Job("random")).random.integers(2**62) == (
        Making(Plan(20, 4), Job("random")).random.integers(2**62)
    )
