"""Names of the emitted Verilog's ports."""

from amaranth.hdl import Shape
from amaranth.lib import data
from amaranth.lib.wiring import Out

from ..gateware import CONTROLLERS, ROUTERS
from ..gateware.batch_layouts import control_layout, entry_layout, report_layout
from ..gateware.layouts import eject_layout, inject_layout
from ..network import Network

_INJECT = {"tdata": "data", "tlast": "last", "tdest": "destination", "tuser": "multicast"}
_EJECT = {"tdata": "data", "tlast": "last", "tid": "source", "tuser": "flags"}

CONFIG_PREFIX = "s_axis_config"
"""Prefix of the ports by which a network of batches gets its jump table."""
CONFIG_FIELDS = {"tdata": "entry", "tlast": "last"}
"""AXI4-Stream signals of it beside the handshake, by the field of an entry."""
STATUS_PORT = "status"
"""Port that tells what became of the last batch."""


def has_controller(network: Network) -> bool:
    """Whether the network has a controller, and with it a stream of its own and a status."""
    return network.routing.router in CONTROLLERS


def config_widths(network: Network) -> dict[str, int]:
    """Bits of each signal of the stream that sets the network up; none where there is none."""
    return {"tdata": entry_layout(network).size, "tlast": 1} if has_controller(network) else {}


def status_width(network: Network) -> int:
    """Bits of the status; 0 where there is none."""
    return 1 + network.routing.flag_width if has_controller(network) else 0


def control_widths(network: Network) -> dict[str, int]:
    """Bits between the controller and a router: to it and from it."""
    return {"control": control_layout(network).size, "report": report_layout(network).size}


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


def link_members(network: Network) -> dict[str, tuple[int, bool]]:
    """Signals of a link: their bits, and whether they go its sender's way."""
    members = ROUTERS[network.routing.router].link_signature(network).members
    return {
        name: (Shape.cast(member.shape).width, member.flow == Out)
        for name, member in members.items()
    }


def _widths(layout: data.StructLayout, fields: dict[str, str]) -> dict[str, int]:
    return {axis: layout[field].width for axis, field in _present(layout, fields).items()}
