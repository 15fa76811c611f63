"""How long the command line takes to answer: whole processes, with a warm disk cache."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

COMMANDS = (
    "knotwork --help",
    "knotwork networks",
    "knotwork describe moebius n=4",
)
RUNS = 10
"""Runs of each command after the first, which only warms the caches, Python's bytecode too."""

_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


def process_seconds(words: Sequence[str]) -> float:
    """Wall-clock seconds of a process from its start to its end.

    Raises
    ------
    subprocess.CalledProcessError
        The command failed.
    """
    # Where Python may not write bytecode, each process would compile all that it imports anew.
    environment = {key: value for key, value in os.environ.items() if key != _NO_BYTECODE}
    begin = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True, env=environment)
    return time.perf_counter() - begin


def command_row(command: str, runs: int = RUNS) -> dict[str, Any]:
    """Measure a command: ``name``, and ``seconds``, the median of its runs."""
    name, *words = command.split()
    executable = str(Path(sys.executable).with_name(name))
    process_seconds([executable, *words])
    seconds = [process_seconds([executable, *words]) for _ in range(runs)]
    return {"name": command, "seconds": round(median(seconds), 3)}
