"""Networks to be placed, by size: what climbs until an FPGA is full."""

from collections.abc import Sequence

from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork_boards.capacity import MARGIN, estimated_cells
from knotwork_boards.placed import PLACED
from knotwork_boards.selftest import self_test_of
from knotwork_boards.table import Board

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
