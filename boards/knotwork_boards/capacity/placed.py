"""Networks that were really placed and routed: the rows of ``placed.csv``.

`make boards` measures them, and says which are older than the sources.
"""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Self

from ..table import BOARDS, Board

ROWS = Path(__file__).with_name("placed.csv")
"""Trials, by board and network."""

PLACED, TOO_LARGE, TOO_LATE = "placed", "too large", "too late"
"""Outcomes of a build: a bitstream, a refusal, and none within the time that it had."""


class Trial(NamedTuple):
    """Build of a network for a board, that gave a bitstream or did not.

    Members
    -------
    board, network : str
        Name of the board, and the network in one word.
    nodes : int
        Its nodes.
    outcome : str
        ``placed``, ``too large`` or ``too late``.
    lut, ff, block_ram : int or None
        Cells that it takes; of a network that is too large, those that are known.
    fmax_mhz, clock_mhz : float or None
        What was reached, and the clock of the bitstream.
    seconds : float
        Time of the build.
    sources : str
        What the tools were given, and which tools, as a digest (`fingerprint`).
    """

    board: str
    network: str
    nodes: int
    outcome: str
    lut: int | None
    ff: int | None
    block_ram: int | None
    fmax_mhz: float | None
    clock_mhz: float | None
    seconds: float
    sources: str

    @property
    def topology(self) -> str:
        """Name of its topology."""
        return self.network.partition(":")[0]

    @classmethod
    def from_texts(cls, texts: dict[str, str]) -> Self:
        """Row as it stands in the file; what is empty is not known."""
        kinds = {"nodes": int, "lut": int, "ff": int, "block_ram": int}
        kinds |= dict.fromkeys(("fmax_mhz", "clock_mhz", "seconds"), float)
        values = {
            name: kinds.get(name, str)(text) if text else None for name, text in texts.items()
        }
        return cls(**values)  # pyright: ignore[reportArgumentType]


def read_rows(path: Path = ROWS) -> list[Trial]:
    """Rows of the file."""
    with path.open(encoding="ascii", newline="") as file:
        return [Trial.from_texts(row) for row in csv.DictReader(file, delimiter=";")]


def rows_text(rows: Iterable[Trial]) -> str:
    """File of these rows, sorted by board, in the order of `BOARDS`, and by network."""
    order = {name: place for place, name in enumerate(BOARDS)}
    by_size = sorted(rows, key=lambda row: (order[row.board], row.topology, row.nodes, row.network))
    lines = [Trial._fields, *by_size]
    texts = (["" if value is None else str(value) for value in line] for line in lines)
    return "".join(";".join(line) + "\n" for line in texts)


def largest_on(board: Board, rows: Iterable[Trial] | None = None) -> dict[str, Trial]:
    """Per topology the network with most nodes that was placed on the board's die.

    Boards with the same die hold the same networks: the row may name another one.
    """
    found: dict[str, Trial] = {}
    for row in read_rows() if rows is None else rows:
        if row.outcome != PLACED or not board.has_die_of(BOARDS[row.board]):
            continue
        known = found.get(row.topology)
        # Of equal sizes the board's own row, and the one with more cells.
        if known is None or _rank(row, board) > _rank(known, board):
            found[row.topology] = row
    return dict(sorted(found.items()))


def _rank(row: Trial, board: Board) -> tuple[int, bool, int]:
    return row.nodes, row.board == board.name, row.lut or 0
