"""Tables of results: named columns, written as CSV or Parquet or given to pandas."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from knotwork.errors import ConfigurationError, ToolError
from knotwork.extras import install_hint
from knotwork.files import AnyPath, as_path, write_file

if TYPE_CHECKING:
    from pandas import DataFrame

SUFFIXES = (".csv", ".parquet")
"""Kinds of files of a table."""


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of the same length, by name.

    Parameters
    ----------
    columns : mapping of str to ndarray
        Numbers, texts or booleans; a masked entry is unknown.
    notes : mapping of str to str
        What made the table, by name: for a file alone to say how it is made again.
    """

    columns: Mapping[str, np.ndarray]
    notes: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_rows(
        cls, rows: "Sequence[Mapping[str, Any]]", notes: Mapping[str, str] | None = None
    ) -> "Table":
        """Table of rows with the same names; an entry that is None is unknown."""
        columns: dict[str, np.ndarray] = {}
        for name in rows[0] if rows else ():
            cells = [row[name] for row in rows]
            unknown = [cell is None for cell in cells]
            if not any(unknown):
                columns[name] = np.array(cells)
                continue
            whole = all(isinstance(cell, int) for cell in cells if cell is not None)
            filled = [(0 if whole else np.nan) if cell is None else cell for cell in cells]
            columns[name] = np.ma.array(filled, mask=unknown)
        return cls(columns, notes or {})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows: {', '.join(self.columns)}>"

    def rows(self) -> list[dict[str, Any]]:
        """Rows as plain data; None where an entry is unknown."""
        lists = [column.tolist() for column in self.columns.values()]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*lists, strict=True)]

    def csv(self) -> str:
        """Text with a line of names and a line for each row; an unknown entry is left empty.

        Lines ``# name: note`` come first: ``pandas.read_csv(path, comment="#")`` skips them.
        """
        text = io.StringIO()
        for name, note in self.notes.items():
            text.write(f"# {name}: {' '.join(note.splitlines())}\n")
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(self.columns)
        lines.writerows(zip(*(column.tolist() for column in self.columns.values()), strict=True))
        return text.getvalue()

    def parquet(self) -> bytes:
        """Parquet file, with the notes as its metadata.

        Raises
        ------
        ToolError
            pyarrow is not installed.
        """
        arrow = _arrow()
        data = io.BytesIO()
        arrays = {
            name: arrow.array(np.ma.getdata(column), mask=np.ma.getmaskarray(column))
            for name, column in self.columns.items()
        }
        arrow.parquet.write_table(arrow.table(arrays, metadata=dict(self.notes)), data)
        return data.getvalue()

    def write(self, path: AnyPath) -> None:
        """Write the table whole or not at all, in the kind that the file's suffix says.

        Raises
        ------
        ConfigurationError, ToolError
            See `check_table`; a file that cannot be written.
        """
        path = as_path(path, "a table")
        check_table(path)
        is_csv = path.suffix.lower() == ".csv"
        write_file(path, self.csv() if is_csv else self.parquet())

    def to_pandas(self) -> "DataFrame":
        """Data frame, with the notes as its ``attrs``; an unknown entry is ``pandas.NA``.

        Raises
        ------
        ToolError
            pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise ToolError(install_hint("pandas", "pandas")) from None
        series = {}
        for name, column in self.columns.items():
            values = pd.Series(np.ma.getdata(column))
            if isinstance(column, np.ma.MaskedArray):
                values = values.convert_dtypes().mask(np.ma.getmaskarray(column))
            series[name] = values
        frame = pd.DataFrame(series)
        frame.attrs.update(self.notes)
        return frame


def check_table(path: AnyPath) -> None:
    """Refuse a file of another kind than `SUFFIXES`, or one that nothing here can write.

    Raises
    ------
    ConfigurationError
        Another suffix.
    ToolError
        A Parquet file without pyarrow.
    """
    if require_suffix(path, "a table", SUFFIXES) == ".parquet":
        _arrow()


def require_suffix(path: AnyPath, thing: str, suffixes: Sequence[str]) -> str:
    """Suffix of the file that shall hold a thing, which must be one of several.

    Raises
    ------
    ConfigurationError
        Another suffix.
    """
    path = as_path(path, thing)
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        rule = " or ".join((", ".join(suffixes[:-1]), suffixes[-1]))
        raise ConfigurationError(f"{path}: {thing} must end in {rule}, not {path.suffix!r}")
    return suffix


def _arrow() -> Any:
    """Package pyarrow."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet
    except ImportError:
        raise ToolError(install_hint("pyarrow", "parquet")) from None
    return arrow
