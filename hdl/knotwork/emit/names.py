"""Names of the emitted Verilog's ports."""

from amaranth.lib import data

from ..gateware.layouts import eject_layout, flit_layout, inject_layout
from ..network import Network

INJECT_FIELDS = {"tdata": "data", "tlast": "last", "tdest": "destination"}
"""AXI4-Stream signals beside the handshake, by the field of a beat that they carry."""

EJECT_FIELDS = {"tdata": "data", "tlast": "last", "tid": "source"}

LINK_MEMBERS = ("valid", "ready", "flit")


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
    return _widths(inject_layout(network), INJECT_FIELDS)


def eject_widths(network: Network) -> dict[str, int]:
    """Bits of each AXI4-Stream signal out of the network, beside the handshake."""
    return _widths(eject_layout(network), EJECT_FIELDS)


def link_widths(network: Network) -> dict[str, int]:
    """Bits of each signal of a link."""
    channels = network.routing.virtual_channels
    return {"valid": channels, "ready": channels, "flit": flit_layout(network).size}


def _widths(layout: data.StructLayout, fields: dict[str, str]) -> dict[str, int]:
    return {axis: layout[field].width for axis, field in fields.items()}
