"""Settings of PLLs, and the one that comes nearest to a frequency."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from amaranth.hdl import Signal
    from amaranth.lib import io

MHZ = 1_000_000


class Range(NamedTuple):
    """Lowest and highest frequency in MHz that a datasheet allows."""

    low: float
    high: float

    def has(self, hz: Fraction | float) -> bool:
        """Whether a frequency in Hz lies in it."""
        return self.low * MHZ <= hz <= self.high * MHZ


class Limits(NamedTuple):
    """Limits of a PLL.

    Members
    -------
    input, detector, oscillator, output : Range
        Frequencies at the input, the phase detector, the oscillator (VCO) and the output.
    """

    input: Range
    detector: Range
    oscillator: Range
    output: Range


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Setting of a PLL.

    Parameters
    ----------
    hz : Fraction
        Frequency of the output.
    oscillator_hz : Fraction
        Frequency of the oscillator.
    dividers : mapping
        Parameters of the PLL that are dividers.
    """

    hz: Fraction
    oscillator_hz: Fraction
    dividers: Mapping[str, int] = field(hash=False)


class Wires(NamedTuple):
    """Wires of a PLL.

    Members
    -------
    pin : port
        Pin of the board's clock.
    clock, locked : Signal
        What comes out of it, and whether it is steady.
    """

    pin: "io.SingleEndedPort | io.DifferentialPort"
    clock: "Signal"
    locked: "Signal"


@dataclass(frozen=True, kw_only=True)
class Pll:
    """PLL of a family.

    Parameters
    ----------
    settings : callable
        Settings that its limits allow, from the frequency of the input and the highest one of the
        output in Hz, and the device. Of settings that differ in the output's divider alone, only
        the fastest.
    place : callable
        Places it into a module, as set.
    parameters : callable
        Parameters of its cell that a setting decides.
    """

    settings: Callable[[Fraction, Fraction, str], Iterable[Setting]]
    place: Callable[..., None]
    parameters: Callable[[Setting], Mapping[str, int]] = attrgetter("dividers")

    def nearest(self, input_hz: float, at_most_hz: float, device: str) -> Setting | None:
        """Fastest setting that is not above a frequency; of equal ones, the slowest oscillator."""
        slow = self.settings(Fraction(input_hz), Fraction(at_most_hz), device)
        return max(slow, key=lambda setting: (setting.hz, -setting.oscillator_hz), default=None)


def integer_multiples(detector_hz: Fraction, oscillator: Range) -> Iterator[int]:
    """Factors that bring a detector's frequency into an oscillator's range."""
    first = max(1, -(-int(oscillator.low * MHZ) // detector_hz))
    last = int(oscillator.high * MHZ / detector_hz)
    return iter(range(int(first), last + 1))
