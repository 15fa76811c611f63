"""Points of a load sweep that a board measures.

Boards are not known here. Who knows them is found by the entry-point group
``knotwork.point_engines``, whose entry ``board`` names a class like `BoardPoints`.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from knotwork.entry_points import entry_points
from knotwork.errors import ConfigurationError, ToolError
from knotwork.network import Network

from ..check.engines import BOARD
from ..check.result import Latency
from ..traffic.keys import Traffic
from ..traffic.patterns import ByClass, Fixed, Law, make_law
from .channel_load import traffic_seed
from .load_result import LoadPoint, Window

GROUP = "knotwork.point_engines"
"""Group of entry points that measure points."""


class BoardPort(NamedTuple):
    """Serial port of a board.

    Members
    -------
    port : str
        Device.
    baud : int
        Bits per second.
    """

    port: str
    baud: int = 115200


class BoardPoints(AbstractContextManager["BoardPoints"], Protocol):
    """Board that measures points."""

    def point(self, rate: float) -> Mapping[str, Any]:
        """Fields of a point at an offered load."""
        ...


def require_board(board: BoardPort | None, networks: int, traffic: Traffic) -> None:
    """Refuse what a board does not measure.

    Raises
    ------
    ConfigurationError
        A board without a port; several networks; traffic of other keys than its pattern, one length
        and a seed.
    """
    if board is None:
        raise ConfigurationError(f"sweep: --engine {BOARD} must be used with --port PORT")
    if networks > 1:
        raise ConfigurationError(f"sweep: a board must have one network, not {networks}")
    usual = Traffic(traffic=traffic.traffic, permutation=traffic.permutation, seed=traffic.seed)
    others = Traffic.keys().keys() - {"length"}
    for key in sorted(others):
        if getattr(traffic, key) != getattr(usual, key):
            raise ConfigurationError(
                f"sweep: {key} must be left unset with --engine {BOARD}, not {traffic.spelled(key)}"
            )
    first, last = traffic.length or (1, 1)
    if first != last:
        raise ConfigurationError(
            f"sweep: length must be one number with --engine {BOARD}, not {first}-{last}"
        )


def open_board(network: Network, traffic: Traffic, window: Window, board: BoardPort) -> BoardPoints:
    """Board that measures points of a network under some traffic.

    Raises
    ------
    ConfigurationError
        A pattern that no board has; another network is on the board.
    ToolError
        The port cannot be opened, or nobody knows boards.
    """
    wanted = _destinations(make_law(network.topology, traffic, traffic_seed(traffic)))
    if wanted is None and traffic.traffic != "uniform":
        raise ConfigurationError(
            f"sweep: traffic must be uniform or a permutation with --engine {BOARD}, not "
            f"{traffic.traffic}"
        )
    for entry in entry_points(group=GROUP, name=BOARD):
        return entry.load()(
            network,
            port=board.port,
            baud=board.baud,
            wanted=wanted,
            length=(traffic.length or (1, 1))[0],
            seed=traffic.seed,
            warmup=window.longest_warmup,
            cycles=window.measure,
        )
    raise ToolError(
        f"the entry {BOARD} of {GROUP} must be installed: run `make setup`, or install Knotwork "
        f"again"
    )


def _destinations(law: Law) -> list[int] | None:
    """Destination of each node, or of each stream where there are classes; None where it varies."""
    if isinstance(law, ByClass):
        to = _destinations(law.law)
        firsts = range(0, law.nodes * law.classes, law.nodes)
        return None if to is None else [first + each for first in firsts for each in to]
    return law.destinations.tolist() if isinstance(law, Fixed) else None


def measure_on_board(board: BoardPoints, rate: float) -> LoadPoint:
    """Point at an offered load; a board gives no confidence and no percentiles."""
    measured = dict(board.point(rate))
    latency = Latency(mean=measured.pop("latency_mean"), max=measured.pop("latency_max"))
    unknown = dict.fromkeys(("accepted_ci95", "accepted_least", "latency_ci95"))
    return LoadPoint(**measured, **unknown, latency=latency)
