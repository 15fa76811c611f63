"""Parameters that users write as ``key=value``: kinds, ranges, parsing and the words of errors.

Topologies, hardware and traffic are frozen keyword-only dataclasses whose fields are made by
`parameter`; the same declaration checks a value, parses its text and prints its range.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ..errors import ConfigurationError


class Kind:
    """What a parameter may be: `rule` says it in words, `accepts` decides, `parse` reads text."""

    rule: str

    def accepts(self, value: Any) -> bool:
        """Whether `value` obeys the rule."""
        raise NotImplementedError

    def parse(self, text: str) -> Any:
        """Value that `text` spells; `ValueError` where it spells none."""
        raise NotImplementedError

    def read(self, value: Any) -> Any:
        """Value of what a user gives: text is parsed, anything else taken as it is."""
        return self.parse(value) if isinstance(value, str) else value


@dataclass(frozen=True)
class Integer(Kind):
    """Whole number in ``low..high``."""

    low: int
    high: int

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"an integer in {self.low}..{self.high}"

    def accepts(self, value: Any) -> bool:
        """Whether `value` is an integer in the range."""
        return (
            isinstance(value, int)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
        )

    def parse(self, text: str) -> int:
        """Integer in decimal."""
        return int(text, 10)


@dataclass(frozen=True)
class Integers(Kind):
    """List of whole numbers in ``low..high``, written ``4,4,2``; a tuple."""

    low: int
    high: int

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"integers in {self.low}..{self.high} separated by commas"

    def accepts(self, value: Any) -> bool:
        """Whether `value` is a tuple of integers in the range, at least one."""
        one = Integer(self.low, self.high)
        return isinstance(value, tuple) and value != () and all(map(one.accepts, value))

    def parse(self, text: str) -> tuple[int, ...]:
        """Integers in decimal."""
        return tuple(int(entry, 10) for entry in text.split(","))

    def read(self, value: Any) -> Any:
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

    def accepts(self, value: Any) -> bool:
        """Whether `value` is a number in the range."""
        return (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
        )

    def parse(self, text: str) -> float:
        """Floating-point number."""
        return float(text)


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Words, in order."""
        return "one of " + ", ".join(self.words)

    def accepts(self, value: Any) -> bool:
        """Whether `value` is one of the words."""
        return value in self.words

    def parse(self, text: str) -> str:
        """Word itself."""
        return text


@dataclass(frozen=True)
class Span(Kind):
    """Range of whole numbers, written ``4`` or ``1-8``; a pair (first, last)."""

    low: int
    high: int

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"an integer or a range FIRST-LAST in {self.low}..{self.high}"

    def accepts(self, value: Any) -> bool:
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
        return int(first, 10), int(last if dash else first, 10)


@dataclass(frozen=True)
class Text(Kind):
    """Any word; whoever uses it checks it."""

    rule: str = "a word"

    def accepts(self, value: Any) -> bool:
        """Whether `value` is a word at all."""
        return isinstance(value, str) and value != ""

    def parse(self, text: str) -> str:
        """Text itself."""
        return text


YES_NO = Choice(("yes", "no"))


def parameter(
    kind: Kind, *, help: str, default: Any = dataclasses.MISSING, silent: bool = False
) -> Any:
    """Dataclass field of the given kind; without `default` the user must name it.

    Parameters
    ----------
    kind : Kind
        Rule that a value must obey.
    help : str
        What it is, with its unit.
    default : any
        Value if unnamed. ``None`` means "resolved from the others" and is always accepted.
    silent : bool
        Nothing is said of it at its default: what was made before there was the key stays as it is
        to the byte.
    """
    metadata = {"kind": kind, "help": help, "silent": silent}
    return dataclasses.field(default=default, metadata=metadata)


def parse_words(words: tuple[str, ...] | list[str], *, owner: str) -> dict[str, str]:
    """Split ``key=value`` words into a dictionary of texts.

    Raises
    ------
    ConfigurationError
        A word without ``=``, or a key named twice.
    """
    texts: dict[str, str] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            raise ConfigurationError(f"{owner}: a parameter must be key=value, not {word!r}")
        if key in texts:
            raise ConfigurationError(f"{owner}: {key} must be named once, not twice")
        texts[key] = text
    return texts


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Base of all sets of parameters: checks every field against its kind when made."""

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            kind = field.metadata["kind"]
            if value is None and field.default is None:
                continue
            if not kind.accepts(value):
                raise ConfigurationError(
                    f"{self.name}: {field.name} must be {kind.rule}, not {value!r}"
                )

    @classmethod
    def keys(cls) -> dict[str, dataclasses.Field]:
        """Fields by key, in the order of their declaration."""
        return {field.name: field for field in dataclasses.fields(cls)}

    @classmethod
    def from_texts(cls, texts: dict[str, Any]) -> Self:
        """Set of parameters from ``{key: text}``; values that are not text are taken as they are.

        Raises
        ------
        ConfigurationError
            An unknown key, a missing one, or a value that breaks its rule.
        """
        keys = cls.keys()
        values = {}
        for key, text in texts.items():
            if key not in keys:
                raise ConfigurationError(unknown_key(cls.name, key, list(keys)))
            kind = keys[key].metadata["kind"]
            try:
                values[key] = kind.read(text)
            except ValueError:
                raise ConfigurationError(
                    f"{cls.name}: {key} must be {kind.rule}, not {text!r}"
                ) from None
        for key, field in keys.items():
            if key not in values and field.default is dataclasses.MISSING:
                rule = field.metadata["kind"].rule
                raise ConfigurationError(f"{cls.name}: {key} must be given: {rule}")
        return cls(**values)

    def as_dict(self) -> dict[str, Any]:
        """Values by key, but for silent ones at their default."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        silent = [
            field.name
            for field in dataclasses.fields(self)
            if field.metadata["silent"] and values[field.name] == field.default
        ]
        return {key: value for key, value in values.items() if key not in silent}


def spelled(value: Any) -> str:
    """Value as a user writes it: a list with commas."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def unknown_key(owner: str, key: str, known: list[str]) -> str:
    """Line that refuses `key` and names the known ones."""
    return f"{owner}: a key must be one of {', '.join(known)}, not {key!r}"
