"""Streams of whole units from one width to another."""

from collections.abc import Mapping

from amaranth.hdl import Module, ShapeLike
from amaranth.lib import stream, wiring

from ...payload import Payload
from .gatherer import Gatherer
from .layouts import Header
from .splitter import Splitter


def with_user(header: Header, payload: Payload) -> dict[str, ShapeLike]:
    """Fields beside a beat's data, `user` among them where packets carry it."""
    return dict(header) | ({"user": payload.user_width} if payload.user_width else {})


def resized(
    m: Module,
    beats: stream.Interface,
    widths: tuple[int, int],
    payload: Payload,
    side: Mapping[str, ShapeLike],
) -> stream.Interface:
    """Stream of `units_layout` in the second of two widths, by submodule ``width`` if needed.

    Its latency is 0 cycles; see `Gatherer` and `Splitter`.
    """
    narrow, wide = sorted(widths)
    if narrow == wide:
        return beats
    make = Gatherer if widths[0] == narrow else Splitter
    m.submodules.width = part = make(narrow=narrow, wide=wide, payload=payload, header=side)
    wiring.connect(m, beats, part.i)
    return part.o
