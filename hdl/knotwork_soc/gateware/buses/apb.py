"""APB4."""

from typing import Protocol

from amaranth.hdl import Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...bus import BusParameters


class Apb(Protocol):
    """Interface of `apb_signature`, for type checkers."""

    psel: Signal
    penable: Signal
    pwrite: Signal
    paddr: Signal
    pprot: Signal
    pwdata: Signal
    pstrb: Signal
    prdata: Signal
    pready: Signal
    pslverr: Signal


def apb_signature(bus: BusParameters) -> wiring.Signature:
    """APB4 seen from its requester.

    Members
    -------
    psel : Out(1)
        A transfer is in its setup phase or its access phase.
    penable : Out(1)
        It is in its access phase, which lasts until `pready`.
    pwrite : Out(1)
        It is a write.
    paddr : Out(address_width)
        Its address, of a byte.
    pprot : Out(3)
        Its protection, as AXI's.
    pwdata : Out(data_width)
        What a write writes.
    pstrb : Out(data_width / 8)
        Bytes that a write writes; 0 with a read.
    pready : In(1)
        The transfer ends in this cycle of its access phase.
    prdata : In(data_width)
        What a read read, with `pready`.
    pslverr : In(1)
        The transfer failed, with `pready`.

    References
    ----------
    Arm, AMBA APB Protocol Specification (IHI 0024): signals, 2.1; transfers, 3; states, 4.1.
    """
    return wiring.Signature(
        {
            "psel": Out(1),
            "penable": Out(1),
            "pwrite": Out(1),
            "paddr": Out(bus.address_width),
            "pprot": Out(3),
            "pwdata": Out(bus.data_width),
            "pstrb": Out(bus.data_bytes),
            "prdata": In(bus.data_width),
            "pready": In(1),
            "pslverr": In(1),
        }
    )


APB_SIGNALS = {
    name: name
    for name in (
        "psel",
        "penable",
        "pwrite",
        "paddr",
        "pprot",
        "pwdata",
        "pstrb",
        "prdata",
        "pready",
        "pslverr",
    )
}
"""Member of `apb_signature` for each signal of the standard (IHI 0024, table 2-1)."""
