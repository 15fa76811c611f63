"""Kinds of buses that a node may have: their signals, by the standards' names, and their widths."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from amaranth.hdl import Shape
from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out
from knotwork.gateware.axi_lite import AXI_LITE_SIGNALS, axi_lite_signature

from ...bus import BusParameters
from .apb import APB_SIGNALS, apb_signature
from .axi4 import AXI4_SIGNALS, axi4_signature
from .wishbone import WISHBONE_SIGNALS, wishbone_signature


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
