"""Names of the emitted Verilog's ports."""

from amaranth.hdl import Shape
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..gateware.axi_lite import AXI_LITE_SIGNALS
from ..gateware.layouts import eject_layout, inject_layout
from ..gateware.router_class import LinkNames
from ..gateware.router_classes import gateware_of, outside_ports
from ..network import Network
from ..untyped import View

AXES = {
    "data": "tdata",
    "last": "tlast",
    "destination": "tdest",
    "source": "tid",
    "multicast": "tuser",
    "broadcast": "tuser",
    "word": "tuser",
    "flags": "tuser",
    "sequence": "tuser",
}
"""AXI4-Stream signal of each field of a beat."""

CONFIG_PREFIX = "s_axis_config"
"""Prefix of the ports by which a network gets a jump table, or routing tables."""
CONFIG_FIELDS = {"tdata": "entry", "tlast": "last"}
"""AXI4-Stream signals of it beside the handshake, by the field of an entry."""
STATUS_PORT = "status"
"""Port that tells what became of the last batch, or of the last load."""

MONITOR_PREFIX = "s_axil_monitor"
"""Prefix of the ports by which a bus reads a network's monitor."""
ALARM_PORT = "alarm"
"""Port that is high once the monitor's watchdog has found a channel."""

NODE_LINK = ("i", "o")
"""Names of the two ways of the link of a node's interface; of several, a number follows."""
CHOOSER_LINK = ("sent", "given")
"""Names of the two ways of the link between an interface and what joins it to several links."""


def has_controller(network: Network) -> bool:
    """Whether the network has a controller."""
    return gateware_of(network).controller is not None


def reporting_routers(network: Network) -> bool:
    """Whether routers report to the controller themselves, and not what serves each node."""
    controller = gateware_of(network).controller
    return controller is not None and controller.hears_routers


def has_interfaces(network: Network) -> bool:
    """Whether its nodes have interfaces beside the routers."""
    return gateware_of(network).interface is not None


def has_choosers(network: Network) -> bool:
    """Whether these are joined to several links each."""
    return network.topology.links_per_node > 1


def has_config(network: Network) -> bool:
    """Whether it has a stream that sets it up, and a status."""
    return "config" in outside_ports(network)


def config_widths(network: Network) -> dict[str, int]:
    """Bits of each signal of the stream that sets the network up; none where there is none."""
    if not has_config(network):
        return {}
    payload: View = outside_ports(network)["config"].signature.members["payload"].shape
    return {axis: payload[field].width for axis, field in CONFIG_FIELDS.items()}


def status_width(network: Network) -> int:
    """Bits of the status; 0 where there is none."""
    return Shape.cast(outside_ports(network)["status"].shape).width if has_config(network) else 0


def control_widths(network: Network) -> dict[str, int]:
    """Bits from the controller to all others, and from each part that serves a node to it."""
    gateware = gateware_of(network).controller
    if gateware is None:
        return {}
    return {
        "control": gateware.control_layout(network).size,
        "report": gateware.report_layout(network).size,
    }


def inject_fields(network: Network) -> dict[str, str]:
    """AXI4-Stream signals beside the handshake, by the field of an injected beat."""
    return _fields(inject_layout(network))


def eject_fields(network: Network) -> dict[str, str]:
    """AXI4-Stream signals beside the handshake, by the field of an ejected beat."""
    return _fields(eject_layout(network))


def _fields(layout: data.StructLayout) -> dict[str, str]:
    # A field of no bits (the way where each level has one upper) is no signal.
    return {AXES[field]: field for field in layout.members if layout[field].width}


def port_name(network: Network, node: int) -> str:
    """What names a node in its ports: its number, or its name; see the key ``ports``."""
    return network.port_names[node]


def inject_prefix(network: Network, node: int) -> str:
    """Prefix of the ports by which a node sends."""
    return f"s_axis_{port_name(network, node)}"


def eject_prefix(network: Network, node: int) -> str:
    """Prefix of the ports by which a node receives."""
    return f"m_axis_{port_name(network, node)}"


