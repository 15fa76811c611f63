"""Lists of real numbers as values of a key."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..wording import fraction, parse_real
from .kinds import Kind, Real


@dataclass(frozen=True)
class Reals(Kind):
    """List of real numbers in ``low..high``, written ``0.9,0.05``, not all 0; a tuple."""

    low: float
    high: float

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"numbers in {self.low:g}..{self.high:g} separated by commas, not all 0"

    def accepts(self, value: object) -> bool:
        """Whether `value` is a tuple of numbers in the range, one of them above 0."""
        one = Real(self.low, self.high)
        return isinstance(value, tuple) and all(map(one.accepts, value)) and any(value)

    def parse(self, text: str) -> tuple[float, ...]:
        """Floating-point numbers; that of a single one has no comma."""
        return tuple(parse_real(entry.strip()) for entry in text.split(","))

    def read(self, value: object) -> object:
        """As for all kinds; a list, as in a TOML file, becomes a tuple."""
        return tuple(value) if isinstance(value, list) else super().read(value)


@dataclass(frozen=True)
class Fractions(Kind):
    """List of fractions above 0 and at most 1, written ``1,1/100``; a tuple."""

    finest: int
    """Largest denominator."""

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"fractions above 0 and up to 1, over {self.finest} at most, separated by commas"

    def accepts(self, value: object) -> bool:
        """Whether `value` is a tuple of such fractions, at least one."""
        return (
            isinstance(value, tuple)
            and value != ()
            and all(isinstance(entry, Fraction) for entry in value)
            and all(0 < entry <= 1 and entry.denominator <= self.finest for entry in value)
        )

    def parse(self, text: str) -> tuple[Fraction, ...]:
        """Fractions ``a/b``, or decimal numbers."""
        value = tuple(fraction(entry.strip()) for entry in text.split(","))
        if not self.accepts(value):
            raise ValueError(text)
        return value

    def read(self, value: object) -> object:
        """As for all kinds; numbers in a list or tuple become fractions."""
        if isinstance(value, list | tuple):
            numbers = (int, float, str, Fraction)
            if all(isinstance(entry, numbers) for entry in value):
                return self.parse(",".join(map(str, value)))
        return super().read(value)

    def display(self, value: Any) -> str:
        """Fractions as users write them."""
        return ",".join(map(str, value))

    def name_part(self, value: Any) -> str:
        """The same without strokes."""
        return self.display(value).replace("/", "in").replace(",", "_")
