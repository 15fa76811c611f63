"""Layouts of beats between a node and its plane, from plain parameters."""

from collections.abc import Mapping

from amaranth.hdl import ShapeLike
from amaranth.lib import data

from ...payload import BYTE, Payload

Header = Mapping[str, ShapeLike]
"""Shape of each field that a beat has beside its data: `destination`, `source`, `broadcast`..."""


def node_layout(width: int, payload: Payload, header: Header) -> data.StructLayout:
    """Beat of a node; `keep` has a bit per byte, of which a last beat's highest may be 0."""
    members: dict[str, ShapeLike] = {"data": width}
    if payload.keep:
        members["keep"] = width // BYTE
    members["last"] = 1
    if payload.user_width:
        members["user"] = payload.user_width
    return data.StructLayout(members | dict(header))


def plane_layout(payload: Payload, header: Header) -> data.StructLayout:
    """Beat of a plane, equal to `inject_layout` or `eject_layout` of its network."""
    return data.StructLayout({"data": payload.width, "last": 1, **header})


def units_layout(width: int, payload: Payload, header: Header) -> data.StructLayout:
    """Beat of whole units; `absent` of its highest ones are none, only in a packet's last beat."""
    members: dict[str, ShapeLike] = {"data": width}
    if payload.absent_bits(width):
        members["absent"] = payload.absent_bits(width)
    members["last"] = 1
    return data.StructLayout(members | dict(header))


def header_of(layout: data.StructLayout) -> dict[str, ShapeLike]:
    """Fields of a network's beat beside its data and its last mark."""
    return {name: shape for name, shape in layout.members.items() if name not in ("data", "last")}
