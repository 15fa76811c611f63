"""What the project's programs share: names on the command line, progress, kept rows, errors."""

import csv
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from knotwork.errors import KnotworkError
from knotwork.files import write_file
from rich.console import Console
from rich.progress import Progress

T = TypeVar("T")


def command_of_names(names: Sequence[str]) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function, whose `names` are those given on the line, each one of these.

    `--help` lists them all.
    """

    def made(function: Callable[..., Any]) -> click.Command:
        given = click.argument("names", nargs=-1, metavar="[NAME]...", type=click.Choice(names))
        return click.command(epilog=f"NAME is one of {', '.join(names)}.")(given(function))

    return made


def tracked(jobs: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Jobs one by one, with a progress bar on a terminal."""
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        yield from bar.track(jobs, total=total, description=what)


def read_rows(file: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """Rows of a CSV file by the fields of its first line; none where it is not there."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter=delimiter))


def write_rows(
    file: Path, fields: Sequence[str], rows: Iterable[Iterable[Any]], delimiter: str = ","
) -> None:
    """Write a CSV file."""
    text = io.StringIO()
    lines = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    lines.writerow(fields)
    lines.writerows(rows)
    write_file(file, text.getvalue())


def run(command: click.Command, name: str) -> NoReturn:
    """Entry point of a program: an expected failure is one line on stderr."""
    try:
        command(prog_name=f"make {name}")
    except KnotworkError as error:
        print(f"{name}: error:", str(error).removeprefix(f"{name}: "), file=sys.stderr)
        sys.exit(error.status)
    sys.exit()  # click has exited by itself
