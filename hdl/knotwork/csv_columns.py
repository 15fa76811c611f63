"""Tables that users write: a header line that names the columns, then a line per row."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import ConfigurationError
from .files import read_lines

SEPARATORS = (",", ";", "\t", " ")
"""What can separate fields, in the order in which it is looked for."""


def read_rows(path: Path) -> list[tuple[int, list[str]]]:
    """Line number and fields of each line that is not blank.

    What separates the fields of the first line separates those of all: commas, or else semicolons,
    tabs or spaces.

    Raises
    ------
    ConfigurationError
        A file that cannot be read.
    """
    lines = [line.strip(" ") for line in read_lines(path, "CSV file")]
    first = next(filter(None, lines), "")
    separator = next((sign for sign in SEPARATORS if sign in first), ",")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    try:
        return [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise ConfigurationError(
            f"{path.name}: line {reader.line_num} must be the fields of a table: {error}"
        ) from None


def read_columns(
    path: Path, needed: Sequence[str], optional: Sequence[str] = ()
) -> tuple[list[int], dict[str, list[str]]]:
    """Line numbers, and all columns as text; blank lines are left out.

    The header names the columns in any order. A column that the file does not have is empty.

    Parameters
    ----------
    path : Path
        File.
    needed, optional : sequence of str
        Columns that it must have, and those that it may have.

    Raises
    ------
    ConfigurationError
        A file that cannot be read, or a line that has not as many fields as the first.
    """
    name, numbered = path.name, read_rows(path)
    if not numbered:
        raise ConfigurationError(
            f"{name}: line 1 must name the columns {','.join(needed)}, not be missing"
        )
    (first, header), *rest = numbered
    names = [field.strip().lower() for field in header]
    known = set(needed) | set(optional)
    if not set(needed) <= set(names) <= known or len(set(names)) < len(names):
        also = f", and may name {','.join(optional)}" if optional else ""
        raise ConfigurationError(
            f"{name}: line {first} must name the columns {','.join(needed)}{also}, not "
            f"{','.join(header)!r}"
        )
    for number, row in rest:
        if len(row) != len(names):
            raise ConfigurationError(
                f"{name}: line {number} must have {len(names)} fields, not {len(row)}"
            )
    by_name = dict(zip(names, zip(*(row for _, row in rest), strict=True), strict=False))
    empty = [""] * len(rest)
    columns = {column: list(by_name.get(column, empty)) for column in (*needed, *optional)}
    return [number for number, _ in rest], columns


def columns_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """CSV file of these columns."""
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    return "\n".join([",".join(columns), *rows, ""])
