"""Input ports by which packets come that can escape."""

from .escape_port import EscapePort

__all__ = ["EscapePort"]
