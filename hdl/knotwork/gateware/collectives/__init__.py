"""Collectives in gates: a tree of its own that combines what nodes send, and spreads it again."""
