"""Sets of messages: several of a node, or to a node, as users write them down or as they are drawn.

References
----------
"Least Common Ancestor Networks", section 3.3, for random routing.
"""

import reprlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...csv_columns import read_rows
from ...errors import ConfigurationError
from ...files import AnyPath, as_path, read_json
from ...wording import parse_index

RANDOM_ROUTING = "random_routing"
"""Name of the set in which every node draws the destination of one message by itself."""

_COLUMNS = ("source", "destination")


class Messages(NamedTuple):
    """Messages of a network, in the order in which they were given.

    Members
    -------
    sources, destinations : ndarray
        Nodes, int64.
    """

    sources: np.ndarray
    destinations: np.ndarray


def random_routing(nodes: int, rng: np.random.Generator) -> Messages:
    """Message of every node, each to a node drawn by itself: several may go to one node."""
    return Messages(np.arange(nodes), rng.integers(nodes, size=nodes))


def read_messages(path: AnyPath, nodes: int) -> Messages:
    """Messages of a file.

    A ``.csv`` file has a line per message: its source and its destination. A first line may name
    the columns, in any order and among others, as in a list of packets. Any other file is a JSON
    list of pairs [source, destination].

    Raises
    ------
    ConfigurationError
        A file that cannot be read or has no messages, or a message that is none of the network's
        nodes: with its place.
    """
    path = as_path(path, "a file of messages")
    is_table = path.suffix.lower() == ".csv"
    pairs = _rows(path) if is_table else _pairs(path)
    if not pairs:
        raise ConfigurationError(f"{path}: there must be a message, not none at all")
    for where, pair in pairs:
        for what, node in zip(_COLUMNS, pair, strict=True):
            if type(node) is not int or not 0 <= node < nodes:
                raise ConfigurationError(
                    f"{path}: {where}: the {what} must be an index in 0..{nodes - 1}, "
                    f"not {reprlib.repr(node)}"
                )
    sources, destinations = np.array([pair for _, pair in pairs], np.int64).T
    return Messages(sources, destinations)


def _pairs(path: Path) -> list[tuple[str, Sequence[Any]]]:
    """Pairs of a JSON file, each with its place as an error names it."""
    listed = read_json(path)
    if not isinstance(listed, list):
        raise ConfigurationError(
            f"{path}: messages must be a list of [source, destination], not {reprlib.repr(listed)}"
        )
    for number, pair in enumerate(listed):
        if not isinstance(pair, list) or len(pair) != 2:
            raise ConfigurationError(
                f"{path}: message {number} must be [source, destination], not {reprlib.repr(pair)}"
            )
    return [(f"message {number}", pair) for number, pair in enumerate(listed)]


def _rows(path: Path) -> list[tuple[str, Sequence[Any]]]:
    """Pairs of a CSV file, each with its line."""
    rows = [(number, [cell.strip() for cell in row]) for number, row in read_rows(path)]
    columns = [0, 1]
    if rows and not all(type(_number(cell)) is int for cell in rows[0][1][:2]):
        names = rows[0][1]
        missing = [name for name in _COLUMNS if name not in names]
        if missing:
            raise ConfigurationError(
                f"{path}: the columns must be {' and '.join(_COLUMNS)}, not {','.join(names)}"
            )
        columns, rows = [names.index(name) for name in _COLUMNS], rows[1:]
    for number, row in rows:
        if len(row) <= max(columns):
            raise ConfigurationError(
                f"{path}: line {number} must have a source and a destination, not {','.join(row)}"
            )
    return [
        (f"line {number}", [_number(row[column]) for column in columns]) for number, row in rows
    ]


def _number(cell: str) -> int | str:
    """Number that a cell spells; other text as it is."""
    found = parse_index(cell, 1 << 63)
    return cell if found is None else found
