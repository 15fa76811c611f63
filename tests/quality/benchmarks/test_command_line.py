import subprocess

import pytest
from quality.benchmarks import command_line
from quality.benchmarks.command_line import COMMANDS, command_row, process_seconds


def test_a_row_is_the_median_of_the_runs_after_the_first(monkeypatch):
    seconds = iter([9.0, 0.3, 0.1, 0.2])
    ran = []

    def run(words):
        ran.append(words[1:])
        return next(seconds)

    monkeypatch.setattr(command_line, "process_seconds", run)
    row = command_row("knotwork describe moebius n=4", 3)
    assert row == {"name": "knotwork describe moebius n=4", "seconds": 0.2}
    assert ran == [["describe", "moebius", "n=4"]] * 4


def test_the_seconds_are_those_of_the_whole_process():
    assert process_seconds(["sleep", "0.2"]) >= 0.2


def test_a_command_that_fails_has_no_time():
    with pytest.raises(subprocess.CalledProcessError):
        process_seconds(["false"])


def test_help_and_the_first_questions_are_measured():
    assert COMMANDS == (
        "knotwork --help",
        "knotwork networks",
        "knotwork describe moebius n=4",
    )
