"""CSV files of packets: a header line that names the columns, then a line per packet."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from knotwork.errors import ConfigurationError

COLUMNS = ("cycle", "source", "destination", "length")
"""Columns that every file has, in any order."""

OPTIONAL = ("broadcast", "multicast")
"""Columns that a file may have: 1 marks a broadcast; nodes, separated by spaces, a multicast."""


def read_rows(path: Path) -> tuple[np.ndarray, Mapping[str, Sequence[str]]]:
    """Line numbers, int64, and all columns as text; blank lines are left out.

    Raises
    ------
    ConfigurationError
        A file that cannot be read, or a line that has not as many fields as the first.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path}: must be a readable CSV file: {error}") from None
    name, reader = path.name, csv.reader(text.splitlines(), skipinitialspace=True)
    try:
        numbered = [(number, row) for number, row in enumerate(reader, 1) if row]
    except csv.Error as error:
        raise ConfigurationError(
            f"{name}: line {reader.line_num} must be fields separated by commas: {error}"
        ) from None
    if not numbered:
        raise ConfigurationError(
            f"{name}: line 1 must name the columns {','.join(COLUMNS)}, not be missing"
        )
    (first, header), *rest = numbered
    names = [field.strip().lower() for field in header]
    known = set(COLUMNS) | set(OPTIONAL)
    if not set(COLUMNS) <= set(names) <= known or len(set(names)) < len(names):
        raise ConfigurationError(
            f"{name}: line {first} must name the columns {','.join(COLUMNS)}, and may name "
            f"{','.join(OPTIONAL)}, not {','.join(header)!r}"
        )
    for number, row in rest:
        if len(row) != len(names):
            raise ConfigurationError(
                f"{name}: line {number} must have {len(names)} fields, not {len(row)}"
            )
    lines = np.array([number for number, _ in rest], np.int64)
    columns = dict(zip(names, zip(*(row for _, row in rest), strict=True), strict=False))
    empty = [""] * len(rest)
    found = {column: columns.get(column, empty) for column in (*COLUMNS, *OPTIONAL)}
    found["broadcast"] = [text or "0" for text in found["broadcast"]]
    return lines, found


def write_rows(columns: Mapping[str, Sequence[Any]]) -> str:
    """CSV file of these columns."""
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    return "\n".join([",".join(columns), *rows, ""])
