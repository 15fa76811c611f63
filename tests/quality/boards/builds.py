"""Builds by the ``knotwork`` command, each in a process of its own, and what they gave."""

import json
import re
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

from knotwork.builds.compilation import run_process
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.network_words import network_word
from knotwork_boards.build_plan import fingerprint, make_plan
from knotwork_boards.clock import BOARD_CLOCK
from knotwork_boards.placed import PLACED, TOO_LARGE, TOO_LATE, Trial
from knotwork_boards.table import BOARDS

FOLDER = Path("build", "boards")
KNOTWORK = str(Path(sysconfig.get_path("scripts"), "knotwork"))

_elaborating = threading.Lock()
"""Held while a plan is made: Amaranth was not written for threads."""

_NEEDED = re.compile(r"needs (?:about )?([0-9]+)")


class _TimeOver(Exception):
    """A build has had its time."""


def measure(board: str, net: str, *, seconds: float, knotwork: str = KNOTWORK) -> Trial:
    """Row of a network on a board, by a build of at most so many seconds.

    The board's own clock is the network's: it needs no second build, and what fits is the same. It
    is an error if the command fails for another reason than the network's size.
    """
    network = Network.from_word(net)
    folder = FOLDER / f"{network.name}_{board}"
    words = ["bitstream", *network_word(net), f"clock_mhz={BOARD_CLOCK}", "--board", board]
    began = time.monotonic()

    def watch() -> None:
        if time.monotonic() - began > seconds:
            raise _TimeOver

    def row(outcome: str, **known: float | str | None) -> Trial:
        spent = round(time.monotonic() - began, 1)
        unknown = dict.fromkeys(("lut", "ff", "block_ram", "fmax_mhz", "clock_mhz"))
        found: dict = {"seconds": spent, "sources": "", **unknown, **known}
        return Trial(board, net, network.topology.nodes, outcome, **found)

    try:
        done = run_process(
            [knotwork, *words, "-o", folder, "--limit", "none", "--json"],
            stderr=subprocess.PIPE,
            while_running=watch,
        )
    except _TimeOver:
        return row(TOO_LATE, sources=sources_of(board, net))
    if done.returncode == 0:
        made = json.loads(done.stdout)
        cells = {kind: use["used"] for kind, use in made["utilization"].items()}
        figures = {name: made[name] for name in ("fmax_mhz", "clock_mhz", "seconds", "sources")}
        return row(PLACED, **cells, **figures)
    said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    refused = "".join(said)
    if "must fit" not in refused:
        raise ConfigurationError(f"boards: {net} must be built for {board}: {refused}")
    print(refused, file=sys.stderr)
    needed = _NEEDED.search(refused)
    lut = int(needed[1]) if needed else None
    return row(TOO_LARGE, lut=lut, sources=sources_of(board, net))


def is_fresh(row: Trial, seconds: float) -> bool:
    """Whether a row was measured with the present sources and tools, and enough time."""
    if row.outcome == TOO_LATE and row.seconds < seconds:
        return False
    try:
        return row.sources == sources_of(row.board, row.network)
    except ConfigurationError:  # a network that is no more
        return False


def sources_of(board: str, net: str) -> str:
    """`fingerprint` of a build."""
    with _elaborating:
        return fingerprint(make_plan(Network.from_word(net), BOARDS[board]), BOARDS[board])
