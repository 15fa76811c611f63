"""The benchmark of commands runs what it says, in caches that are empty when it says so."""

import json
import subprocess

import pytest
from click.testing import CliRunner
from quality.benchmarks import waits
from quality.benchmarks.waits import Place, Setting, Wait, wait_row

KEPT = Setting("seconds", None, True)


@pytest.fixture
def runs(monkeypatch):
    """Commands that were run: words, folder and variables; none runs."""
    ran = []

    def run(words, *, cwd, env, **_):
        ran.append((" ".join(words[1:]), cwd, env))

    monkeypatch.setattr(waits.subprocess, "run", run)
    return ran


def test_a_row_is_the_median_of_the_rounds_after_the_first_run(monkeypatch, runs, tmp_path):
    ticks = iter([0.0, 9.0, 0.0, 0.3, 0.0, 0.1, 0.0, 0.2])
    monkeypatch.setattr(waits.time, "perf_counter", lambda: next(ticks))
    row = wait_row(Wait("networks", 0.25), [KEPT], tmp_path, 3)
    assert row == {"command": "knotwork networks", "note": "", "limit": 0.25, "seconds": 0.2}
    assert [words for words, _, _ in runs] == ["networks"] * 4
    assert len({folder for _, folder, _ in runs}) == 1


def test_fresh_runs_start_with_empty_caches_that_another_command_may_fill(runs, tmp_path):
    wait_row(Wait("again", 1.0, fresh=True, before="first"), [KEPT], tmp_path, 2)
    assert [words for words, _, _ in runs] == ["first", "again"] * 2
    assert len({env["XDG_CACHE_HOME"] for _, _, env in runs}) == 2
    assert len({env["NUMBA_CACHE_DIR"] for _, _, env in runs}) == 2


def test_settings_say_whether_bytecode_is_kept(monkeypatch, runs, tmp_path):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    wait_row(Wait("networks", 1.0), [KEPT, Setting("without", None, False)], tmp_path, 1)
    kept = [env for _, _, env in runs if "PYTHONDONTWRITEBYTECODE" not in env]
    assert (len(kept), len(runs)) == (2, 4)


def test_the_seconds_are_those_of_processes_that_must_succeed(tmp_path):
    place = Place(KEPT, tmp_path)
    assert place.seconds(["--version", "--version"]) > 0
    with pytest.raises(subprocess.CalledProcessError):
        place.seconds(["no_such_verb"])


def test_rows_are_chosen_printed_and_written(monkeypatch, tmp_path):
    monkeypatch.setattr(waits, "FILE", tmp_path / "waits.json")
    monkeypatch.setattr(waits, "import_all", lambda: 0)
    monkeypatch.setattr(Place, "seconds", lambda _, commands: float(len(commands)))
    done = CliRunner().invoke(waits.main, ["--rows", "check", "--rounds", "1"])
    assert done.exit_code == 0
    assert "knotwork check mesh x=3 y=3" in done.output
    rows = json.loads((tmp_path / "waits.json").read_text())
    assert [(row["limit"], row["seconds"]) for row in rows] == [(0.6, 1.0), (1.0, 1.0)]
