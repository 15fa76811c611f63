"""Builds by the ``knotwork`` command: ladders of networks that climb until an FPGA is full."""

import json
import re
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from knotwork.builds.compilation import run_process
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.network_words import network_word
from knotwork_boards.build_plan import fingerprint, make_plan
from knotwork_boards.capacity import MARGIN, estimated_cells
from knotwork_boards.clock import BOARD_CLOCK
from knotwork_boards.placed import PLACED, TOO_LARGE, TOO_LATE, Trial
from knotwork_boards.selftest import self_test_of
from knotwork_boards.table import BOARDS, Board

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


_POWERS = range(2, 9)
_RECTANGLES = ((2, 2), (3, 2), (3, 3), (4, 3), (4, 4), (5, 4), (5, 5), (6, 5), (6, 6), (8, 8))

LADDERS = {
    "ccc": [f"ccc:n={n}" for n in _POWERS],
    "moebius": [f"moebius:n={n}" for n in _POWERS],
    "lcan": [f"lcan:d=2,u=1,levels={levels}" for levels in _POWERS],
    "wk": [
        f"wk:w={w},levels={levels}"
        for w, levels in ((4, 1), (5, 1), (6, 1), (3, 2), (4, 2), (5, 2), (3, 3), (6, 2), (4, 3))
    ],
    "tcpg": [f"tcpg:k={k},m={m}" for k, m in ((1, 1), (2, 1), (2, 2))],
    "hypercube": [f"hypercube:n={n}" for n in _POWERS],
    "mesh": [f"mesh:x={x},y={y}" for x, y in _RECTANGLES],
    "torus": [f"torus:x={x},y={y}" for x, y in _RECTANGLES],
}
"""Networks of four nodes and more by topology, each larger than the one before."""

WIDTHS = (8, 12, 16, 24, 32)
SHORTEST = {"buffer_depth": 2, "max_packet": 4}
"""Least value of the key that sets how much is stored, where the self-test takes it."""

EVERY_BOARD = "moebius:n=2"
"""Network of four nodes that is built for every board."""


def smallest(net: str) -> str:
    """Network in one word with the narrowest data, the smallest memories and the smallest router.

    That is the plain router of ``pipeline=1``, where one virtual channel is enough.
    """
    network = Network.from_word(net)
    hints = self_test_of(network).build_hints(network)
    key = hints.storage_key
    stored = f",{key}={SHORTEST[key]}" if key in SHORTEST else ""
    if hints.has_pipeline and network.virtual_channels == 1:
        stored += ",pipeline=1"
    for width in WIDTHS:
        word = f"{net},data_width={width}{stored}"
        try:
            network = Network.from_word(word)
            self_test_of(network).node_test(network)
        except ConfigurationError:
            continue
        return word
    raise ConfigurationError(f"{net}: must have a self-test with at most {WIDTHS[-1]} bits")


class Climb:
    """Search for the largest network of a ladder, the smallest first, that is placed on a board.

    It begins with the largest that the estimate lets in, and goes up after a success and down after
    a failure. What is estimated at more than `MARGIN` times the FPGA is not tried.
    """

    def __init__(self, nets: Sequence[str], board: Board) -> None:
        self._outcomes: dict[int, str] = {}
        self._nets: list[str] = []
        self._next: int | None = None
        for net in nets:
            word = smallest(net)
            cells = estimated_cells(Network.from_word(word), board.family.name)
            if cells > MARGIN * board.luts:
                break
            self._nets.append(word)
            if cells <= board.luts or self._next is None:
                self._next = len(self._nets) - 1

    def next(self) -> str | None:
        """Network to build next; None at the end of the search."""
        return None if self._next is None else self._nets[self._next]

    def record_outcome(self, outcome: str) -> None:
        """Take the outcome of its build."""
        assert self._next is not None
        self._outcomes[self._next] = outcome
        step = 1 if outcome == PLACED else -1
        wanted = self._next + step
        known = wanted in self._outcomes or not 0 <= wanted < len(self._nets)
        self._next = None if known else wanted
