"""Tables loaded in service: the words that load them, and what a manifest tells of them."""

from .sections import lost_flag
from .words import load_words, lost_packet, word_fields

__all__ = ["load_words", "lost_flag", "lost_packet", "word_fields"]
