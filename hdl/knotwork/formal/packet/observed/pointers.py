"""Order in which a buffer's pointers go through its memory."""

from functools import cache

from ....gateware.parts.buffer import TAPS


@cache
def pointer_order(depth: int) -> list[int]:
    """Places of a memory of `depth` words in the order of their use, from 0 on.

    A power of two goes by a shift register of maximum length, with 0 put in beside 1 0...0; other
    depths count.
    """
    bits = (depth - 1).bit_length()
    if depth != 1 << bits or bits not in TAPS:
        return list(range(depth))
    order = [0]
    while len(order) < depth:
        last = order[-1]
        parity = sum(last >> tap & 1 for tap in TAPS[bits]) & 1
        taken = parity ^ (last & ((1 << (bits - 1)) - 1) == 0)
        order.append((last << 1 | taken) & (depth - 1))
    return order
