"""AXI4 as five streams: what all buses are within a system."""

from enum import IntEnum
from typing import Protocol

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...bus import BusParameters


class Burst(IntEnum):
    """How addresses follow each other in a burst (``AxBURST``)."""

    FIXED = 0
    INCR = 1
    WRAP = 2


def address_layout(bus: BusParameters) -> data.StructLayout:
    """Address of a burst: the channels AW and AR.

    `length` is the number of beats less one, `size` the logarithm of a beat's bytes.
    """
    return data.StructLayout(
        {
            "id": bus.id_width,
            "address": bus.address_width,
            "length": 8,
            "size": 3,
            "burst": 2,
            "lock": 1,
            "cache": 4,
            "prot": 3,
            "qos": 4,
        }
    )


def write_data_layout(bus: BusParameters) -> data.StructLayout:
    """Beat of a write: the channel W. A bit of `strobe` per byte."""
    return data.StructLayout({"data": bus.data_width, "strobe": bus.data_bytes, "last": 1})


def write_response_layout(bus: BusParameters) -> data.StructLayout:
    """Outcome of a write: the channel B."""
    return data.StructLayout({"id": bus.id_width, "response": 2})


def read_data_layout(bus: BusParameters) -> data.StructLayout:
    """Beat of a read, and its outcome: the channel R."""
    return data.StructLayout({"id": bus.id_width, "data": bus.data_width, "response": 2, "last": 1})


class Axi4(Protocol):
    """Interface of `axi4_signature`, for type checkers."""

    aw: stream.Interface
    w: stream.Interface
    b: stream.Interface
    ar: stream.Interface
    r: stream.Interface


def axi4_signature(bus: BusParameters) -> wiring.Signature:
    """AXI4 seen from its manager.

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
    Arm, AMBA AXI and ACE Protocol Specification (IHI 0022), part A: signals, A2; handshake, A3.2;
    bursts, A3.4; identifiers and order, A5 and A6.
    """
    return wiring.Signature(
        {
            "aw": Out(stream.Signature(address_layout(bus))),
            "w": Out(stream.Signature(write_data_layout(bus))),
            "b": In(stream.Signature(write_response_layout(bus))),
            "ar": Out(stream.Signature(address_layout(bus))),
            "r": In(stream.Signature(read_data_layout(bus))),
        }
    )


AXI4_SIGNALS = {
    "awid": "aw.payload.id",
    "awaddr": "aw.payload.address",
    "awlen": "aw.payload.length",
    "awsize": "aw.payload.size",
    "awburst": "aw.payload.burst",
    "awlock": "aw.payload.lock",
    "awcache": "aw.payload.cache",
    "awprot": "aw.payload.prot",
    "awqos": "aw.payload.qos",
    "awvalid": "aw.valid",
    "awready": "aw.ready",
    "wdata": "w.payload.data",
    "wstrb": "w.payload.strobe",
    "wlast": "w.payload.last",
    "wvalid": "w.valid",
    "wready": "w.ready",
    "bid": "b.payload.id",
    "bresp": "b.payload.response",
    "bvalid": "b.valid",
    "bready": "b.ready",
    "arid": "ar.payload.id",
    "araddr": "ar.payload.address",
    "arlen": "ar.payload.length",
    "arsize": "ar.payload.size",
    "arburst": "ar.payload.burst",
    "arlock": "ar.payload.lock",
    "arcache": "ar.payload.cache",
    "arprot": "ar.payload.prot",
    "arqos": "ar.payload.qos",
    "arvalid": "ar.valid",
    "arready": "ar.ready",
    "rid": "r.payload.id",
    "rdata": "r.payload.data",
    "rresp": "r.payload.response",
    "rlast": "r.payload.last",
    "rvalid": "r.valid",
    "rready": "r.ready",
}
"""Member of `axi4_signature` for each signal of the standard (IHI 0022, A2.2 to A2.6)."""
