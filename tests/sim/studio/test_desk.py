"""The desk and its helpers: answers that are kept, sweeps in the background, processes that end."""

import asyncio
import json
import subprocess
import sys

import pytest
from helpers.studio import AMPLE, HereHelper, in_loop
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Limit
from knotwork_sim.studio import desk as desks
from knotwork_sim.studio import helper as helpers
from knotwork_sim.studio.desk import BusyError, Desk, Helper

RING = {"words": ["ring", "n=3"]}
SWEEP = RING | {"rates": "0.1:0.2:0.1", "measure": 100}


class SlowHelper(HereHelper):
    """Helper that answers when it may."""

    async def answer(self, job, request, so_far):
        so_far({"done": 1, "total": 2, "points": [[0.1, 0.1, 3.0, False]]})
        await asyncio.sleep(60)
        return {"answer": {}}


@in_loop
async def test_answers_are_kept_but_no_refusals_and_the_oldest_go(monkeypatch):
    desk = Desk(AMPLE, HereHelper)
    answers = await asyncio.gather(*(desk.answer("facts", RING) for _ in range(20)))
    assert len(set(answers)) == 1
    assert json.loads(answers[0])["answer"]["name"] == "ring_n3"
    assert desk._helpers["quick"].jobs == ["facts"]
    monkeypatch.setattr(desks, "KEPT", 1)
    desk = Desk(AMPLE, HereHelper)
    for told in (RING, {"words": ["ring", "n=4"]}, RING, RING, {"words": []}, {"words": []}):
        await desk.answer("facts", told)
    assert len(desk._helpers["quick"].jobs) == 5


@in_loop
async def test_more_than_may_wait_are_turned_away(monkeypatch):
    monkeypatch.setattr(desks, "MOST_WAITING", 1)
    desk = Desk(AMPLE, HereHelper)
    first, second = await asyncio.gather(
        desk.answer("facts", RING), desk.answer("facts", RING), return_exceptions=True
    )
    assert isinstance(first, bytes)
    assert isinstance(second, BusyError)


@in_loop
async def test_a_sweep_goes_on_in_the_background():
    desk = Desk(AMPLE, HereHelper)
    assert desk.sweep.as_json() == {"number": 0, "state": "none"}
    desk.start_sweep(SWEEP)
    with pytest.raises(BusyError):
        desk.start_sweep(SWEEP)
    await desk._task
    told = desk.sweep.as_json()
    assert (told["number"], told["state"], told["done"]) == (1, "done", 2)
    desk.start_sweep(RING | {"rates": "?"})
    await desk._task
    assert desk.sweep.state == "refused"
    assert desk.sweep.as_json()["refused"].startswith("sweep: --rates must be")


@in_loop
async def test_a_sweep_is_stopped_and_keeps_its_points():
    desk = Desk(AMPLE, SlowHelper)
    desk.start_sweep(SWEEP)
    await asyncio.sleep(0)
    told = desk.stop_sweep().as_json()
    assert (told["state"], told["points"]) == ("stopped", [[0.1, 0.1, 3.0, False]])
    assert desk._helpers["sweep"].ended == 1
    assert desk.stop_sweep().state == "stopped"
    assert desk.start_sweep(SWEEP).number == 2
    await desk.close()


@in_loop
async def test_work_that_takes_too_long_is_ended_and_the_next_is_done():
    helper = Helper(Limit(0.01, 8e9))
    refused = await helper.answer("facts", RING, print)
    assert refused == {"refused": "facts: the work must stay within 0 s, not more"}
    helper._limit = AMPLE
    answer = await helper.answer("facts", RING, print)
    assert answer["answer"]["name"] == "ring_n3"
    process = helper._process
    helper.end()
    await helper.gone()
    assert process.returncode != 0


@in_loop
async def test_a_process_that_dies_is_told_of(monkeypatch):
    monkeypatch.setattr(desks.sys, "executable", "/bin/true")
    helper = Helper(Limit(60.0, 4e9))
    refused = await helper.answer("facts", RING, print)
    await helper.gone()
    assert refused == {"refused": "facts: the work must stay within 4.0 GB, but ended its process"}


@in_loop
async def test_the_start_of_a_process_is_no_part_of_the_work(tmp_path, monkeypatch):
    late = tmp_path / "python"
    late.write_text(f'#!/bin/sh\nsleep 2\nexec {sys.executable} "$@"\n')
    late.chmod(0o755)
    monkeypatch.setattr(desks.sys, "executable", str(late))
    helper = Helper(Limit(2.0, 8e9))
    refused = await helper.answer("facts", {"words": ["ring", "n=1"]}, print)
    assert refused == {"refused": "ring: n must be an integer in 2..4096, not 1"}
    helper.end()
    monkeypatch.setattr(desks, "START_SECONDS", 0.01)
    refused = await helper.answer("facts", RING, print)
    assert refused == {"refused": "facts: the work must stay within 0 s, not more"}
    await helper.gone()


SMALL = Limit(600.0, 2e9)


@pytest.mark.parametrize("job", helpers.JOBS)
def test_every_job_answers_or_refuses(job):
    told = {"words": ["ring", "n=3", "data_width=8"], "rates": "0.1:0.1:0.1", "measure": 100}
    assert "answer" in helpers.answer(job, told, SMALL, lambda _: None)
    if job != "form":
        refused = helpers.answer(job, {"words": ["ring", "n=1"]}, SMALL, lambda _: None)
        assert refused == {"refused": "ring: n must be an integer in 2..4096, not 1"}


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ConfigurationError("one\nline"), "one line"),
        (MemoryError(), "facts: the work must stay within 2.0 GB, not more"),
        (RecursionError(), "facts: the request must not be nested so deeply"),
    ],
)
def test_what_fails_is_told_in_a_line(error, line, monkeypatch):
    def fails(*_):
        raise error

    monkeypatch.setattr(helpers, "JOBS", {"facts": helpers.Job("answers", fails)})
    assert helpers.answer("facts", {}, SMALL, lambda _: None) == {"refused": line}


def test_a_process_answers_lines_and_ends_with_its_input():
    words = [sys.executable, "-m", "knotwork_sim.studio.helper", "60.0", "8e9"]
    asking = json.dumps({"job": "facts", "request": {"words": ["ring", "n=1"]}}) + "\n"
    with subprocess.Popen(
        words, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        process.stdin.write(asking)
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == {"begun": True}
        line = json.loads(process.stdout.readline())
        assert line == {"refused": "ring: n must be an integer in 2..4096, not 1"}
        process.stdin.close()
        assert process.wait(60) == 0
