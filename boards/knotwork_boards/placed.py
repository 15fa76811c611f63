"""Networks that were placed and routed (``placed.csv``), and what `knotwork boards` prints.

`make boards` measures the rows, and says which are older than the sources.
"""

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from knotwork.cli import output
from knotwork.files import read_json
from knotwork.network_words import network_word

from .flash import LOADER
from .table import BOARDS, Board
from .untyped import JsonObject

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
        Cells that it takes; for a network that is too large, as far as they are known.
    fmax_mhz, clock_mhz : float or None
        What was reached, and the clock of the bitstream.
    seconds : float
        Time of the build.
    sources : str
        Digest of the tools' input and versions (`fingerprint`).
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
        """Row of the file; an empty field is unknown."""
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
        # Of equal sizes, prefer the board's own row, then the one with more cells.
        if known is None or _rank(row, board) > _rank(known, board):
            found[row.topology] = row
    return dict(sorted(found.items()))


def _rank(row: Trial, board: Board) -> tuple[int, bool, int]:
    return row.nodes, row.board == board.name, row.lut or 0


RECORD = "bitstream.json"
"""File beside a bitstream that describes it."""

_MEMBERS = ("nodes", "lut", "ff", "block_ram", "fmax_mhz", "clock_mhz", "board")


def facts_of(boards: Sequence[Board]) -> list[JsonObject]:
    """Facts of each board, as they are answered in JSON."""
    built, rows = built_bitstreams(Path("build")), read_rows()
    return [
        {
            "name": board.name,
            "title": board.title,
            "device": board.device,
            "family": board.family.name,
            "luts": board.luts,
            "clock_mhz": board.clock_mhz,
            "uart": board.uart,
            "loader": list(board.loader),
            "largest": [_placed(row) for row in largest_on(board, rows).values()],
            "built": [entry for entry in built if entry["board"] == board.name],
        }
        for board in boards
    ]


def _placed(row: Trial) -> JsonObject:
    members = {name: getattr(row, name) for name in _MEMBERS}
    return {"network": row.topology, "words": " ".join(network_word(row.network)), **members}


def built_bitstreams(root: Path) -> list[JsonObject]:
    """Read the records of bitstreams in `root`, up to two folders deep; name each one's path."""
    found = []
    for path in sorted([*root.glob(f"*/{RECORD}"), *root.glob(f"*/*/{RECORD}")]):
        try:
            record = read_json(path)
            bitstream = path.parent / record["bitstream"]
            entry = {key: record[key] for key in ("board", "name", "fmax_mhz", "utilization")}
            json.dumps(entry, allow_nan=False)  # Python reads NaN and 1e999; JSON has neither
        except (ValueError, KeyError, TypeError):
            continue  # not a record of this flow
        if bitstream.is_file():
            found.append({**entry, "bitstream": str(bitstream)})
    return found


def print_all(boards: Sequence[JsonObject]) -> None:
    """Print the tables of all boards: what they are, what they hold, what was built."""
    columns = ("board", "what it is", "LUTs", "MHz", "UART tx, rx")
    rows = [
        (board["name"], board["title"], board["luts"], board["clock_mhz"], _uart(board))
        for board in boards
    ]
    output.table("Boards", columns, rows)
    sizes = {
        board["name"]: {entry["network"]: entry["nodes"] for entry in board["largest"]}
        for board in boards
    }
    networks = sorted({network for board in sizes.values() for network in board})
    output.table(
        "Nodes of the largest network that was placed and routed",
        ("board", *networks),
        [(name, *(held.get(net) for net in networks)) for name, held in sizes.items()],
    )
    _print_built(boards)


def print_one(board: JsonObject) -> None:
    """Print what one board is, the largest networks that it holds, and what was built for it."""
    shown = {
        "what it is": board["title"],
        "FPGA": f"{board['device']}, {board['luts']} LUTs",
        "clock": f"{board['clock_mhz']:g} MHz",
        "UART tx, rx": _uart(board),
        "loaded by": f"{LOADER} {' '.join(board['loader'])}" if board["loader"] else None,
    }
    output.facts(board["name"], shown)
    columns = ("network", "nodes", "LUTs", "Fmax, MHz", "placed for")
    rows = [
        (
            entry["words"],
            entry["nodes"],
            f"{entry['lut']} ({100 * entry['lut'] / board['luts']:.0f} %)",
            entry["fmax_mhz"],
            entry["board"],
        )
        for entry in board["largest"]
    ]
    if rows:
        output.table("Largest networks that were placed and routed", columns, rows)
    _print_built([board])


def _uart(board: JsonObject) -> str:
    return f"{board['uart']['tx']}, {board['uart']['rx']}"


def _print_built(boards: Sequence[JsonObject]) -> None:
    built = [
        (board["name"], entry["bitstream"], entry["fmax_mhz"])
        for board in boards
        for entry in board["built"]
    ]
    if built:
        output.table("Bitstreams here", ("board", "bitstream", "Fmax, MHz"), built)
