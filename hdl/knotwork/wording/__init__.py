"""Words of answers and errors: numbers of things, and what a user may have meant."""

from .numbers import counted
from .suggestion import closest, did_you_mean, entry_named, not_one_of

__all__ = ["closest", "counted", "did_you_mean", "entry_named", "not_one_of"]
