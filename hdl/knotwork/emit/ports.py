"""Names of the emitted Verilog's ports."""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from amaranth.hdl import Cat, Shape, Value
from amaranth.lib import data
from amaranth.lib.wiring import Out

from ..gateware import wiring_plan
from ..gateware.axi_lite import AXI_LITE_SIGNALS
from ..gateware.collectives import plan
from ..gateware.layouts import eject_layout, inject_layout
from ..gateware.planned import Net, PlannedPort
from ..gateware.router_class import LinkNames
from ..gateware.router_classes import gateware_of, outside_ports
from ..gateware.wiring_plan import network_bundles
from ..network import Network
from ..untyped import Interface, View

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
    "entry": "tdata",
}
"""AXI4-Stream signal of each field of a beat."""

_SENT = {
    "tdata": ("data",),
    "tlast": ("last",),
    "tdest": ("header.root",),
    "tuser": ("part", "header.kind", "header.operation"),
}
"""Fields of a beat of a collective by AXI4-Stream signal, the lowest first."""
_RECEIVED = {
    "tdata": ("data",),
    "tlast": ("last",),
    "tid": ("header.root",),
    "tuser": ("part", "header.kind", "header.operation", "fault"),
}
"""The same of an answer."""

CONFIG_PREFIX = "s_axis_config"
"""Prefix of the ports by which a network gets a jump table, or routing tables."""
STATUS_PORT = "status"
"""Port that reports the last batch, or of the last load."""

MONITOR_PREFIX = "s_axil_monitor"
"""Prefix of the ports by which a bus reads a network's monitor."""
ALARM_PORT = "alarm"
"""Port that is high once the monitor's watchdog has found a channel."""

_PREFIXES = {
    "inject": "s_axis",
    "eject": "m_axis",
    "config": CONFIG_PREFIX,
    "monitor": MONITOR_PREFIX,
    "send": "s_axis",
    "receive": "m_axis",
}


class BundleSignal(NamedTuple):
    """Signal of a bundle of the wiring plan.

    Members
    -------
    suffix : str
        What its name has behind the bundle's, ``_tvalid``; nothing for a single signal.
    width : int
        Bits.
    is_ahead : bool
        It goes from the bundle's sender to its receiver.
    paths : tuple of str
        Members of the bundle's interface, the lowest first; none for a single signal.
    """

    suffix: str
    width: int
    is_ahead: bool
    paths: tuple[str, ...]

    def value(self, end: Interface) -> Value:
        """The signal at an end of the bundle, or the single signal itself."""
        if not self.paths:
            return Value.cast(end)
        values = [Value.cast(attrgetter(path)(end)) for path in self.paths]
        return values[0] if len(values) == 1 else Cat(values)


def bundle_signals(signature: Any) -> list[BundleSignal]:
    """Signals of a link, a stream or an AXI4-Lite bus, in the order of the Verilog.

    Parameters
    ----------
    signature : Signature
        Seen from the sender.
    """
    members = signature.members
    if "aw" in members:
        return [_bus_signal(signature, signal, path) for signal, path in AXI_LITE_SIGNALS.items()]
    if "payload" not in members:
        return [
            BundleSignal(f"_{name}", Shape.cast(member.shape).width, member.flow == Out, (name,))
            for name, member in members.items()
        ]
    layout: View = members["payload"].shape
    return [
        BundleSignal("_tvalid", 1, True, ("valid",)),
        BundleSignal("_tready", 1, False, ("ready",)),
        *(
            BundleSignal(
                f"_{axis}",
                sum(_width(layout, path) for path in paths),
                True,
                tuple(f"payload.{path}" for path in paths),
            )
            for axis, paths in _fields_of_axes(layout).items()
        ),
    ]


def _fields_of_axes(layout: data.StructLayout) -> Mapping[str, tuple[str, ...]]:
    """Fields of a beat, the lowest first, by AXI4-Stream signal."""
    if "header" in layout.members:
        return _RECEIVED if "fault" in layout.members else _SENT
    return {axis: (field,) for axis, field in _fields(layout).items()}


