"""Facts that `knotwork boards` prints: each board's FPGA, and what was built and placed for it."""

import json
from collections.abc import Sequence
from pathlib import Path

from knotwork.cli import output
from knotwork.files import read_json
from knotwork.network_words import network_word

from ..flash import LOADER
from ..table import Board
from ..untyped import JsonObject
from .placed import Trial, largest_on, read_rows

RECORD = "bitstream.json"
"""File beside a bitstream that says what the bitstream holds."""

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
