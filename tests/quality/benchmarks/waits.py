"""`make bench`: how long a person waits for an answer of the command line, beside the limits.

Every row is the median of five runs of a process from its start to its end, in folders and caches
of its own. It is run twice: where Python keeps bytecode, and where it may not
(``PYTHONDONTWRITEBYTECODE``, as many containers set it). With ``--base`` an earlier revision runs
in turn with the present one, so that both meet the same load of the machine.
"""

import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click
from knotwork.cli import output
from knotwork.cli.bytecode import import_all
from knotwork.files import write_file

from ..names import tracked
from ..unchanged.trees import ROOTS, Tree, check_out

FILE = Path("build", "bench", "waits.json")
ROUNDS = 5
"""Timed runs of each row, whose median it shows."""


class Wait(NamedTuple):
    """A command and the seconds that it may take."""

    command: str  # words after `knotwork`
    limit: float  # seconds
    note: str = ""  # what the row is, where its words do not say it
    fresh: bool = False  # whether each run starts with empty caches; otherwise it ran before
    before: str = ""  # command that fills the fresh caches first
    at_base: tuple[str, ...] = ()  # commands that answer the same in earlier revisions


_SIMULATE = "simulate moebius n=3 packets=2000"
_LOADS = "sweep mesh x=8 y=8 --rates 0.02:0.4:0.02 --measure 10000"
WAITS = (
    Wait("--help", 0.15),
    Wait("networks", 0.25),
    Wait("describe moebius n=4", 0.3),
    Wait("check mesh x=3 y=3", 0.6),
    Wait("check moebius n=6 routing=spr", 1.0),
    Wait(_SIMULATE, 12.0, "first, all caches empty", fresh=True),
    Wait(_SIMULATE, 2.0, "again"),
    Wait(f"{_SIMULATE} data_width=40", 6.0, "another width after 32", fresh=True, before=_SIMULATE),
    Wait(f"{_SIMULATE} --engine model", 0.8),
    Wait("sweep mesh x=8 y=8 --rates 0.1 --measure 10000", 1.0),
    Wait(
        f"{_LOADS} --repeat 10",
        15.0,
        "20 loads x 10 seeds",
        at_base=tuple(f"{_LOADS} seed={seed}" for seed in range(1, 11)),
    ),
    Wait("sweep mesh x=64 y=64 --rates 0.01,0.02 --measure 10000", 20.0),
)


class Setting(NamedTuple):
    """Sources that answer, and whether Python may write their bytecode."""

    name: str  # column of the table
    tree: Tree | None  # None: the sources of this project
    bytecode: bool

    def environment(self, caches: Path) -> dict[str, str]:
        """Variables of a command of this setting, with its caches in a folder."""
        variables = {key: value for key, value in os.environ.items() if key != _NO_BYTECODE}
        variables |= {} if self.tree is None else self.tree.environment
        variables |= {} if self.bytecode else {_NO_BYTECODE: "1"}
        return variables | {
            "XDG_CACHE_HOME": str(caches / "user"),
            "NUMBA_CACHE_DIR": str(caches / "numba"),
        }


_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
_FOLDERS = count()


class Place:
    """Folder in which commands of a setting run, with caches that are empty at first."""

    def __init__(self, setting: Setting, parent: Path) -> None:
        self.folder = parent / f"place_{next(_FOLDERS)}"
        self.folder.mkdir()
        self._environment = setting.environment(self.folder / "caches")

    def seconds(self, commands: Sequence[str]) -> float:
        """Seconds that commands take, one after the other; each must succeed."""
        executable = str(Path(sys.executable).with_name("knotwork"))
        begin = time.perf_counter()
        for command in commands:
            subprocess.run(
                [executable, *command.split()],
                check=True,
                capture_output=True,
                cwd=self.folder,
                env=self._environment,
            )
        return time.perf_counter() - begin


def wait_row(
    wait: Wait, settings: Sequence[Setting], parent: Path, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Measure a command in each setting: the median of its runs in seconds."""
    runs = [_runs(wait, setting, parent) for setting in settings]
    seconds = [[run() for run in runs] for _ in range(rounds)]
    row: dict[str, Any] = {"command": f"knotwork {wait.command}", "note": wait.note}
    row["limit"] = wait.limit
    columns = zip(*seconds, strict=True)
    return row | {
        setting.name: round(median(column), 2)
        for setting, column in zip(settings, columns, strict=True)
    }


def _runs(wait: Wait, setting: Setting, parent: Path) -> Callable[[], float]:
    """Timed run of a command in a setting, to be called once per round."""
    commands = (wait.command,) if setting.tree is None else (wait.at_base or (wait.command,))
    if wait.fresh:

        def run() -> float:
            place = Place(setting, parent)
            place.seconds([wait.before] if wait.before else [])
            return place.seconds(commands)

        return run
    place = Place(setting, parent)
    place.seconds(commands)
    return lambda: place.seconds(commands)


@contextmanager
def settings(base: str | None) -> Iterator[tuple[Setting, ...]]:
    """The present sources, and those of an earlier revision, with and without kept bytecode.

    The present ones have the bytecode that set-up compiles. That of the revision is compiled in
    one copy of it, and not in the other.
    """
    import_all()
    present = (Setting("seconds", None, True), Setting("without_bytecode", None, False))
    if base is None:
        yield present
        return
    with tempfile.TemporaryDirectory(prefix="knotwork-") as name:
        trees = []
        for copy in ("kept", "not_kept"):
            folder = Path(name, copy)
            check_out(base, folder)
            trees.append(Tree.at(folder, Path(name, f"metadata_{copy}")))
        for root in ROOTS:
            compileall.compile_dir(trees[0].sources / root, quiet=2)
        yield (
            *present,
            Setting("base_seconds", trees[0], True),
            Setting("base_without_bytecode", trees[1], False),
        )


@click.command()
@click.option("--base", metavar="REVISION", help="Measure that revision's sources too.")
@click.option("--rounds", default=ROUNDS, show_default=True, help="Timed runs of each row.")
@click.option("--rows", default="", help="Measure only the rows whose commands have this text.")
def main(base: str | None, rounds: int, rows: str) -> None:
    """Measure how long commands take, print the table, and write each row as JSON at once."""
    chosen = [wait for wait in WAITS if rows in wait.command]
    with settings(base) as measured, tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        results = []
        for wait in tracked(chosen, "commands"):
            results.append(wait_row(wait, measured, Path(folder), rounds))
            write_file(FILE, json.dumps(results, indent=2) + "\n")
    columns = list(dict.fromkeys(key for row in results for key in row))
    cells = [[str(row[column]) for column in columns] for row in results]
    output.table("How long a person waits", [name.replace("_", " ") for name in columns], cells)


if __name__ == "__main__":
    main()
