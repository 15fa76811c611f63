"""Clock of a network on a board: the board's own clock, or one that a PLL derives from it."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from knotwork.errors import ConfigurationError
from knotwork.parameters import YES_NO, Parameters, Real, parameter

from .families.family import Setting
from .table import Board

AUTO, BOARD_CLOCK = "auto", "board"
"""Words for the highest frequency of the network, and for the board's own clock."""

MARGINS = (0.98, 0.94, 0.88, 0.8, 0.7)
"""Shares of the least frequency seen so far that are tried one after the other.

A design for another clock is placed again, and becomes a few per cent faster or slower.
"""


@dataclass(frozen=True)
class _Frequency(Real):
    """Frequency in MHz, or a word for one."""

    words = (AUTO, BOARD_CLOCK)

    @property
    def rule(self) -> str:
        """Words and range."""
        return f"{AUTO}, {BOARD_CLOCK} or {super().rule} (MHz)"

    def accepts(self, value: object) -> bool:
        """Whether `value` is a word or a number in the range."""
        return value in self.words or super().accepts(value)

    def parse(self, text: str) -> float | str:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Word, or number."""
        return text if text in self.words else super().parse(text)


@dataclass(frozen=True, kw_only=True)
class BuildKeys(Parameters):
    """Keys of a build.

    Parameters
    ----------
    clock_mhz : float or str
        Frequency of the network: ``auto`` is the highest that the network reaches, ``board``
        the board's own clock, a number the nearest below it that the board's PLL can make.
    measure : bool
        Whether the self-test can also measure latency and load, and takes commands.
    """

    name: ClassVar[str] = "bitstream"

    clock_mhz: float | str = parameter(
        _Frequency(1, 400),
        help="as fast as the network can run, the board's own clock, or MHz",
        default=AUTO,
    )
    measure: bool = parameter(YES_NO, help="also measure latency and accepted load", default=False)


@dataclass(frozen=True)
class Clock:
    """Clock of a network.

    Parameters
    ----------
    hz : Fraction
        Its frequency.
    setting : Setting or None
        Setting of the PLL; None where the board's clock is the network's.
    """

    hz: Fraction
    setting: Setting | None = None

    @property
    def mhz(self) -> float:
        """Its frequency in MHz."""
        return float(self.hz / 10**6)


def clock_of(board: Board) -> Clock:
    """Clock of the board itself."""
    return Clock(Fraction(board.clock_hz))


def clock_below(board: Board, at_most_mhz: float) -> Clock | None:
    """Fastest clock of a board that is not above a frequency; None where there is none."""
    at_most_hz = at_most_mhz * 10**6
    setting = board.family.pll.nearest(board.clock_hz, at_most_hz, board.device)
    by_pll = [] if setting is None else [Clock(setting.hz, setting)]
    direct = [clock_of(board)] if board.clock_hz <= at_most_hz else []
    return max([*direct, *by_pll], key=lambda clock: clock.hz, default=None)


class ClockSearch:
    """Clocks to place for, one after the other, until what was placed reaches its clock.

    Parameters
    ----------
    board : Board
        Board of the build.
    wanted : float or str
        `BuildKeys.clock_mhz`.

    Raises
    ------
    ConfigurationError
        The board makes no clock as slow as is wanted.

    Members
    -------
    last : tuple of Clock and float
        Clock of the last placement, and what it reached in MHz.
    """

    def __init__(self, board: Board, wanted: float | str) -> None:
        aim = board.family.reach_mhz if wanted == AUTO else wanted
        first = clock_of(board) if wanted == BOARD_CLOCK else clock_below(board, float(aim))
        if first is None:
            raise ConfigurationError(
                f"{board.name}: clock_mhz must be a frequency that the board makes, not {wanted:g}"
            )
        self._first = first
        self._board = board
        self.wanted = wanted
        self.last = first, 0.0
        self._least = float("inf")

    def __iter__(self) -> Iterator[Clock]:
        """Clocks; the only one, unless the frequency is left open."""
        margins = iter(MARGINS if self.is_open else ())
        clock: Clock | None = self._first
        while clock is not None:
            yield clock
            margin = next(margins, None)
            clock = None if margin is None else clock_below(self._board, margin * self._least)

    @property
    def is_open(self) -> bool:
        """Whether the frequency is the highest that the network reaches."""
        return self.wanted == AUTO

    @property
    def usual_placements(self) -> int:
        """Placements that it takes, as a rule.

        Where only the netlist can be set to another clock, a second one is for what the first
        reached.
        """
        return 2 if self.is_open and self._board.family.retune is None else 1

    def reached(self, clock: Clock, fmax_mhz: float) -> None:
        """Record what the build for a clock reached."""
        self.last = clock, fmax_mhz
        self._least = min(self._least, fmax_mhz)
