"""Verbs of this package: boards, bitstream, monitor."""

import json
from dataclasses import Field
from pathlib import Path

import click
from knotwork.cli import output
from knotwork.cli.command import verb
from knotwork.cli.options import as_json, network_words, start_work, work_limit

from .monitor.verb import monitor
from .table import BOARDS, board_named
from .untyped import JsonObject

__all__ = ["bitstream", "boards", "monitor"]


def _complete_board(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in BOARDS if name.startswith(incomplete)]


@verb(
    examples=["boards", "boards icebreaker", "boards --json"],
    writes="A table of boards. No file.",
)
@click.argument("name", required=False, shell_complete=_complete_board)
@as_json
def boards(name: str | None, as_json: bool) -> None:
    """List the boards, or one, with capacity, clock and bitstreams."""
    chosen = BOARDS.values() if name is None else [board_named(name)]
    built = built_bitstreams(Path("build"))
    known = [
        {
            "name": board.name,
            "title": board.title,
            "device": board.device,
            "family": board.family.name,
            "luts": board.luts,
            "clock_mhz": board.clock_mhz,
            "uart": board.uart,
            "built": [entry for entry in built if entry["board"] == board.name],
        }
        for board in chosen
    ]
    if as_json:
        output.print_json({"boards": known})
        return
    columns = ("board", "what it is", "device", "LUTs", "clock, MHz", "UART tx, rx", "built")
    rows = [
        (
            *(board[fact] for fact in ("name", "title", "device", "luts")),
            f"{board['clock_mhz']:g}",
            f"{board['uart']['tx']}, {board['uart']['rx']}",
            "\n".join(f"{entry['bitstream']} {entry['fmax_mhz']} MHz" for entry in board["built"]),
        )
        for board in known
    ]
    output.table("Boards", columns, rows)


def _build_keys() -> dict[str, Field]:
    from .clock import BuildKeys

    return BuildKeys.keys()


def built_bitstreams(root: Path) -> list[JsonObject]:
    """Read the records of bitstreams in `root`, up to two folders deep; name each one's path."""
    from .flow import RECORD

    found = []
    for path in sorted([*root.glob(f"*/{RECORD}"), *root.glob(f"*/*/{RECORD}")]):
        try:
            record = json.loads(path.read_text())
            bitstream = path.parent / record["bitstream"]
            entry = {key: record[key] for key in ("board", "name", "fmax_mhz", "utilization")}
            json.dumps(entry, allow_nan=False)  # Python reads NaN and 1e999; JSON has neither
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue  # not a record of this flow
        if bitstream.is_file():
            found.append({**entry, "bitstream": str(bitstream)})
    return found


@verb(
    examples=[
        "bitstream moebius n=2 data_width=8 buffer_depth=2 --board icebreaker",
        "bitstream hypercube:n=3 --board ulx3s_85f -o build/cube",
        "bitstream mesh x=2 y=2 --board ulx3s_45f --json",
        "bitstream wk w=3 levels=2 --board ulx3s_85f --report build/report",
    ],
    writes="In build/NETWORK_BOARD, or in DIR: the bitstream, the Verilog and constraints that "
    "it was made of, logs, and a record with size and frequency. With --report also a page with "
    "pictures, their files, and its numbers as JSON.",
    keys={"Build": _build_keys},
)
@network_words
@click.option(
    "--board",
    "board_name",
    required=True,
    metavar="NAME",
    shell_complete=_complete_board,
    help=f"One of {', '.join(BOARDS)}.",
)
@click.option("-o", "directory", type=Path, metavar="DIR", help="Folder [build/<network>_<board>].")
@click.option(
    "--report",
    type=Path,
    metavar="DIR",
    help="Also draw where the routers are, what they take, and the critical path, into a folder.",
)
@work_limit
@as_json
def bitstream(
    words: tuple[str, ...],
    board_name: str,
    directory: Path | None,
    report: Path | None,
    as_json: bool,
) -> None:
    """Build a bitstream of a network that tests itself.

    The board sends its counts of packets (sent, received, lost, duplicated, corrupted, misrouted,
    refused) over its serial port at 115200 baud; `monitor` shows them.

    Words with a key of the build describe it; all others belong to the network.
    """
    board = board_named(board_name)
    from knotwork.parameters import parse_words
    from knotwork.system import network_within

    from .cells import build_work
    from .clock import BuildKeys
    from .flow import build_bitstream, require_build

    keys = BuildKeys.keys()
    of_build = [word for word in words if "=" in word and word.partition("=")[0] in keys]
    network = network_within([word for word in words if word not in of_build], beside=keys)
    build = BuildKeys.from_texts({**parse_words(of_build, owner=BuildKeys.name)})
    start_work(
        f"bitstream {network.name}",
        build_work(require_build(network, board, measure=build.measure)),
    )
    answer = build_bitstream(
        network,
        board,
        directory,
        clock_mhz=build.clock_mhz,
        report=report,
        measure=build.measure,
    )
    if as_json:
        output.print_json(answer)
        return
    shown = {
        "board": board.title,
        "bitstream": answer["bitstream"],
        "Fmax": f"{answer['fmax_mhz']} MHz",
        "clock": f"{answer['clock_mhz']:g} MHz",
    }
    if "report" in answer:
        shown["report"] = answer["report"]
    for kind, use in answer["utilization"].items():
        shown[kind.replace("_", " ")] = used_text(use)
    output.facts(network.name, {**shown, "built in": f"{answer['seconds']} s"})


def used_text(use: dict[str, int]) -> str:
    """Use of a resource as text: ``1936 of 5280 (37 %)``."""
    used, available = use["used"], use["available"]
    return f"{used} of {available} ({100 * used / available:.0f} %)"
