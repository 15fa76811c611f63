"""Matrix of rates: how much each node sends to each other."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from ...errors import ConfigurationError
from ...files import AnyPath, as_path, read_lines, sha256
from ...wording import parse_real


@dataclass(frozen=True, eq=False)
class RateMatrix:
    """Relative rates between all pairs of nodes; only their ratios count.

    Members
    -------
    rates : ndarray
        Row i, column j: rate from node i to node j, float64 of shape (nodes, nodes). A node whose
        row is 0 sends nothing.
    name : str
        Name of the file, or empty.
    """

    rates: np.ndarray
    name: str = ""

    @classmethod
    def read(cls, path: AnyPath) -> Self:
        """Matrix in a file: a line per row.

        Commas, semicolons or blanks separate its numbers. Blank lines are left out, and what
        follows a ``#``.

        Raises
        ------
        ConfigurationError
            A file that cannot be read, a number that is below 0 or none at all, a matrix that is
            not square, or has nothing but zeros; names the line.
        """
        path = as_path(path, "a matrix")
        rows: list[np.ndarray] = []
        width = 0
        for number, line in enumerate(read_lines(path, "matrix"), 1):
            content = line.partition("#")[0].strip()
            if not content:
                continue
            words = _BETWEEN.split(content)
            rows.append(_row(words, f"{path.name}: line {number}"))
            width = width or len(words)
            if len(words) != width:
                raise ConfigurationError(
                    f"{path.name}: line {number} must have {width} rates, not {len(words)}"
                )
        if len(rows) != width or not rows:
            raise ConfigurationError(
                f"{path.name}: a matrix must be square, not {len(rows)} rows of {width} rates"
            )
        return cls._checked(np.stack(rows), path.name)

    def to_dict(self) -> dict[str, Any]:
        """Content as JSON values."""
        return {"rates": self.rates.tolist(), "name": self.name}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Matrix from what `to_dict` gave."""
        return cls(np.array(data["rates"], np.float64), data["name"])

    @classmethod
    def of(cls, rates: Any) -> Self:
        """Matrix of an array, of lists, or in the file that a path names.

        Raises
        ------
        ConfigurationError
            What is no such matrix.
        """
        if isinstance(rates, cls):
            return rates
        if isinstance(rates, str | Path):
            return cls.read(Path(rates))
        try:
            table = np.array(rates, np.float64)
        except (ValueError, TypeError):
            raise ConfigurationError("traffic: a matrix must be numbers in rows") from None
        if table.ndim != 2 or table.shape[0] != table.shape[1]:
            raise ConfigurationError(
                f"traffic: a matrix must be square, not of shape {table.shape}"
            )
        return cls._checked(table, "")

    @classmethod
    def _checked(cls, table: np.ndarray, name: str) -> Self:
        with np.errstate(over="ignore"):
            total = table.sum()
        if not (np.isfinite(total) and (table >= 0).all() and total > 0):
            raise ConfigurationError(
                f"{name or 'traffic'}: rates must be finite numbers of at least 0, not all of them "
                "0"
            )
        return cls(table, name)

    def __str__(self) -> str:
        what = self.name or f"{self.nodes} x {self.nodes}"
        return f"{what} (sha256 {self.digest[:12]})"

    @property
    def nodes(self) -> int:
        """Rows, and columns."""
        return len(self.rates)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the rates."""
        return sha256(np.ascontiguousarray(self.rates).tobytes())

    @cached_property
    def weights(self) -> np.ndarray:
        """Rate of each node, relative to the mean of all, float64."""
        totals = self.rates.sum(axis=1)
        return totals / totals.mean()

    @cached_property
    def shares(self) -> np.ndarray:
        """Share of each node's packets that goes to each other, float64; 0 in a row of zeros."""
        totals = self.rates.sum(axis=1, keepdims=True)
        return np.divide(self.rates, totals, out=np.zeros_like(self.rates), where=totals > 0)


def _row(words: list[str], where: str) -> np.ndarray:
    """Rates of a line."""
    rates = []
    for word in words:
        try:
            rate = parse_real(word)
        except ValueError:
            rate = -1.0
        if not 0 <= rate < float("inf"):
            raise ConfigurationError(
                f"{where}: a rate must be a number of at least 0, not {word!r}"
            )
        rates.append(rate)
    return np.array(rates, np.float64)


_BETWEEN = re.compile(r"\s*[,;]\s*|\s+")
