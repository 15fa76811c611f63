"""Words of answers and errors; numbers as users write them; what a user may have meant."""

from .numbers import counted
from .numerals import fraction, index_in, real_number, whole_number
from .suggestion import closest, did_you_mean, entry_named, not_one_of

__all__ = [
    "closest",
    "counted",
    "did_you_mean",
    "entry_named",
    "fraction",
    "index_in",
    "not_one_of",
    "real_number",
    "whole_number",
]
