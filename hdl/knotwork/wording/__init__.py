"""Words of answers and errors; numbers as users write them; what a user may have meant."""

from .numbers import plural
from .numerals import fraction, parse_index, parse_integer, parse_real
from .suggestion import closest, did_you_mean, entry_named, not_one_of

__all__ = [
    "closest",
    "did_you_mean",
    "entry_named",
    "fraction",
    "not_one_of",
    "parse_index",
    "parse_integer",
    "parse_real",
    "plural",
]
