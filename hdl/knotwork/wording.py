"""Words of answers and errors; numbers as users write them; suggestions for mistyped words."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from .errors import ConfigurationError

if TYPE_CHECKING:
    from fractions import Fraction


def plural(count: int, thing: str) -> str:
    """Number of things in words: ``1 hop``, ``2 hops``."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


_WHOLE = re.compile(r"-?[0-9]{1,20}")
_REAL = re.compile(r"-?([0-9]{1,400}([.][0-9]{0,400})?|[.][0-9]{1,400})([eE][-+]?[0-9]{1,3})?")


def parse_integer(text: str) -> int:
    """Integer that a text spells, of at most 20 digits, which hold any of 64 bits.

    Raises
    ------
    ValueError
        Another text: with other letters, signs or spaces.
    """
    if _WHOLE.fullmatch(text) is None:
        raise ValueError(f"not a number: {text!r}")
    return int(text)


def parse_index(text: str, count: int) -> int | None:
    """Index in ``0..count - 1`` that a text spells; None where it spells none."""
    try:
        found = parse_integer(text)
    except ValueError:
        return None
    return found if found < count and not text.startswith("-") else None


def parse_real(text: str) -> float:
    """Number that a text spells, with a point and an exponent or without; infinite if too large.

    Raises
    ------
    ValueError
        Another text: ``nan`` or ``inf``, with other letters, signs or spaces.
    """
    if _REAL.fullmatch(text) is None:
        raise ValueError(f"not a number: {text!r}")
    return float(text)


def fraction(text: str) -> "Fraction":
    """Fraction that a text spells: ``1/100``, or a number as of `parse_real`, exactly.

    Raises
    ------
    ValueError
        Another text, or a division by 0.
    """
    from fractions import Fraction

    above, stroke, below = text.partition("/")
    if not stroke:
        if _REAL.fullmatch(text) is None:  # an exponent of nine digits would fill the memory
            raise ValueError(f"not a number: {text!r}")
        return Fraction(text)
    if not (divisor := parse_integer(below)):
        raise ValueError(f"not a number: {text!r}")
    return Fraction(parse_integer(above), divisor)


Entry = TypeVar("Entry")

_LIKENESS = 0.6
"""Share of letters in common from which a word is suggested: that of most slips of a finger."""


def closest(given: object, known: Iterable[str]) -> str | None:
    """Known word that is most like the given one, whatever the case; None if none is like it.

    What is no text, or is known, is like nothing.
    """
    words = list(known)
    if not isinstance(given, str) or given in words or len(given) > 80:
        return None
    plain = {_plain(word): word for word in reversed(words)}
    if _plain(given) in plain:
        return plain[_plain(given)]
    from difflib import get_close_matches

    found = get_close_matches(_plain(given), plain, n=1, cutoff=_LIKENESS)
    return plain[found[0]] if found else None


def _plain(word: str) -> str:
    """Word without what people vary: case, and the sign that joins its parts."""
    return word.lower().replace("-", "_")


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """End of a line that refuses a word: ``; did you mean hypercube?``, or nothing."""
    found = closest(given, known)
    return "" if found is None else f"; did you mean {found}?"


def not_one_of(thing: str, known: Iterable[str], given: object, *, rule: str | None = None) -> str:
    """Line that refuses a word, names the known ones, and the one that may be meant.

    Parameters
    ----------
    thing : str
        What the word names, with its owner: ``hypercube: routing``.
    known : iterable of str
        Words that it can be.
    given : any
        The word.
    rule : str, optional
        What it must be; ``one of`` the known words if unnamed.
    """
    words = list(known)
    rule = rule or f"one of {', '.join(words)}"
    return f"{thing} must be {rule}, not {given!r}{did_you_mean(given, words)}"


def entry_named(registry: Mapping[str, Entry], thing: str, name: object) -> Entry:
    """Entry of a registry that the user names; a name that is no text is refused as others are.

    Raises
    ------
    ConfigurationError
        The registry has no such name.
    """
    if not isinstance(name, str) or name not in registry:
        raise ConfigurationError(not_one_of(thing, registry, name))
    return registry[name]
