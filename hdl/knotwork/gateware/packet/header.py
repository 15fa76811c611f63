"""Addresses in a flit: some of their bits follow from the router's own address."""

from collections.abc import Collection, Mapping

from amaranth.hdl import Cat, Value
from amaranth.lib import data

from ...routing.walks.headers import KnownHeader


def carried(flit: data.View, known: KnownHeader, *, apart: Collection[str] = ()) -> Value:
    """Bits of a flit that do not follow from the router's address, in the order of its layout.

    Without the fields that are kept `apart`.
    """
    parts = []
    for name, _ in flit.shape():
        if name in apart:
            continue
        field = Value.cast(flit[name])
        mask = known.of(name).mask
        parts += [field[bit] for bit in range(len(field)) if not mask >> bit & 1]
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
    apart = apart or {}
    rest = iter(carried(flit, known, apart=apart) if bits is None else bits)
    for name, _ in flit.shape():
        if name in apart:
            parts.append(apart[name])
            continue
        same, inverted = known.of(name)
        for bit in range(len(Value.cast(flit[name]))):
            if (same | inverted) >> bit & 1:
                parts.append(address[bit] ^ (inverted >> bit & 1))
            else:
                parts.append(next(rest))
    return Cat(parts)
