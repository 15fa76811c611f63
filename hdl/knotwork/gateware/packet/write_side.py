"""What the read side of a branching channel sees of its write side."""

from typing import NamedTuple

from amaranth.hdl import Signal, Value


class WriteSide(NamedTuple):
    """Write side of a buffer whose packets branch.

    Members
    -------
    end : Value
        Position behind the last flit that can be seen.
    commit : Value
        `end` moves in this cycle: the flit written now, and the packet it completes, become
        visible.
    full : Signal
        There is no room.
    head_after : Signal
        First position in use, after what is freed in this cycle.
    """

    end: Value
    commit: Signal
    full: Signal
    head_after: Signal
