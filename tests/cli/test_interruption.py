"""Commands that a signal ends at random moments: one line, no half file, no child left."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

QUICK = ("generate ccc n=8 -o out", "export hypercube n=17 --edges out.e")
LONG = (
    *QUICK,
    "check hypercube n=12",
    "describe hypercube n=12 --routing",
    "route hypercube n=12 --table",
    "compare hypercube:n=10 moebius:n=10",
    "draw hypercube n=10 -o out.svg",
    "verify hypercube n=2",
    "simulate hypercube n=6 packets=2000000 --engine model",
    "simulate hypercube n=3 data_width=41 packets=50000 --engine rtl",
    "simulate lcan d=2 u=2 levels=4 packets=20000 --engine model",
    "sweep hypercube:n=6",
    "sweep lcan:d=2,u=2,levels=2-8 --permutation random",
    "survive hypercube:n=5 --dead 3 --sets 200 --measure 2000 --limit none",
    "search --nodes 256 --degree 4 --effort 2000000",
    "bitstream moebius n=2 data_width=8 buffer_depth=2 --board icebreaker -o out",
)


def descendants(process: int) -> set[int]:
    """Processes that another one has started, and theirs."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    parents = {int(pid): int(parent) for pid, parent in map(str.split, listed.stdout.splitlines())}
    found: set[int] = {process}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {process}


def interrupt(command: str, number: int, seconds: float, folder) -> tuple[int, str, set[int]]:
    """Exit status, stderr, and the processes that a command had when the signal came."""
    program = "from knotwork.cli.entry import main; main()"
    made = subprocess.Popen(
        [sys.executable, "-c", program, *command.split()],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(seconds)
    children = descendants(made.pid)
    made.send_signal(number)
    _, err = made.communicate(timeout=60)
    return made.returncode, err, children


def check_end(command: str, number: int, seconds: float, folder) -> None:
    status, err, children = interrupt(command, number, seconds, folder)
    told = [line for line in err.splitlines() if " takes about " not in line]
    told = [line for line in told if ", after " not in line]  # progress
    if status == 0:  # it was quicker
        assert told == []
        return
    word = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}[number]
    assert (status, told) == (128 + number, [f"knotwork: {word}"]), err
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)
    kept = {"yosys.log", "nextpnr.log", "nextpnr.json"}  # of a build that ended early
    left = [path for path in folder.rglob("*") if path.is_file() and path.name not in kept]
    assert [path for path in left if "__pycache__" not in path.parts] == []


@pytest.mark.parametrize("command", QUICK)
def test_a_command_ends_in_one_line_and_leaves_nothing(command, tmp_path):
    check_end(command, signal.SIGINT, random.uniform(0.5, 2), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", LONG)
def test_every_verb_ends_in_one_line_at_random_moments(command, number, tmp_path):
    for attempt in range(3):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        check_end(command, number, random.uniform(0.3, 12), folder)
