"""How commands print their answers: tables for people, JSON for programs."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

import click

if TYPE_CHECKING:  # rich is loaded to draw a table, NumPy by those who have arrays
    import numpy as np
    from rich.console import Console

_FACT, _VALUE = 22, 19
"""Columns of a terminal for the first column of alike ones, and for each other."""
_UNLIMITED = 1_000_000  # columns where stdout is no terminal: nothing is wrapped or cut there
_STYLES = "\x1b[1m", "\x1b[36m", "\x1b[0m"  # bold, cyan, and neither
_RICH_SETTINGS = {"FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"}
"""Variables by which users tell rich what a terminal is; then it prints all tables."""


def console() -> Console:
    """Rich console on stdout that takes text as it is, and wraps only on a terminal."""
    from rich.console import Console

    made = Console(markup=False, highlight=False, emoji=False)
    if not made.is_terminal:
        made.width = _UNLIMITED
    return made


def print_json(answer: object) -> None:
    """Print a JSON document; dataclasses, NumPy numbers and arrays are welcome in it."""
    click.echo(json.dumps(answer, default=_plain, indent=2))


def print_answers(answers: Sequence[object]) -> None:
    """Print the answer for one network as it is, those for several as a list ``networks``."""
    print_json(answers[0] if len(answers) == 1 else {"networks": answers})


def _plain(value: object) -> object:
    """Plain data for what JSON does not know; a dataclass gives its fields by name."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: value.__dict__[field.name] for field in dataclasses.fields(value)}
    import numpy as np

    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"an answer must be plain data, not {value!r}")


def print_bytes(*contents: bytes) -> None:
    """Write the contents of files to stdout."""
    sys.stdout.flush()
    for content in contents:
        sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; the first column names its row."""
    cells = [[text(cell) for cell in row] for row in rows]
    if not _print_plain(title, columns, cells):
        _print_rich(title, columns, cells)


def _print_plain(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Print a table as rich does where nothing is wrapped, in a tenth of the time.

    Returns whether it could.
    """
    encoding = (sys.stdout.encoding or "").lower()
    texts = [title, *columns, *(cell for row in rows for cell in row)]
    if not rows or not encoding.startswith("utf") or _RICH_SETTINGS & os.environ.keys():
        return False
    if not all(map(_is_narrow, texts)):
        return False
    lines = [[cell.split("\n") for cell in row] for row in (columns, *rows)]
    widths = [
        max(len(line) for cell in column for line in cell) for column in zip(*lines, strict=True)
    ]
    width = sum(widths) + 3 * len(widths) + 1
    if width > screen_width() or len(title) > width or "\n" in "".join((title, *columns)):
        return False
    bold, cyan, plain = _STYLES if sys.stdout.isatty() and _has_colors() else ("", "", "")
    drawn = [f"{bold}{title:{width}}{plain}", _rule("┏━┳┓", widths)]
    for number, row in enumerate(lines):
        edge, style = ("│", cyan) if number else ("┃", bold)
        for height in range(max(map(len, row))):
            here = [cell[height] if height < len(cell) else "" for cell in row]
            padded = [f" {line:{size}} " for line, size in zip(here, widths, strict=True)]
            styled = 1 if number else len(padded)
            padded[:styled] = [f"{style}{each}{plain}" for each in padded[:styled]]
            drawn.append(edge + edge.join(padded) + edge)
        if not number:
            drawn.append(_rule("┡━╇┩", widths))
    click.echo("\n".join([*drawn, _rule("└─┴┘", widths)]))
    return True


def _rule(signs: str, widths: Sequence[int]) -> str:
    """Horizontal line of a table: left end, line, crossing and right end."""
    left, line, crossing, right = signs
    return left + crossing.join(line * (width + 2) for width in widths) + right


def _is_narrow(cell: str) -> bool:
    """Whether each character of a text takes one column."""
    if cell.isascii():
        return cell.replace("\n", "").isprintable()
    return all(
        sign == "\n"
        or (sign.isprintable() and not combining(sign) and east_asian_width(sign) not in "WF")
        for sign in cell
    )


def screen_width() -> int:
    """Columns of the terminal; many where stdout is none, so that nothing is wrapped there."""
    if _RICH_SETTINGS & os.environ.keys():
        return console().width
    return _terminal_width()


