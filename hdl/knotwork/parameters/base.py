"""Parameters that users write as ``key=value``: declaration, checks and the words of errors.

Topologies, hardware and traffic are frozen keyword-only dataclasses whose fields are made by
`parameter`; the same declaration checks a value, parses its text and prints its range.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ..errors import ConfigurationError
from ..untyped import Field
from ..wording import not_one_of
from .kinds import FromFile, Kind


def parameter(
    kind: Kind, *, help: str, default: object = dataclasses.MISSING, silent: bool = False
) -> Field:
    """Dataclass field of the given kind; without `default` the user must name it.

    Parameters
    ----------
    kind : Kind
        Rule that a value must obey.
    help : str
        What it is, with its unit.
    default : any
        Value if unnamed. ``None`` stands for a value that follows from the other parameters, and is
        always accepted.
    silent : bool
        Leave the key out of answers and files while it has its default, so that files made before
        the key existed stay byte-identical.
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
            if "kind" not in field.metadata:
                raise ConfigurationError(
                    f"{self.name}: {field.name} must be declared by parameter(...), as in "
                    f"{field.name}: int = parameter(Integer(2, 64), help='...')"
                )
            kind = field.metadata["kind"]
            if value is None and field.default is None:
                continue
            if not kind.accepts(value):
                raise ConfigurationError(_wrong_value(self.name, field.name, kind, value))

    @classmethod
    def keys(cls) -> dict[str, dataclasses.Field]:
        """Fields by key, in the order of their declaration."""
        return {field.name: field for field in dataclasses.fields(cls)}

    @classmethod
    def from_texts(cls, texts: dict[str, object]) -> Self:
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
            except ConfigurationError:  # a file that says what is wrong in it
                raise
            except ValueError:
                raise ConfigurationError(_wrong_value(cls.name, key, kind, text)) from None
        for key, field in keys.items():
            if key not in values and field.default is dataclasses.MISSING:
                rule = field.metadata["kind"].rule
                raise ConfigurationError(f"{cls.name}: {key} must be given: {rule}")
        return cls(**values)

    @classmethod
    def with_contents(cls, texts: Mapping[str, object]) -> dict[str, object]:
        """Texts by key, with the contents of files, or what plugins define, in place of names.

        So they can be used where the files are missing, or have changed since.
        """
        read = dict(texts)
        for key, field in cls.keys().items():
            kind = field.metadata["kind"]
            if key in read and kind.is_resolved:
                try:
                    read[key] = kind.read(read[key])
                except ConfigurationError:
                    raise
                except ValueError:  # `from_texts` refuses the text
                    continue
        return read

    def contents(self) -> dict[str, dict[str, Any]]:
        """Contents of files by key, from which their classes are rebuilt by `from_dict`."""
        return {
            key: getattr(self, key).to_dict()
            for key, field in self.keys().items()
            if isinstance(field.metadata["kind"], FromFile) and getattr(self, key) is not None
        }

    @classmethod
    def of(cls, parameters: "Parameters") -> Self:
        """Same parameters, known to be of this class.

        Raises
        ------
        TypeError
            Parameters of another class.
        """
        if not isinstance(parameters, cls):
            raise TypeError(f"parameters must be {cls.__name__}, not {type(parameters).__name__}")
        return parameters

    def as_dict(self) -> dict[str, object]:
        """Values by key, as answers show them; silent keys at their default are left out."""
        values = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if not (field.metadata["silent"] and value == field.default):
                values[field.name] = display_value(field, value)
        return values


def display_value(field: dataclasses.Field, value: object) -> object:
    """Value of a field as answers show it; None, which the other parameters resolve, as it is."""
    return None if value is None else field.metadata["kind"].display(value)


def format_value(value: object) -> str:
    """Value as a user writes it: a list with commas."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def unknown_key(owner: str, key: str, known: list[str], *, hint: str = "") -> str:
    """Line that refuses `key`, names the known ones, and the one that may be meant.

    A `hint` at where the key would be known stands in place of that.
    """
    if hint:
        return f"{owner}: a key must be one of {', '.join(known)}, not {key!r}{hint}"
    return not_one_of(f"{owner}: a key", known, key)


def _wrong_value(owner: str, key: str, kind: Kind, value: object) -> str:
    """Line that refuses a key's value, with the word that may be meant."""
    return not_one_of(f"{owner}: {key}", kind.words, value, rule=kind.rule)
