"""What the source of a packet draws: one generator for the models and the gates.

Every node has a generator of its own, which goes one step with each packet that it sends, also with
one that the network refuses. So the packets of a node draw the same in every run.

The header carries the number drawn, or another one that follows from it and from the packet's two
nodes: `Routing.written`.

References
----------
G. Marsaglia, "Xorshift RNGs", J. Statistical Software 8(14), 2003. With the shifts of `next_state`
16 bits go through all states but 0 (`tests/routing/test_draws.py`).
"""

from typing import Any

import numpy as np

from .compiled.compilable import compilable

STATE_BITS = 16
"""Bits of a generator."""
SHIFTS = (7, 9, 8)
"""To the left, to the right, to the left."""
MOST_DRAWS = 1 << 12
"""Most numbers between which to draw: each then comes up alike, within 7 %."""

ADDRESS_BITS = 15
"""Lowest bits of a node's address that a generator begins with; those above do not count."""

_MIXED = 0x4D2B  # no word of `ADDRESS_BITS` or fewer, repeated, is it: so no state begins as 0
_MASK = (1 << STATE_BITS) - 1


def first_state(address: int, width: int) -> int:
    """State of a node's generator after reset.

    Parameters
    ----------
    address : int
        The node's.
    width : int
        Bits of an address, at least 1.
    """
    width = min(width, ADDRESS_BITS)
    bits = [address >> place % width & 1 for place in range(STATE_BITS)]
    return sum(bit << place for place, bit in enumerate(bits)) ^ _MIXED


@compilable
def next_state(state: Any) -> Any:
    """State behind another one."""
    state = (state ^ state << 7) & 0xFFFF
    state ^= state >> 9
    return (state ^ state << 8) & 0xFFFF


@compilable
def drawn(state: Any, draws: Any) -> Any:
    """Number that a state stands for, 0..draws - 1."""
    return state * draws >> 16


@compilable
def label_of(written: Any, routers: Any, source: Any, destination: Any, number: Any) -> Any:
    """Destination with which the rule is called: the node, and what the source writes.

    Parameters
    ----------
    written : ndarray
        `Routing.written_numbers`.
    routers : ndarray
        Router of each node.
    source, destination, number : int
        Nodes of the packet, and the number drawn.
    """
    if written.size > 0:
        number = int(written[routers[source], routers[destination], number])
    return destination + len(routers) * number


def marked_numbers(written: np.ndarray, numbers: int) -> np.ndarray:
    """Whether a source writes a number, bool (routers, routers, numbers), by `Routing.written`."""
    marks = np.zeros((*written.shape[:2], numbers if written.size else 0), bool)
    if written.size:
        np.put_along_axis(marks, written.astype(np.int64), values=True, axis=2)
    return marks
