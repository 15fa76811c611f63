"""Packets one by one, as a CSV file or a Python program gives them: when, from where, to where."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.files import AnyPath, as_path

from .columns import columns_of, integers, members_of
from .packet_file import read_rows, write_rows

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
