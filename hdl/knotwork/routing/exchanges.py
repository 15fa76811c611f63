"""Exchanges of a bufferless router: rounds of blocks that lead each input to each output."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

COUNT_BITS = 4
"""Bits of the cycle count, from bit 1 on, by which blocks choose who wins."""


class Exchange(NamedTuple):
    """Block of two wires, whose packets go straight on or change wires.

    Members
    -------
    wires : tuple of int
        Its wires. Wire n leads from input n to output n.
    sides : tuple of tuple of int
        For each of them, the outputs that a packet can still reach only if it leaves by that wire.
    winner : int or None
        Which of two packets that want the same side wins, 0 or 1; None for that of `count_bit`.
    """

    wires: tuple[int, int]
    sides: tuple[tuple[int, ...], tuple[int, ...]]
    winner: int | None

    @property
    def count_bit(self) -> int:
        """Bit of the cycle count that says who wins. Bit 0 stands still for a packet in flight."""
        return 1 + self.wires[1] % COUNT_BITS


@cache
def exchanges(count: int) -> tuple[tuple[Exchange, ...], ...]:
    """Rounds of blocks of so many wires; the blocks of a round share no wire.

    A block passes on whatever comes, so no packet is ever without an output. Every output can be
    reached from every input, so a packet that wins each of its blocks gets the output it wants.

    Who wins in the first round changes with the cycle count: with fixed winners, packets of a full
    mesh go in circles that only the turns of their addresses end.

    References
    ----------
    W. Knoedel, "New gossips and telephones", Discrete Mathematics 13, 1975: the rounds of an even
    number of wires. C. Fallin, C. Craik and O. Mutlu, HPCA 2011, section 3: routers of such blocks.
    """
    reached = [{wire} for wire in range(count)]
    found = []
    for number, pairs in reversed([*enumerate(_rounds(count))]):
        blocks = []
        for place, (first, second) in enumerate(pairs):
            ways = reached[first], reached[second]
            sides = _sorted(ways[0] - ways[1]), _sorted(ways[1] - ways[0])
            winner = (number + place) % 2 if number else None
            blocks.append(Exchange((first, second), sides, winner))
            reached[first] = reached[second] = ways[0] | ways[1]
        found.append(tuple(blocks))
    return tuple(reversed(found))


def _sorted(outputs: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(outputs))


def _rounds(count: int) -> list[list[tuple[int, int]]]:
    """Pairs of wires, round by round."""
    half, odd = divmod(count, 2)
    if not odd:
        return [
            [(wire, half + (wire + (1 << number) - 1) % half) for wire in range(half)]
            for number in range((count - 1).bit_length())
        ]
    if count == 1:
        return []
    # As many wires as a power of two, and before and after it the others, each beside one of them.
    power = 1 << (count.bit_length() - 1)
    beside = [(wire, power + wire) for wire in range(count - power)]
    return [beside, *_rounds(power), beside]
