"""What a parameter may be: kinds with their ranges, how text is read and values are shown."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from ..wording import parse_integer, parse_real


class Kind:
    """What a parameter may be: `rule` says it in words, `accepts` decides, `parse` reads text."""

    rule: str
    words: tuple[str, ...] = ()
    """Words that it can be; empty where it can be others."""

    def accepts(self, value: object) -> bool:
        """Whether `value` obeys the rule."""
        raise NotImplementedError

    def parse(self, text: str) -> object:
        """Value that `text` spells; `ValueError` where it spells none."""
        raise NotImplementedError

    def read(self, value: object) -> object:
        """Value of what a user gives: text is parsed, anything else taken as it is."""
        return self.parse(value) if isinstance(value, str) else value

    def display(self, value: object) -> object:
        """Value as answers and files show it: a number, a word or a list of them."""
        return value

    def name_part(self, value: object) -> object:
        """Value as a part of a network's name."""
        return self.display(value)


@dataclass(frozen=True)
class Integer(Kind):
    """Whole number in ``low..high``."""

    low: int
    high: int

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"an integer in {self.low}..{self.high}"

    def accepts(self, value: object) -> bool:
        """Whether `value` is an integer in the range."""
        return (
            isinstance(value, int)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
        )

    def parse(self, text: str) -> int:
        """Integer in decimal."""
        return parse_integer(text)


@dataclass(frozen=True)
class Integers(Kind):
    """List of whole numbers in ``low..high``, written ``4,4,2``; a tuple."""

    low: int
    high: int

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"integers in {self.low}..{self.high} separated by commas"

    def accepts(self, value: object) -> bool:
        """Whether `value` is a tuple of integers in the range, at least one."""
        one = Integer(self.low, self.high)
        return isinstance(value, tuple) and value != () and all(map(one.accepts, value))

    def parse(self, text: str) -> tuple[int, ...]:
        """Integers in decimal."""
        return tuple(parse_integer(entry.strip()) for entry in text.split(","))

    def read(self, value: object) -> object:
        """As for all kinds; a list, as in a TOML file, becomes a tuple."""
        return tuple(value) if isinstance(value, list) else super().read(value)


@dataclass(frozen=True)
class Real(Kind):
    """Real number in ``low..high``."""

    low: float
    high: float

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"a number in {self.low:g}..{self.high:g}"

    def accepts(self, value: object) -> bool:
        """Whether `value` is a number in the range."""
        return (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
        )

    def parse(self, text: str) -> float:
        """Floating-point number."""
        return parse_real(text)


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Words, in order."""
        return "one of " + ", ".join(self.words)

    def accepts(self, value: object) -> bool:
        """Whether `value` is one of the words."""
        return value in self.words

    def parse(self, text: str) -> str:
        """Word itself."""
        return text


@dataclass(frozen=True)
class Mix(Choice):
    """One of a few words, or several with their shares: ``uniform:0.7,hotspot:0.3``."""

    @property
    def rule(self) -> str:
        """Words, in order, and the form of a mix."""
        return f"{super().rule}, or several with shares as {self.example}"

    @property
    def example(self) -> str:
        """Mix of the first words."""
        return ",".join(f"{word}:{share}" for word, share in zip(self.words, (3, 1), strict=False))

    def accepts(self, value: object) -> bool:
        """Whether `value` is a word, or a mix of distinct ones."""
        return super().accepts(value) or (isinstance(value, str) and self._is_mix(value))

    def _is_mix(self, text: str) -> bool:
        parts = shares(text)
        words = [word for word, _ in parts]
        return (
            ":" in text
            and len(set(words)) == len(words)
            and set(words) <= set(self.words)
            and all(0 < share < float("inf") for _, share in parts)
        )


def shares(text: str) -> tuple[tuple[str, float], ...]:
    """Words of a mix and their shares, as written; a share that is no number is 0.

    A word alone has share 1.
    """
    found = []
    for part in text.split(","):
        word, colon, share = part.partition(":")
        try:
            found.append((word, parse_real(share) if colon else 1.0))
        except ValueError:
            found.append((word, 0.0))
    return tuple(found)


@dataclass(frozen=True)
class Span(Kind):
    """Range of whole numbers, written ``4`` or ``1-8``; a pair (first, last)."""

    low: int
    high: int

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"an integer or a range FIRST-LAST in {self.low}..{self.high}"

    def accepts(self, value: object) -> bool:
        """Whether `value` is an ordered pair within the bounds."""
        return (
            isinstance(value, tuple)
            and len(value) == 2
            and all(isinstance(end, int) for end in value)
            and self.low <= value[0] <= value[1] <= self.high
        )

    def parse(self, text: str) -> tuple[int, int]:
        """Pair of ends, both the same for a single number."""
        first, dash, last = text.partition("-")
        return parse_integer(first), parse_integer(last if dash else first)


@dataclass(frozen=True)
class Text(Kind):
    """Any word; whoever uses it checks it."""

    rule: str = "a word"

    def accepts(self, value: object) -> bool:
        """Whether `value` is a word at all."""
        return isinstance(value, str) and value != ""

    def parse(self, text: str) -> str:
        """Text itself."""
        return text


@dataclass(frozen=True)
class FromFile(Kind):
    """What a file holds; its class reads the file by `read`, and shows itself as text.

    It has a `digest`, which stands for it in names, and `to_dict` gives it as JSON values, from
    which `from_dict` makes it again. `content` is the class, or names its module and
    itself, ``package.module:Class``, so that a list of keys does not import it.
    """

    rule: str
    content: Any

    @property
    def content_class(self) -> Any:
        """Class of the content."""
        return resolve_name(self.content) if isinstance(self.content, str) else self.content

    def accepts(self, value: object) -> bool:
        """Whether `value` has been read, or made in Python."""
        return isinstance(value, self.content_class)

    def parse(self, text: str) -> object:
        """Content of the file that `text` names."""
        return self.content_class.read(Path(text))

    def read(self, value: object) -> object:
        """As for all kinds; a path in Python is read too."""
        return super().read(str(value) if isinstance(value, PathLike) else value)

    def display(self, value: object) -> str:
        """Text of the content."""
        return str(value)

    def name_part(self, value: Any) -> str:
        """Beginning of the content's digest."""
        return value.digest[:8]


@dataclass(frozen=True)
class YesNo(Kind):
    """Truth value, written ``yes`` or ``no``."""

    rule: str = "one of yes, no"
    words: tuple[str, ...] = ("yes", "no")

    def accepts(self, value: object) -> bool:
        """Whether `value` is a truth value."""
        return isinstance(value, bool)

    def parse(self, text: str) -> bool:
        """Truth value of a word."""
        if text not in _TRUTH:
            raise ValueError(text)
        return _TRUTH[text]

    def display(self, value: object) -> str:
        """Word for a truth value."""
        return "yes" if value else "no"


_TRUTH = {"yes": True, "no": False}

YES_NO = YesNo()
