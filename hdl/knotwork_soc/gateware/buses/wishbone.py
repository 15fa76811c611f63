"""Wishbone B4, pipelined."""

from typing import Protocol

from amaranth.hdl import Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...bus import BusParameters


class Wishbone(Protocol):
    """Interface of `wishbone_signature`, for type checkers."""

    cyc: Signal
    stb: Signal
    we: Signal
    adr: Signal
    sel: Signal
    dat_w: Signal
    dat_r: Signal
    ack: Signal
    err: Signal
    stall: Signal


def wishbone_signature(bus: BusParameters) -> wiring.Signature:
    """Wishbone seen from its manager; the names are amaranth-soc's.

    Members
    -------
    cyc : Out(1)
        High from the first request to the last answer.
    stb : Out(1)
        A request is offered; it is taken in a cycle without `stall`.
    we : Out(1)
        It is a write.
    adr : Out(address_width - log2(data_width / 8))
        Its address, counted in words of `data_width` bits.
    sel : Out(data_width / 8)
        Bytes that it concerns.
    dat_w : Out(data_width)
        What a write writes.
    stall : In(1)
        The request is not taken.
    ack, err : In(1)
        Answer to the oldest request that has none: done, or failed; never both.
    dat_r : In(data_width)
        What a read read, with `ack`.

    References
    ----------
    OpenCores, WISHBONE System-on-Chip Interconnection Architecture, revision B4: signals, 2.2;
    pipelined cycles, 3.1.3.2 and 3.2.
    """
    words = bus.address_width - (bus.data_bytes - 1).bit_length()
    return wiring.Signature(
        {
            "cyc": Out(1),
            "stb": Out(1),
            "we": Out(1),
            "adr": Out(words),
            "sel": Out(bus.data_bytes),
            "dat_w": Out(bus.data_width),
            "dat_r": In(bus.data_width),
            "ack": In(1),
            "err": In(1),
            "stall": In(1),
        }
    )


WISHBONE_SIGNALS = {
    name: name
    for name in ("cyc", "stb", "we", "adr", "sel", "dat_w", "dat_r", "ack", "err", "stall")
}
"""Member of `wishbone_signature` for each signal; of the standard's names, without ``_O``, ``_I``.

``dat_w`` is the manager's ``DAT_O``, and ``dat_r`` its ``DAT_I``.
"""
