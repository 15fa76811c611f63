"""Packets and matrices of rates in users' files, or from a program; errors name the line."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any, Self

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.files import AnyPath, as_path, columns_text, read_columns
from knotwork.routing.generated.rate_matrix import RateMatrix
from knotwork.wording import parse_integer

__all__ = ["PacketList", "RateMatrix"]

COLUMNS = ("cycle", "source", "destination", "length")
"""Columns that every file has, in any order."""

OPTIONAL = ("broadcast", "multicast")
"""Columns that a file may have: 1 marks a broadcast; nodes, separated by spaces, a multicast."""

write_rows = columns_text


def read_rows(path: Path) -> tuple[np.ndarray, Mapping[str, Sequence[str]]]:
    """Line numbers, int64, and all columns as text; blank lines are left out.

    Raises
    ------
    ConfigurationError
        See `csv_columns.read_columns`.
    """
    lines, found = read_columns(path, COLUMNS, OPTIONAL)
    found["broadcast"] = [text or "0" for text in found["broadcast"]]
    return np.array(lines, np.int64), found


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


LONGEST = 4096
"""Flits of the longest packet."""

LAST_CYCLE = 2**40
"""Last cycle in which a packet can be created."""

_LAST_NODE = 2**31 - 1


@dataclass(frozen=True, eq=False)
class PacketList:
    """Packets in any order; those of one source and one cycle leave in the order of the list.

    Members
    -------
    cycle, source, length : ndarray
        Cycle from which each packet is offered, node, flits of data; int64.
    destination : ndarray
        Node, int64; -1 for a broadcast or a multicast.
    broadcast : ndarray
        Whether it goes to everyone, bool.
    members : dict
        Nodes to which each multicast goes, by the packet's place in the list.
    name : str
        Name of the file, or empty.
    lines : ndarray
        Line of the file, or place in the list, int64.
    """

    cycle: np.ndarray
    source: np.ndarray
    destination: np.ndarray
    length: np.ndarray
    broadcast: np.ndarray
    members: dict[int, tuple[int, ...]]
    name: str
    lines: np.ndarray

    @classmethod
    def read(cls, path: AnyPath) -> Self:
        """List in a CSV file with the columns cycle, source, destination and length.

        The columns ``broadcast`` (0 or 1) and ``multicast`` (nodes, separated by spaces) may be
        missing.

        Raises
        ------
        ConfigurationError
            A file that cannot be read, has no packet, lacks a column, or has a line that is no
            packet; names the line.
        """
        path = as_path(path, "a CSV file")
        lines, columns = read_rows(path)
        return cls._checked(columns, path.name, lines)

    @classmethod
    def of(cls, packets: Any) -> Self:
        """List of what a program gives.

        Parameters
        ----------
        packets : PacketList, path, mapping, data frame, array or iterable
            Rows (cycle, source, destination) or (cycle, source, destination, length), in which the
            destination may be None for a broadcast or a sequence of nodes for a multicast; or
            columns of these names; or the path of a CSV file.

        Raises
        ------
        ConfigurationError
            What is no packet; names its place, counted from 0.
        """
        if isinstance(packets, cls):
            return packets
        if isinstance(packets, str | Path):
            return cls.read(Path(packets))
        columns = columns_of(packets)
        return cls._checked(columns, "", np.arange(len(columns["cycle"])))

    @classmethod
    def _checked(cls, columns: Mapping[str, Sequence[Any]], name: str, lines: np.ndarray) -> Self:
        def where(place: int) -> str:
            return _where(name, lines, place)

        if not len(lines):
            raise ConfigurationError(f"{name or 'traffic'}: packets must be at least one, not none")
        broadcast = integers(columns["broadcast"], "broadcast", 0, 1, where) == 1
        members = members_of(columns["multicast"], _LAST_NODE, where)
        copied = broadcast.copy()
        copied[list(members)] = True
        destination = list(columns["destination"])
        for place in np.flatnonzero(copied).tolist():
            if destination[place] not in ("", None) or (broadcast[place] and place in members):
                raise ConfigurationError(
                    f"{where(place)}: a packet must have one of destination, broadcast and "
                    "multicast, not several"
                )
            destination[place] = 0
        to = integers(destination, "destination", 0, _LAST_NODE, where)
        return cls(
            cycle=integers(columns["cycle"], "cycle", 0, LAST_CYCLE, where),
            source=integers(columns["source"], "source", 0, _LAST_NODE, where),
            destination=np.where(copied, -1, to),
            length=integers(columns["length"], "length", 1, LONGEST, where),
            broadcast=broadcast,
            members=members,
            name=name,
            lines=lines,
        )

    def __len__(self) -> int:
        return len(self.cycle)

    def __str__(self) -> str:
        what = self.name or f"{len(self)} packets"
        return f"{what} (sha256 {self.digest[:12]})"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the packets."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def where(self, place: int) -> str:
        """Beginning of an error about a packet: its line in the file, or its place in the list."""
        return _where(self.name, self.lines, place)

    def text(self) -> str:
        """CSV file of the packets; the optional columns only where a packet needs them."""
        columns: dict[str, list[Any]] = {
            "cycle": self.cycle.tolist(),
            "source": self.source.tolist(),
            "destination": ["" if to < 0 else to for to in self.destination.tolist()],
            "length": self.length.tolist(),
        }
        if self.broadcast.any():
            columns["broadcast"] = self.broadcast.astype(int).tolist()
        if self.members:
            spelled = {place: " ".join(map(str, to)) for place, to in self.members.items()}
            columns["multicast"] = [spelled.get(place, "") for place in range(len(self))]
        return write_rows(columns)


def _where(name: str, lines: np.ndarray, place: int) -> str:
    return f"{name}: line {lines[place]}" if name else f"traffic: packet {lines[place]}"
