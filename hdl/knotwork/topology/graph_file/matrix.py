"""Adjacency matrices as CSV files."""

import re
from pathlib import Path

import numpy as np

from ...csv_columns import read_rows
from .builder import MOST_NODES, Given, GraphBuilder


def read(path: Path) -> Given:
    """Graph of an adjacency matrix: how many links lead from the row's router to the column's.

    Links there and back are one that leads both ways. A first line of names, and then a first
    column of the same, name the routers.

    Raises
    ------
    ConfigurationError
        A matrix that is not square, an entry that is no number.
    """
    builder = GraphBuilder(path.name)
    rows = [(number, [field.strip() for field in row]) for number, row in read_rows(path)]
    if not rows:
        raise builder.refuse("", "there must be a router, not none")
    names = None
    if any(field and not _is_number(field) for field in rows[0][1]):
        (first, names), *rows = rows
        has_names = bool(rows) and len(rows[0][1]) == len(names) and not _is_number(rows[0][1][0])
        if has_names:
            names = names[1:]
            _require_names(builder, rows, names)
            rows = [(number, row[1:]) for number, row in rows]
        for name in names:
            builder.add_router(name, f"line {first}:")
    size = len(names or rows[0][1]) if rows else 0
    if len(rows) != size:
        raise builder.refuse("", f"there must be {size} lines, one per router, not {len(rows)}")
    if names is None:
        builder.add_routers(size)
    for router, (number, row) in enumerate(rows):
        if len(row) != size:
            raise builder.refuse(f"line {number}:", f"must have {size} fields, not {len(row)}")
        _add_links(builder, router, row, f"line {number}:")
    return builder.built()


def _require_names(
    builder: GraphBuilder, rows: list[tuple[int, list[str]]], names: list[str]
) -> None:
    for (number, row), name in zip(rows, names, strict=False):
        if row[0] != name:
            raise builder.refuse(
                f"line {number}:", f"must be router {name}, as in the first line, not {row[0]!r}"
            )


def _add_links(builder: GraphBuilder, router: int, row: list[str], where: str) -> None:
    wrong = [field for field in row if not _is_count(field)]
    if wrong:
        raise builder.refuse(
            where, f"an entry must be a number of links in 0..{MOST_NODES}, not {wrong[0]!r}"
        )
    counts = np.array([float(field) for field in row]).astype(np.int64)
    for far in np.nonzero(counts)[0].tolist():
        for _ in range(counts[far]):
            builder.add_link(router, far, where, two_way=False)


def _is_number(field: str) -> bool:
    """Whether a field is a number of any kind, and so no name."""
    return _NUMBER.fullmatch(field) is not None


def _is_count(field: str) -> bool:
    return _COUNT.fullmatch(field) is not None and float(field) <= MOST_NODES


_NUMBER = re.compile(r"[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?|[-+]?(inf|nan)", re.I)
_COUNT = re.compile(r"[0-9]{1,8}([.]0*)?")
