"""Addresses in a flit: some of their bits follow from the router's own address."""

from collections.abc import Collection, Iterator, Mapping

from amaranth.hdl import Cat, Value
from amaranth.lib import data

from ...routing.walks.headers import KnownHeader


def carried(flit: data.View, known: KnownHeader, *, apart: Collection[str] = ()) -> Value:
    """Bits of a flit that do not follow from the router's address, in the order of its layout.

    Without the fields that are kept `apart`.
    """
    parts = []
    for name, _ in flit.shape():
        if name not in apart:
            field, mask = Value.cast(flit[name]), known.of(name).mask
            parts += [field[low:end] for low, end, is_known in _runs(mask, field) if not is_known]
    return Cat(parts)


def completed(
    flit: data.View,
    known: KnownHeader,
    address: Value,
    bits: Value | None = None,
    *,
    apart: Mapping[str, Value] | None = None,
) -> Value:
    """Flit whose known bits are made of a router's address.

    Parameters
    ----------
    flit : View
        Gives the layout, and the other bits.
    known : KnownHeader
        Which bits are known.
    address : Value
        The router's own.
    bits : Value, optional
        The other bits, as `carried` gives them.
    apart : mapping, optional
        Fields that `bits` is without.
    """
    parts: list[Value] = []
    apart, place = apart or {}, 0
    for name, _ in flit.shape():
        if name in apart:
            parts.append(apart[name])
            continue
        field, (same, inverted) = Value.cast(flit[name]), known.of(name)
        for low, end, is_known in _runs(same | inverted, field):
            if is_known:
                parts += [address[bit] ^ (inverted >> bit & 1) for bit in range(low, end)]
            elif bits is None:
                parts.append(field[low:end])
            else:
                parts.append(bits[place : place + end - low])
                place += end - low
    return Cat(parts)


def _runs(mask: int, field: Value) -> Iterator[tuple[int, int, bool]]:
    """Neighbouring bits of a field that are alike in a mask: first, end, and whether it has them.

    A slice per bit of a wide field would have Amaranth walk the field once for each of its bits.
    """
    low, width = 0, len(field)
    while low < width:
        end, is_set = low + 1, bool(mask >> low & 1)
        while end < width and bool(mask >> end & 1) == is_set:
            end += 1
        yield low, end, is_set
        low = end
