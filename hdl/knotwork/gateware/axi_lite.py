"""AXI4-Lite as five streams: the bus of monitors, and one of those of systems."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out


class Response(IntEnum):
    """Outcome of a transfer (``BRESP``, ``RRESP``), of AXI4 too."""

    OKAY = 0
    EXOKAY = 1
    SLVERR = 2
    DECERR = 3


class BusWidths(Protocol):
    """Widths of a bus.

    Members
    -------
    address_width, data_width : int
        Bits of a byte's address, and of a beat's data.
    data_bytes : int
        Bytes of a beat.
    """

    @property
    def address_width(self) -> int: ...
    @property
    def data_width(self) -> int: ...
    @property
    def data_bytes(self) -> int: ...


@dataclass(frozen=True)
class RegisterBus:
    """Widths of a bus of registers.

    Members
    -------
    address_width, data_width
        As of `BusWidths`.
    """

    address_width: int
    data_width: int

    @property
    def data_bytes(self) -> int:
        """Bytes of a register."""
        return self.data_width // 8


def address_layout(bus: BusWidths) -> data.StructLayout:
    """Address of a transfer: the channels AW and AR."""
    return data.StructLayout({"address": bus.address_width, "prot": 3})


def write_data_layout(bus: BusWidths) -> data.StructLayout:
    """Data of a write: the channel W. A bit of `strobe` per byte."""
    return data.StructLayout({"data": bus.data_width, "strobe": bus.data_bytes})


def write_response_layout() -> data.StructLayout:
    """Outcome of a write: the channel B."""
    return data.StructLayout({"response": 2})


def read_data_layout(bus: BusWidths) -> data.StructLayout:
    """Data of a read, and its outcome: the channel R."""
    return data.StructLayout({"data": bus.data_width, "response": 2})


class AxiLite(Protocol):
    """Interface of `axi_lite_signature`, for type checkers."""

    aw: stream.Interface
    w: stream.Interface
    b: stream.Interface
    ar: stream.Interface
    r: stream.Interface


def axi_lite_signature(bus: BusWidths) -> wiring.Signature:
    """AXI4-Lite seen from its manager.

    Members
    -------
    aw, ar : Out(stream of address_layout)
        Addresses of writes and of reads.
    w : Out(stream of write_data_layout)
        Data of writes, in the order of their addresses.
    b : In(stream of write_response_layout)
        Outcomes of writes.
    r : In(stream of read_data_layout)
        Data of reads.

    References
    ----------
    Arm, AMBA AXI and ACE Protocol Specification (IHI 0022), part B: signals, B1.1.
    """
    return wiring.Signature(
        {
            "aw": Out(stream.Signature(address_layout(bus))),
            "w": Out(stream.Signature(write_data_layout(bus))),
            "b": In(stream.Signature(write_response_layout())),
            "ar": Out(stream.Signature(address_layout(bus))),
            "r": In(stream.Signature(read_data_layout(bus))),
        }
    )


AXI_LITE_SIGNALS = {
    "awaddr": "aw.payload.address",
    "awprot": "aw.payload.prot",
    "awvalid": "aw.valid",
    "awready": "aw.ready",
    "wdata": "w.payload.data",
    "wstrb": "w.payload.strobe",
    "wvalid": "w.valid",
    "wready": "w.ready",
    "bresp": "b.payload.response",
    "bvalid": "b.valid",
    "bready": "b.ready",
    "araddr": "ar.payload.address",
    "arprot": "ar.payload.prot",
    "arvalid": "ar.valid",
    "arready": "ar.ready",
    "rdata": "r.payload.data",
    "rresp": "r.payload.response",
    "rvalid": "r.valid",
    "rready": "r.ready",
}
"""Member of `axi_lite_signature` for each signal of the standard (IHI 0022, table B1-1)."""
