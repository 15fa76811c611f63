"""Names of the emitted Verilog's ports."""

from amaranth.hdl import Shape
from amaranth.lib import data

from ..gateware.layouts import eject_layout, inject_layout, link_signature
from ..network import Network

_INJECT = {"tdata": "data", "tlast": "last", "tdest": "destination", "tuser": "multicast"}
_EJECT = {"tdata": "data", "tlast": "last", "tid": "source"}


def inject_fields(network: Network) -> dict[str, str]:
    """AXI4-Stream signals beside the handshake, by the field of an injected beat."""
    return _present(inject_layout(network), _INJECT)


def eject_fields(network: Network) -> dict[str, str]:
    """AXI4-Stream signals beside the handshake, by the field of an ejected beat."""
    return _present(eject_layout(network), _EJECT)


def _present(layout: data.StructLayout, fields: dict[str, str]) -> dict[str, str]:
    return {axis: field for axis, field in fields.items() if field in layout.members}


def inject_prefix(node: int) -> str:
    """Prefix of the ports by which a node sends."""
    return f"s_axis_{node}"


def eject_prefix(node: int) -> str:
    """Prefix of the ports by which a node receives."""
    return f"m_axis_{node}"


def refused_port(node: int) -> str:
    """Port that is high for one clock for each packet that the node could not send."""
    return f"refused_{node}"


def inject_widths(network: Network) -> dict[str, int]:
    """Bits of each AXI4-Stream signal into the network, beside the handshake."""
    return _widths(inject_layout(network), _INJECT)


def eject_widths(network: Network) -> dict[str, int]:
    """Bits of each AXI4-Stream signal out of the network, beside the handshake."""
    return _widths(eject_layout(network), _EJECT)


def link_widths(network: Network) -> dict[str, int]:
    """Bits of each signal of a link."""
    members = link_signature(network).members
    return {name: Shape.cast(member.shape).width for name, member in members.items()}


def _widths(layout: data.StructLayout, fields: dict[str, str]) -> dict[str, int]:
    return {axis: layout[field].width for axis, field in _present(layout, fields).items()}
