"""CSV files of packets: a header line that names the columns, then a line per packet."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from knotwork.files import columns_text, read_columns

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
