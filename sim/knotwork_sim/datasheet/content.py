"""What a datasheet tells: tables and notes, each with the command that gives the same."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from knotwork.cli import output
from knotwork.errors import ConfigurationError

Data = dict[str, object]
"""What the page reads: plain data, as JSON has it."""


class Table(NamedTuple):
    """Table of a datasheet.

    Members
    -------
    title : str
        What it tells.
    command : str
        Command line that gives it.
    columns : tuple of str
        Headings.
    rows : list of list of str
        Cells.
    """

    title: str
    command: str
    columns: tuple[str, ...]
    rows: list[list[str]]

    @classmethod
    def of_facts(cls, title: str, command: str, facts: Mapping[str, object]) -> "Table":
        """Table of facts, one per row, worded as the commands word them."""
        rows = [[name.replace("_", " "), output.text(value)] for name, value in facts.items()]
        return cls(title, command, ("fact", "value"), rows)

    @classmethod
    def of_rows(
        cls, title: str, command: str, columns: Sequence[str], rows: Sequence[Sequence[object]]
    ) -> "Table":
        """Table of several columns, its cells worded as the commands word them."""
        return cls(title, command, tuple(columns), [[output.text(c) for c in row] for row in rows])

    def as_json(self) -> Data:
        """Table as the page reads it."""
        return self._asdict()


def or_reason(made: Callable[[], Data]) -> Data:
    """Part of a datasheet, or the line that says why the network has none."""
    try:
        return made()
    except ConfigurationError as error:
        return {"reason": str(error)}
