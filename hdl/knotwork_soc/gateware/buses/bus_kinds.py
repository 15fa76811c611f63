"""Memory-mapped buses as Amaranth signatures, and their signals by the names of the standards."""

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

from amaranth.hdl import Shape, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import AXI_LITE_SIGNALS, axi_lite_signature

from ...parameters import BusParameters


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


class BusSignal(NamedTuple):
    """Signal of a bus, by its standard's name, and where it is in the bus's signature.

    Members
    -------
    name : str
        ``awaddr``.
    member : tuple of str
        Names that lead to the member of the signature, ``("aw", "payload")``.
    offset, width : int
        Its bits within the member.
    from_manager : bool
        The bus's manager drives it; otherwise the other side does.
    """

    name: str
    member: tuple[str, ...]
    offset: int
    width: int
    from_manager: bool


class BusKind(NamedTuple):
    """Kind of bus.

    Members
    -------
    signature : callable
        Signature of a bus of these parameters, seen from its manager.
    signals : mapping of str to str
        Dotted path to the member, and within it the field, for each of the standard's signals.
    initiator_prefix, target_prefix : str
        First part of port names where the user's manager, and the user's memory, is connected;
        the node's number follows, and the signal.
    """

    signature: Callable[[BusParameters], wiring.Signature]
    signals: Mapping[str, str]
    initiator_prefix: str
    target_prefix: str


BUS_KINDS = {
    "axi4": BusKind(axi4_signature, AXI4_SIGNALS, "s_axi", "m_axi"),
    "axi_lite": BusKind(axi_lite_signature, AXI_LITE_SIGNALS, "s_axil", "m_axil"),
    "wishbone": BusKind(wishbone_signature, WISHBONE_SIGNALS, "wbs", "wbm"),
    "apb": BusKind(apb_signature, APB_SIGNALS, "apbs", "apbm"),
}
"""Kinds of buses by the value of a node's key `bus`."""


def _layout(shape: Any) -> data.Layout:  # Any: the stubs of `cast` are too narrow
    return data.Layout.cast(shape)


def _bits(shape: Any) -> int:
    return Shape.cast(shape).width


def bus_signals(kind: BusKind, bus: BusParameters) -> list[BusSignal]:
    """Signals of a bus of these parameters, in the order of its table."""
    signature = kind.signature(bus)
    found = []
    for name, path in kind.signals.items():
        first, *steps = path.split(".")
        places, member = [first], signature.members[first]
        while not member.is_port:
            places.append(steps.pop(0))
            member = member.signature.members[places[-1]]
        offset, shape = 0, member.shape
        for field in steps:
            inner = _layout(shape)[field]
            offset, shape = offset + inner.offset, inner.shape
        found.append(BusSignal(name, tuple(places), offset, _bits(shape), member.flow == Out))
    return found
