import sys
import threading
import time
from functools import partial

import pytest
from helpers import dying
from helpers.refusals import refuses
from knotwork.errors import ToolError
from knotwork_sim.sweep.workers import (
    PATIENCE,
    ClusterWorkers,
    LocalThreads,
    LocalWorkers,
    OwnProcess,
    work,
)


def do(workers, jobs, start=lambda job: partial(dying.double, job)):
    """Results of jobs."""
    found = {}
    try:
        work(workers, lambda: [job for job in jobs if job not in found], start, found.__setitem__)
    finally:
        workers.close()
    return found


def test_all_that_is_wanted_is_done():
    assert do(OwnProcess(), range(5)) == {job: 2 * job for job in range(5)}
    assert do(OwnProcess(), []) == {}
    assert do(LocalWorkers(1), range(6)) == {job: 2 * job for job in range(6)}
    assert do(LocalThreads(3), range(6)) == {job: 2 * job for job in range(6)}


def test_an_error_in_the_own_process_is_that_of_the_job():
    with pytest.raises(ToolError, match=r"^a worker must finish 3, but failed: integer division"):
        do(OwnProcess(), [3], start=lambda job: lambda: job // 0)


def test_jobs_may_follow_from_results():
    found = {}

    def wanted():
        return [n for n in (len(found),) if n < 4]

    work(OwnProcess(), wanted, lambda job: partial(dying.double, job), found.__setitem__)
    assert found == {0: 0, 1: 2, 2: 4, 3: 6}


def test_nothing_of_a_closed_pool_is_left_to_end_beside_the_interpreter():
    before = set(threading.enumerate())
    assert do(LocalWorkers(2), range(4)) == {job: 2 * job for job in range(4)}
    assert set(threading.enumerate()) == before


def test_a_process_that_dies_costs_time_only(tmp_path):
    def start(job):
        if job == 3:
            return partial(dying.die_once, job, tmp_path / "mark")
        return partial(dying.double, job)

    assert do(LocalWorkers(2), range(6), start) == {job: 2 * job for job in range(6)}
    assert (tmp_path / "mark").exists()


def test_a_job_that_kills_its_worker_again_and_again_is_named():
    begin = time.monotonic()
    line = f"a worker must finish b, but {PATIENCE} workers died on it; is there enough memory?"
    tasks = {"a": dying.double, "b": dying.die}
    with refuses(line, ToolError):
        do(LocalWorkers(2), "ab", lambda job: partial(tasks[job], job))
    assert time.monotonic() - begin < 60


def test_a_job_that_fails_is_named():
    line = "a worker must finish a, but failed: no luck; finished points are kept"
    for workers in (LocalWorkers(1), LocalThreads(1)):
        with refuses(line, ToolError):
            do(workers, "a", lambda job: partial(dying.fail, job))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x", "127.0.0.1:9"])
def test_a_scheduler_that_does_not_answer_is_told(monkeypatch, address):
    pytest.importorskip("distributed")
    monkeypatch.setattr("knotwork_sim.sweep.workers.CONNECT_SECONDS", 1)
    with pytest.raises(ToolError) as error:
        ClusterWorkers(address)
    assert str(error.value).startswith(f"the scheduler {address} must answer, but did not: ")


def test_a_missing_library_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    line = "--scheduler must have Dask's library: run `pip install distributed`"
    with refuses(line, ToolError):
        ClusterWorkers("tcp://127.0.0.1:9")