def _terminal_width() -> int:
    if not sys.stdout.isatty():
        return _UNLIMITED
    import shutil

    return shutil.get_terminal_size().columns


def _has_colors() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in {"dumb", "unknown"}


def _print_rich(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table whose cells are wrapped to a terminal's width."""
    from rich.table import Table

    made = Table(title=title, title_justify="left", title_style="bold")
    for number, column in enumerate(columns):
        made.add_column(column, style="cyan" if number == 0 else None, overflow="fold")
    for row in rows:
        made.add_row(*row)
    screen = console()
    unlimited = screen.options.update(max_width=_UNLIMITED)
    if screen.measure(made, options=unlimited).minimum > screen.width:
        made.padding = 0  # rather than to part a word
    screen.print(made)


def side_by_side(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table whose columns are alike, in parts where a terminal is too narrow for all.

    Each part has the first column, and the rows that say something of it.
    """
    widest = max(_VALUE, *(len(column) + 3 for column in columns[1:]))
    fit = max(1, (screen_width() - _FACT) // widest)
    for first in range(1, len(columns), fit):
        part = slice(first, first + fit)
        some = [(row[0], *row[part]) for row in rows if any(cell != "" for cell in row[part])]
        table(title, (columns[0], *columns[part]), some)


def paragraph(words: str) -> None:
    """Print words in lines of at most 80 columns, broken at blanks only."""
    click.echo(textwrap.fill(words, 80, break_on_hyphens=False, break_long_words=False))


def facts(title: str, values: Mapping[str, object]) -> None:
    """Print the facts of one thing, one per row."""
    table(title, ("fact", "value"), list(values.items()))


def text(value: object) -> str:
    """Cell for a value: ``key=value`` words, comma-separated lists, numbers as short as they are.

    A list of mappings has one line for each.
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        return " ".join(f"{key}={entry}" for key, entry in value.items())
    if isinstance(value, list | tuple):
        parted = any(isinstance(entry, Mapping) for entry in value)
        return ("\n" if parted else ", ").join(map(text, value))
    return str(value)


def _number(value: float) -> str:
    """Number with at most five decimals, none that are 0 at the end, and two digits at least."""
    if 0 < abs(value) < 0.001:
        return f"{value:.2g}"
    return f"{value:.5f}".rstrip("0").rstrip(".")


def print_matrix(matrix: np.ndarray) -> None:
    """Print a square matrix of integers, one row per line, with the indices around it.

    In parts, below each other, where a terminal is too narrow for all columns.
    """
    size = len(matrix)
    width = max(2, len(str(size)))  # -1, or the last index
    room = _terminal_width()
    fit = max(1, (room - width - 2) // (width + 1))
    write = sys.stdout.write
    for first in range(0, size, fit):
        columns = range(first, min(first + fit, size))
        write("\n" * (first > 0) + " " * width + " |")
        write("".join(f" {column:{width}d}" for column in columns))
        write("\n" + "-" * width + "-+" + "-" * ((width + 1) * len(columns)) + "\n")
        for number, row in enumerate(matrix[:, columns.start : columns.stop]):
            write(f"{number:{width}d} |" + "".join(f" {entry:{width}d}" for entry in row) + "\n")


def print_json_rows(key: str, matrix: np.ndarray, head: Mapping[str, object]) -> None:
    """Print `head` and a matrix as JSON, one row at a time: it may have millions of entries."""
    write = sys.stdout.write
    write(json.dumps(head, default=_plain)[:-1] + f', "{key}": [\n')
    for number, row in enumerate(matrix):
        write((",\n" if number else "") + json.dumps(row.tolist(), separators=(",", ":")))
    write("\n]}\n")


def print_json_lists(
    key: str, lists: Iterable[Iterable[object]], head: Mapping[str, object]
) -> None:
    """Print `head` and a list of lists as JSON, one entry per line: there may be millions."""
    write = sys.stdout.write
    write(json.dumps(head, default=_plain)[:-1] + f', "{key}": [')
    for number, entries in enumerate(lists):
        write(",\n[" if number else "\n[")
        for place, entry in enumerate(entries):
            write((",\n" if place else "\n") + json.dumps(entry, default=_plain))
        write("\n]")
    write("\n]}\n")