def refused_port(network: Network, node: int) -> str:
    """Port that is high for one cycle for each packet that the node could not send."""
    return f"refused_{port_name(network, node)}"


def inject_widths(network: Network) -> dict[str, int]:
    """Bits of each AXI4-Stream signal into the network, beside the handshake."""
    return _widths(inject_layout(network))


def eject_widths(network: Network) -> dict[str, int]:
    """Bits of each AXI4-Stream signal out of the network, beside the handshake."""
    return _widths(eject_layout(network))


def network_ports(network: Network) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of the network's inputs and outputs, without clock and reset."""
    into, out = network_wide_ports(network)
    for node in range(network.topology.nodes):
        inputs, outputs = node_ports(network, node)
        into |= inputs
        out |= outputs
    return into, out


def node_ports(network: Network, node: int) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of the inputs and outputs of a node."""
    sends, gets = inject_prefix(network, node), eject_prefix(network, node)
    into = {f"{sends}_tvalid": 1, f"{gets}_tready": 1}
    into |= {f"{sends}_{name}": bits for name, bits in inject_widths(network).items()}
    out = {f"{gets}_tvalid": 1, f"{sends}_tready": 1, refused_port(network, node): 1}
    return into, out | {f"{gets}_{name}": bits for name, bits in eject_widths(network).items()}


def network_wide_ports(network: Network) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of the inputs and outputs that are no node's: of its monitor, of what loads tables."""
    into: dict[str, int] = {}
    out: dict[str, int] = {}
    if has_config(network):
        into = {f"{CONFIG_PREFIX}_tvalid": 1}
        into |= {f"{CONFIG_PREFIX}_{name}": bits for name, bits in config_widths(network).items()}
        out = {f"{CONFIG_PREFIX}_tready": 1, STATUS_PORT: status_width(network)}
    inputs, outputs = monitor_ports(network)
    return into | inputs, out | outputs


def has_monitor(network: Network) -> bool:
    """Whether the network counts, or watches, what its channels do."""
    return network.hardware.is_monitored


def monitor_ports(network: Network) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of the inputs and outputs of a network's monitor to the outside; none without one."""
    if not has_monitor(network):
        return {}, {}
    into: dict[str, int] = {}
    out: dict[str, int] = {}
    for signal, path in AXI_LITE_SIGNALS.items():
        is_in, width = _bus_member(network, path)
        (into if is_in else out)[f"{MONITOR_PREFIX}_{signal}"] = width
    return into, out | {ALARM_PORT: 1}


def _bus_member(network: Network, path: str) -> tuple[bool, int]:
    """Whether a signal of the monitor's bus goes to the monitor, and its bits."""
    stream, part, *field = path.split(".")
    channel = outside_ports(network)["monitor"].signature.members[stream]
    payload: View = channel.signature.members["payload"].shape
    goes_in = (channel.flow == In) != (part == "ready")
    return goes_in, payload[field[0]].width if field else 1


def link_members(network: Network) -> dict[str, tuple[int, bool]]:
    """Signals of a link: their bits, and whether they go its sender's way."""
    members = gateware_of(network).link_signature(network).members
    return {
        name: (Shape.cast(member.shape).width, member.flow == Out)
        for name, member in members.items()
    }


def link_names(network: Network, port: int) -> LinkNames:
    """Names of the link at a port of a router."""
    return gateware_of(network).link_names(network, port)


def link_fields(network: Network) -> dict[str, dict[str, tuple[int, int]]]:
    """Fields of each of a link's signals: their lowest bit, and their bits; none of plain ones."""
    members = gateware_of(network).link_signature(network).members
    return {
        name: {
            str(field): (place.offset, place.width)
            for field, place in (member.shape if isinstance(member.shape, data.Layout) else ())
            if place.width
        }
        for name, member in members.items()
    }


def _widths(layout: data.StructLayout) -> dict[str, int]:
    return {axis: layout[field].width for axis, field in _fields(layout).items()}
