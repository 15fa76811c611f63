"""Verbs of this package: boards, bitstream, monitor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from knotwork.cli import output
from knotwork.cli.command import verb
from knotwork.cli.options import as_json, network_words, start_work, work_limit

from .monitor.verb import monitor
from .table import BOARDS, board_named

if TYPE_CHECKING:
    from dataclasses import Field

    from knotwork.network import Network

    from .clock import BuildKeys
    from .flow import TimedBitstream
    from .table import Board

__all__ = ["bitstream", "boards", "monitor"]


def _complete_board(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in BOARDS if name.startswith(incomplete)]


@verb(
    examples=["boards", "boards icebreaker", "boards --json"],
    writes="Tables of boards. No file.",
)
@click.argument("name", required=False, shell_complete=_complete_board)
@as_json
def boards(name: str | None, as_json: bool) -> None:
    """List the boards, or one, with capacity, clock and networks.

    Per network, the largest size that was placed and routed; `make boards` measures it.
    """
    from .placed import facts_of, print_all, print_one

    facts = facts_of(list(BOARDS.values()) if name is None else [board_named(name)])
    if as_json:
        output.print_json({"boards": facts})
    elif name is None:
        print_all(facts)
    else:
        print_one(facts[0])


def _build_keys() -> dict[str, Field]:
    from .clock import BuildKeys

    return BuildKeys.keys()


@verb(
    examples=[
        "bitstream moebius n=2 data_width=8 buffer_depth=2 --board icebreaker",
        "bitstream hypercube:n=3 --board ulx3s_85f -o build/cube",
        "bitstream mesh x=2 y=2 --board ulx3s_45f --flash",
        "bitstream wk w=3 levels=2 --board ulx3s_85f --report build/report",
    ],
    writes="In build/NETWORK_BOARD, or in DIR: the bitstream, its Verilog and constraints, logs, "
    "and a record with size and frequency. With --report also a page with pictures, their files, "
    "and its numbers as JSON.",
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
    help="Also write a report into this folder: the placed routers, their sizes, and the critical "
    "path.",
)
@click.option(
    "--flash", is_flag=True, help="Then write the bitstream to the board with openFPGALoader."
)
@work_limit
@as_json
def bitstream(
    *,
    words: tuple[str, ...],
    board_name: str,
    directory: Path | None,
    report: Path | None,
    flash: bool,
    as_json: bool,
) -> None:
    """Build a bitstream of a network with its self-test.

    The board sends its counts of packets (sent, received, lost, duplicated, corrupted, misrouted,
    refused) over its serial port at 115200 baud; `monitor` shows them.

    Words with a key of the build set the build; all others belong to the network.
    """
    board = board_named(board_name)
    from .capacity import build_work
    from .clock import ClockSearch
    from .flash import find_loader, write_flash
    from .flow import build_bitstream, require_build

    network, build = _network_and_build(words)
    if flash:
        find_loader(board)  # rather than after minutes
    placements = ClockSearch(board, build.clock_mhz).usual_placements
    work = build_work(require_build(network, board, measure=build.measure), placements)
    start_work(f"bitstream {network.name}", work)
    answer = build_bitstream(
        network,
        board,
        directory,
        clock_mhz=build.clock_mhz,
        report=report,
        measure=build.measure,
    )
    if flash:
        write_flash(board, Path(answer["bitstream"]))
    if as_json:
        output.print_json(answer)
    else:
        written = {"written to": "the board's flash memory"} if flash else {}
        output.facts(network.name, bitstream_facts(answer, board, **written))


def _network_and_build(words: tuple[str, ...]) -> tuple[Network, BuildKeys]:
    """Network and build that words describe."""
    from knotwork.designs import read_network
    from knotwork.parameters import parse_words

    from .clock import BuildKeys

    keys = BuildKeys.keys()
    of_build = [word for word in words if "=" in word and word.partition("=")[0] in keys]
    network = read_network([word for word in words if word not in of_build], beside=keys)
    return network, BuildKeys.from_texts({**parse_words(of_build, owner=BuildKeys.name)})


def bitstream_facts(answer: TimedBitstream, board: Board, **further: str) -> dict[str, str]:
    """What is printed of a bitstream, by name."""
    facts = {
        "board": board.title,
        "bitstream": answer["bitstream"],
        "Fmax": f"{answer['fmax_mhz']} MHz",
        "clock": f"{answer['clock_mhz']:g} MHz",
    }
    if "report" in answer:
        facts["report"] = answer["report"]
    for kind, use in answer["utilization"].items():
        facts[kind.replace("_", " ")] = used_text(use)
    took = f"{answer['seconds']} s in {answer['builds']} builds"
    return {**facts, **further, "built in": took}


def used_text(use: dict[str, int]) -> str:
    """Use of a resource as text: ``1936 of 5280 (37 %)``."""
    used, available = use["used"], use["available"]
    return f"{used} of {available} ({100 * used / available:.0f} %)"