def _width(layout: View, path: str) -> int:
    """Bits of a field, or of a field of a field."""
    name, _, inner = path.partition(".")
    return _width(layout[name].shape, inner) if inner else layout[name].width


def _bus_signal(bus: Any, signal: str, path: str) -> BundleSignal:
    """Signal of an AXI4-Lite bus, by its member of the bus."""
    channel, part, *field = path.split(".")
    member = bus.members[channel]
    payload: View = member.signature.members["payload"].shape
    is_ahead = (member.flow == Out) != (part == "ready")
    return BundleSignal(f"_{signal}", payload[field[0]].width if field else 1, is_ahead, (path,))


def port_signals(
    bundles: Mapping[str, Any],
) -> Callable[[PlannedPort | Net], list[BundleSignal]]:
    """What gives the signals of a port or a net of a wiring plan with these bundles."""
    found = {name: bundle_signals(signature) for name, signature in bundles.items()}

    def signals(of: PlannedPort | Net) -> list[BundleSignal]:
        return found[of.bundle] if of.bundle else [BundleSignal("", of.width, True, ())]

    return signals


def verilog_prefix(port: PlannedPort) -> str:
    """Name of a signal in the Verilog, or what the names of a bundle's signals begin with."""
    return _PREFIXES.get(port.bundle, port.name) + port.suffix


def has_choosers(network: Network) -> bool:
    """Whether nodes' interfaces are joined to several links each."""
    return network.topology.links_per_node > 1


def has_config(network: Network) -> bool:
    """Whether it has a stream that sets it up, and a status."""
    return "config" in outside_ports(network)


def config_widths(network: Network) -> dict[str, int]:
    """Bits of each signal of the stream that sets the network up; none where there is none."""
    if not has_config(network):
        return {}
    payload: View = outside_ports(network)["config"].signature.members["payload"].shape
    return _widths(payload)


def status_width(network: Network) -> int:
    """Bits of the status; 0 where there is none."""
    return Shape.cast(outside_ports(network)["status"].shape).width if has_config(network) else 0


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
    return port_widths(network, wiring_plan.network_ports(network))


def node_ports(network: Network, node: int) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of the inputs and outputs of a node."""
    sends, gets = inject_prefix(network, node), eject_prefix(network, node)
    into = {f"{sends}_tvalid": 1, f"{gets}_tready": 1}
    into |= {f"{sends}_{name}": bits for name, bits in inject_widths(network).items()}
    out = {f"{gets}_tvalid": 1, f"{sends}_tready": 1, refused_port(network, node): 1}
    return into, out | {f"{gets}_{name}": bits for name, bits in eject_widths(network).items()}


def network_wide_ports(network: Network) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of the inputs and outputs that are no node's: of its monitor, of what loads tables."""
    return port_widths(network, wiring_plan.network_wide_ports(network))


def port_widths(
    network: Network, ports: Iterable[PlannedPort]
) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of the inputs and outputs that ports of the wiring plan have, by name."""
    signals = port_signals(network_bundles(network))
    into: dict[str, int] = {}
    out: dict[str, int] = {}
    for port in ports:
        for signal in signals(port):
            is_input = signal.is_ahead == port.receives
            (into if is_input else out)[verilog_prefix(port) + signal.suffix] = signal.width
    return into, out


def collective_ports(network: Network) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of the inputs and outputs of groups that have collectives."""
    return port_widths(network, plan.collective_ports(network))


def has_monitor(network: Network) -> bool:
    """Whether the network counts, or watches, what its channels do."""
    return network.hardware.is_monitored


def monitor_ports(network: Network) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of the inputs and outputs of a network's monitor to the outside; none without one."""
    ports = wiring_plan.network_wide_ports(network)
    return port_widths(network, [port for port in ports if port.name in ("monitor", "alarm")])


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
