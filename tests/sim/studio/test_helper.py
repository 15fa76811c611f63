"""The process that works: its lines, its limits, and its end when nobody asks any more."""

import json
import subprocess
import sys

import pytest
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Limit
from knotwork_sim.studio import helper

AMPLE = Limit(600.0, 2e9)


@pytest.mark.parametrize("job", helper.JOBS)
def test_every_job_answers_or_refuses(job):
    told = {"words": ["ring", "n=3", "data_width=8"], "rates": "0.1:0.1:0.1", "measure": 100}
    assert "answer" in helper.answer(job, told, AMPLE, lambda _: None)
    if job != "form":
        refused = helper.answer(job, {"words": ["ring", "n=1"]}, AMPLE, lambda _: None)
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

    monkeypatch.setattr(helper, "JOBS", {"facts": fails})
    assert helper.answer("facts", {}, AMPLE, lambda _: None) == {"refused": line}


def test_a_process_answers_lines_and_ends_with_its_input():
    words = [sys.executable, "-m", "knotwork_sim.studio.helper", "60.0", "8e9"]
    asking = json.dumps({"job": "facts", "told": {"words": ["ring", "n=1"]}}) + "\n"
    with subprocess.Popen(
        words, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        process.stdin.write(asking)
        process.stdin.flush()
        line = json.loads(process.stdout.readline())
        assert line == {"refused": "ring: n must be an integer in 2..4096, not 1"}
        process.stdin.close()
        assert process.wait(60) == 0
