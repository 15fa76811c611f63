"""Numbers as users write them, alike on command lines and in files: ASCII digits, in decimal."""

import re
from fractions import Fraction

_WHOLE = re.compile(r"-?[0-9]{1,20}")
_REAL = re.compile(r"-?([0-9]{1,400}([.][0-9]{0,400})?|[.][0-9]{1,400})([eE][-+]?[0-9]{1,3})?")


def parse_integer(text: str) -> int:
    """Whole number that a text spells, of at most 20 digits, which hold any of 64 bits.

    Raises
    ------
    ValueError
        Another text: with other letters, signs or spaces.
    """
    if _WHOLE.fullmatch(text) is None:
        raise ValueError(f"no number: {text!r}")
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
        raise ValueError(f"no number: {text!r}")
    return float(text)


def fraction(text: str) -> Fraction:
    """Fraction that a text spells: ``1/100``, or a number as of `parse_real`, exactly.

    Raises
    ------
    ValueError
        Another text, or a division by 0.
    """
    above, stroke, below = text.partition("/")
    if not stroke:
        if _REAL.fullmatch(text) is None:  # an exponent of nine digits would fill the memory
            raise ValueError(f"no number: {text!r}")
        return Fraction(text)
    if not (divisor := parse_integer(below)):
        raise ValueError(f"no number: {text!r}")
    return Fraction(parse_integer(above), divisor)
