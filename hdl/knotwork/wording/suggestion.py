"""What a user may have meant by a word that is none of the known ones."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from ..errors import ConfigurationError

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
