"""Columns of a list of packets: made of what a program gives, and read as integers."""

from collections.abc import Callable, Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.wording import parse_integer

from .packet_file import COLUMNS, OPTIONAL

Where = Callable[[int], str]
"""Beginning of an error about the packet of this place."""


def columns_of(packets: Any) -> dict[str, list[Any]]:
    """Columns of what a program gives: a table with named columns, or rows.

    A length that is missing is 1. In a row, the destination None stands for a broadcast, and a
    sequence of nodes for a multicast.
    """
    if isinstance(packets, Mapping) or hasattr(packets, "columns"):
        return _of_table(packets)
    columns: dict[str, list[Any]] = {name: [] for name in (*COLUMNS, *OPTIONAL)}
    for place, row in enumerate(packets):
        fields = [] if isinstance(row, str) or not hasattr(row, "__iter__") else list(row)
        if len(fields) not in (3, 4):
            raise ConfigurationError(
                f"traffic: packet {place} must be (cycle, source, destination, length), not {row!r}"
            )
        to: Any = fields[2]
        several = hasattr(to, "__iter__") and not isinstance(to, str)
        columns["cycle"].append(fields[0])
        columns["source"].append(fields[1])
        columns["destination"].append("" if several else to)
        columns["length"].append(fields[3] if len(fields) == 4 else 1)
        columns["broadcast"].append(int(to is None))
        columns["multicast"].append(" ".join(map(str, to)) if several else "")
    return columns


def _of_table(table: Any) -> dict[str, list[Any]]:
    """Columns of a mapping or a data frame, in which a missing value is NaN."""
    names = [str(name) for name in (table.columns if hasattr(table, "columns") else table)]
    missing = [name for name in COLUMNS[:3] if name not in names]
    if missing:
        raise ConfigurationError(
            f"traffic: packets must have the columns {', '.join(COLUMNS)}, not lack "
            f"{', '.join(missing)}"
        )
    found = {
        name: [_plain(value) for value in np.asarray(table[name], object).tolist()]
        for name in (*COLUMNS, *OPTIONAL)
        if name in names
    }
    count = len(found["cycle"])
    if len({len(column) for column in found.values()}) > 1:
        raise ConfigurationError("traffic: the columns of packets must be of one length")
    unnamed = {"length": [1] * count, "broadcast": [0] * count, "multicast": [""] * count}
    found = unnamed | found
    found["broadcast"] = [value if value != "" else 0 for value in found["broadcast"]]
    return found


def _plain(value: Any) -> Any:
    """Value as in a file: a missing one is empty, and a whole number no fraction."""
    if not isinstance(value, float):
        return value
    if isnan(value):
        return ""
    return int(value) if value.is_integer() else value


def integers(column: Sequence[Any], key: str, least: int, most: int, where: Where) -> np.ndarray:
    """Column as int64.

    Raises
    ------
    ConfigurationError
        A value that is no integer in ``least..most``.
    """
    try:
        values = np.array([_integer(value) for value in column], np.int64)
        bad = np.flatnonzero((values < least) | (values > most))
        place = int(bad[0]) if len(bad) else None
    except (ValueError, OverflowError):
        place = next(p for p, value in enumerate(column) if not _fits(value, least, most))
        values = np.zeros(0, np.int64)
    if place is not None:
        raise ConfigurationError(
            f"{where(place)}: {key} must be an integer in {least}..{most}, not {column[place]!r}"
        )
    return values


def _integer(value: Any) -> int:
    if isinstance(value, str):
        return parse_integer(value.strip())
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    raise ValueError(value)


def _fits(value: Any, least: int, most: int) -> bool:
    try:
        return least <= _integer(value) <= most
    except ValueError:
        return False


def members_of(texts: Sequence[str], last: int, where: Where) -> dict[int, tuple[int, ...]]:
    """Nodes 0..last to which each multicast goes, by its place; no text is no multicast."""
    found = {}
    for place, text in enumerate(texts):
        words = str(text).split()
        if words:
            nodes = integers(words, "multicast", 0, last, lambda _, place=place: where(place))
            found[place] = tuple(nodes.tolist())
    return found
