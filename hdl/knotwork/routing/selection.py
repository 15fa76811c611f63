"""By what a head chooses between its ways, where it has several."""

from typing import NamedTuple

from .draws import first_state


class Selection(NamedTuple):
    """Which of its ways a head requests.

    It requests them in turn: the first, after a blocked cycle the next, the escape last.

    Members
    -------
    name : str
        Value of the key `selection`.
    prefers_open : bool
        Not in turn: whenever a head comes from its buffer to the front of its input, and after each
        blocked cycle there, it requests the first of its ways whose channel could take a head in
        that cycle; its first way if none could. One that arrives at an idle input requests its
        first way.
    is_drawn : bool
        It begins with one of its ways but the escape, drawn when the packet before it left its
        channel. Each router has a generator for that, which begins with `FIRST_STATE` and goes one
        step in each cycle in which a tail leaves an input.
    """

    name: str
    prefers_open: bool = False
    is_drawn: bool = False


FIRST = Selection("first")
CREDITS = Selection("credits", prefers_open=True)
RANDOM = Selection("random", is_drawn=True)

SELECTIONS = {one.name: one for one in (FIRST, CREDITS, RANDOM)}
"""All of them, by name."""

FIRST_STATE = first_state(0, 1)
"""State of every router's generator after reset; `draws.next_state` is the one behind it."""
