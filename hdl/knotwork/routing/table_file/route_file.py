"""Rows of a routing table, as a CSV file or a Python program gives them."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from ...csv_columns import columns_text, read_columns
from ...errors import ConfigurationError
from ...files import AnyPath, as_path

COLUMNS = ("router", "destination", "port", "vc")
"""Columns that every file has, in any order."""

OPTIONAL = ("input", "input_vc")
"""Columns that a file may have: input port and virtual channel; an empty field stands for any."""


@dataclass(frozen=True, eq=False)
class RouteFile:
    """Rows of a routing table, in any order, as text: a topology resolves what they name.

    Members
    -------
    columns : mapping
        Fields of all rows by column: `COLUMNS` and `OPTIONAL`.
    name : str
        Name of the file, or empty.
    lines : sequence of int
        Line of each row in the file, or its place among the rows.
    """

    columns: Mapping[str, Sequence[str]]
    name: str
    lines: Sequence[int]

    @classmethod
    def read(cls, path: AnyPath) -> Self:
        """Table in a CSV file with the columns router, destination, port and vc.

        Raises
        ------
        ConfigurationError
            A file that cannot be read, or that has other columns; names the line.
        """
        path = as_path(path, "a CSV file")
        lines, columns = read_columns(path, COLUMNS, OPTIONAL)
        stripped = {name: [field.strip() for field in column] for name, column in columns.items()}
        return cls(stripped, path.name, lines)

    def to_dict(self) -> dict[str, Any]:
        """Content as JSON values."""
        columns = {name: list(column) for name, column in self.columns.items()}
        return {"columns": columns, "name": self.name, "lines": list(self.lines)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Table from what `to_dict` gave."""
        return cls(data["columns"], data["name"], data["lines"])

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any]]) -> Self:
        """Table of what a program gives.

        Parameters
        ----------
        rows : iterable
            Rows (router, destination, port, vc) or (router, destination, port, vc, input,
            input_vc): indices, labels, names of ports.

        Raises
        ------
        ConfigurationError
            What is no row; names its place, counted from 0.
        """
        columns: dict[str, list[str]] = {name: [] for name in (*COLUMNS, *OPTIONAL)}
        for place, row in enumerate(rows):
            fields = [] if isinstance(row, str) or not hasattr(row, "__iter__") else list(row)
            if len(fields) not in (len(COLUMNS), len(columns)):
                raise ConfigurationError(
                    f"table_file: row {place} must be ({', '.join(COLUMNS)}), and may end with "
                    f"{', '.join(OPTIONAL)}, not {row!r}"
                )
            fields += [""] * (len(columns) - len(fields))
            for column, field in zip(columns.values(), fields, strict=True):
                column.append("" if field is None else str(field).strip())
        return cls(columns, "", range(len(columns["router"])))

    def __len__(self) -> int:
        return len(self.lines)

    def __str__(self) -> str:
        return f"{self.name or f'{len(self)} rows'} (sha256 {self.digest[:12]})"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the rows."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def text(self) -> str:
        """CSV file of the rows, without optional columns that are empty."""
        filled = {name: column for name, column in self.columns.items() if any(column)}
        return columns_text({name: self.columns[name] for name in COLUMNS} | filled)

    @property
    def owner(self) -> str:
        """Beginning of an error about the whole table."""
        return self.name or "table_file"

    def where(self, place: int) -> str:
        """Beginning of an error about a row: its line in the file, or its place among the rows."""
        return f"{self.owner}: {'line' if self.name else 'row'} {self.lines[place]}"
