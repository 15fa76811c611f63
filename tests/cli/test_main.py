import os
import subprocess
import sys
from importlib.metadata import version

import click
import pytest
from knotwork.cli import main
from knotwork.errors import CheckFailedError, ConfigurationError, ToolError

VERBS = ["networks", "describe", "compare", "route", "check", "generate", "draw", "multicast"]
VERBS += ["broadcast", "schedule"]


def test_help_lists_every_verb(capsys):
    assert main.run(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines if line.startswith("  ")} >= set(VERBS)


def test_without_a_verb_the_help_is_printed(capsys):
    assert main.run([]) == 0
    assert capsys.readouterr().out.startswith("Usage: knotwork ")


def test_version(capsys):
    assert main.run(["--version"]) == 0
    assert version("knotwork") in capsys.readouterr().out


def test_an_unknown_verb_is_refused_with_the_known_ones(capsys):
    assert main.run(["descibe"]) == 2
    out, err = capsys.readouterr()
    known = ", ".join(main.cli.list_commands(click.Context(main.cli)))
    assert (out, err) == (
        "",
        f"knotwork: error: a command must be one of {known}, not 'descibe'\n",
    )


@pytest.mark.parametrize(
    ("arguments", "end"),
    [
        (["describe", "--nothing"], "; see knotwork describe --help\n"),
        (["--nothing"], "; see knotwork --help\n"),
        (["draw", "hypercube", "n=3", "--route", "1"], " requires 2 arguments\n"),
    ],
)
def test_usage_errors_are_one_line(capsys, arguments, end):
    assert main.run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("knotwork: error: ")  # the middle is click's
    assert err.endswith(end)


@pytest.mark.parametrize(
    ("raised", "status", "err"),
    [
        (ConfigurationError("a must be b,\nnot c"), 2, "knotwork: error: a must be b, not c\n"),
        (ToolError("yosys: must run"), 2, "knotwork: error: yosys: must run\n"),
        (CheckFailedError("a fault"), 1, "knotwork: error: a fault\n"),
        (KeyboardInterrupt(), 130, ""),
        (click.ClickException("odd."), 2, "knotwork: error: odd\n"),
    ],
)
def test_expected_failures_have_their_status_and_one_line(monkeypatch, capsys, raised, status, err):
    def fail(*_, **__):
        raise raised

    monkeypatch.setattr(main.cli, "invoke", fail)
    assert main.run(["networks"]) == status
    out, written = capsys.readouterr()
    assert (out, written.lstrip("\n")) == ("", err)


def test_a_verb_that_cannot_be_imported_tells_why(monkeypatch, capsys):
    class Broken:
        def load(self):
            raise ImportError("No module named 'thing'")

    monkeypatch.setitem(main.cli.entries, "describe", Broken())
    assert main.run(["--help"]) == 0
    assert "(not available: No module named 'thing')" in capsys.readouterr().out
    assert main.run(["describe", "moebius", "--json", "n=3"]) == 2
    assert capsys.readouterr().err == (
        "knotwork: error: describe: its module must be importable: No module named 'thing'; "
        "reinstall knotwork\n"
    )


def knotwork(command: str, **environment: str) -> subprocess.CompletedProcess:
    """Run a shell line in which ``knotwork`` is the command under test."""
    program = f"{sys.executable} -c 'from knotwork.cli.main import main; main()'"
    line = command.replace("knotwork", program)
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )


def test_a_reader_that_leaves_is_no_reason_to_complain():
    done = knotwork("knotwork route hypercube n=9 --table | head -n 1")
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


def test_an_error_on_the_real_command_line():
    done = knotwork("knotwork describe hypercube n=0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "knotwork: error: hypercube: n must be an integer in 1..20, not 0\n"


def test_a_stream_without_unicode_is_no_traceback():
    done = knotwork("knotwork networks", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "M?bius" in done.stdout
