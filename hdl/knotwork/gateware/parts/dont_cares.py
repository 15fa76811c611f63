"""Entries of a table that nothing asks for, chosen so that few bits of its index matter.

A row is held as integers with a bit for each entry: one integer tells which entries are known, and
one for each bit of the entries tells that bit.
"""

from collections.abc import Iterable

import numpy as np


def merged(row: np.ndarray) -> np.ndarray:
    """Row without entries below 0: they become what makes the row depend on few bits of its index.

    Where the entries that differ in a bit of the index agree wherever both are known, each gets
    what is known of the other, and the bit matters no more. Else the row is split by the bit in
    which most of them disagree.

    Parameters
    ----------
    row : ndarray
        Entries, int; those below 0 may be anything.
    """
    entries = row.tolist()
    width = max(1, (len(entries) - 1).bit_length())
    known = _mask(entry >= 0 for entry in entries)
    planes = [
        _mask(entry >= 0 and bool(entry >> bit & 1) for entry in entries)
        for bit in range(max(1, max(entries).bit_length()))
    ]
    filled = _filled(known, planes, (1 << (1 << width)) - 1, tuple(range(width)), width)
    return np.array(
        [
            sum((plane >> place & 1) << bit for bit, plane in enumerate(filled))
            for place in range(len(entries))
        ],
        np.int64,
    )


def _mask(bits: Iterable[bool]) -> int:
    """Integer of bits, the first lowest."""
    return int("".join("1" if bit else "0" for bit in bits)[::-1] or "0", 2)


def _lower(bit: int, width: int) -> int:
    """Entries whose index has 0 in a bit, as a mask of all that there are."""
    run = 1 << bit
    pattern = (1 << run) - 1
    while run < 1 << width >> 1:
        run *= 2
        pattern |= pattern << run
    return pattern


def _filled(
    known: int, planes: list[int], region: int, bits: tuple[int, ...], width: int
) -> list[int]:
    """Planes of a region with all of its entries known.

    Parameters
    ----------
    known, planes : int, list of int
        Known entries of the region, and their bits.
    region : int
        Mask of the entries.
    bits : tuple of int
        Bits of the index that differ within the region, and have not been merged.
    width : int
        Bits of the index.
    """
    if all(plane in (0, known) for plane in planes):
        return [region if plane else 0 for plane in planes]
    most, split = 0, bits[0]
    for bit in bits:
        step, low = 1 << bit, _lower(bit, width) & region
        differ = 0
        for plane in planes:
            differ |= plane ^ plane >> step
        differ &= known & known >> step & low
        if not differ:
            rest = tuple(other for other in bits if other != bit)
            both = [(plane | plane >> step) & low for plane in planes]
            halves = _filled((known | known >> step) & low, both, low, rest, width)
            return [half | half << step for half in halves]
        if differ.bit_count() > most:
            most, split = differ.bit_count(), bit
    low = _lower(split, width) & region
    rest = tuple(other for other in bits if other != split)
    parts = [
        _filled(known & half, [plane & half for plane in planes], half, rest, width)
        for half in (low, region & ~low)
    ]
    return [first | second for first, second in zip(*parts, strict=True)]
