"""Ports of a system and of what stands at its nodes, by their Verilog names."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from amaranth.hdl import Cat, Value
from knotwork.emit.modules import Shell
from knotwork.emit.ports import (
    AXES,
    collective_ports,
    eject_widths,
    inject_widths,
    network_wide_ports,
    port_name,
)
from knotwork.gateware.collectives.plan import collective_module
from knotwork.gateware.planned import PlannedModule
from knotwork.network import fit_name
from knotwork.untyped import Interface

from ..gateware.buses.bus_kinds import BUS_KINDS
from ..gateware.nodes import Side, has_part, node_part, sides_of
from ..parameters import Node
from ..planes import STREAMS, Plane
from ..system import System
from .shells import add_bus

STREAMS_OF = {"inject": "s_axis", "eject": "m_axis"}
"""Stream of a network by the way of a plane's end."""

_AXES = {**AXES, "keep": "tkeep", "user": "tuser"}
"""AXI4-Stream signal of each field of a beat of a node."""


EVENTS = ("refused", "sparse", "dropped", "cut", "slipped", "silent")
"""What reports to a node what became of its packets, or of its memory."""


class Port(NamedTuple):
    """Port of a module, or of a node in the top.

    Members
    -------
    name : str
        Its name.
    width : int
        Its bits.
    is_input : bool
        Whether it is an input.
    """

    name: str
    width: int
    is_input: bool

    def of(self, system: System, node: Node) -> "Port":
        """The same in the top, with what names the node."""
        return self._replace(name=named(self.name, node_name(system, node)))


def node_name(system: System, node: Node) -> str:
    """What names a node in its ports."""
    return port_name(system.network, node.index)


def named(pin: str, node: str) -> str:
    """Name in the top of a pin of what stands at a node: ``s_axi_3_awaddr`` of ``s_axi_awaddr``.

    Pins of planes begin with the plane's name, and so do their wires.
    """
    return re.sub(r"^((?:[a-z]+_)?(?:[sm]_[a-z0-9]+|refused)|[a-z]+)(?=_|$)", rf"\1_{node}", pin)


def bus_prefix(system: System, node: Node) -> str:
    """First part of the names of a node's bus."""
    kind = BUS_KINDS[node.bus]
    start = kind.initiator_prefix if node.is_initiator else kind.target_prefix
    return f"{start}_{node_name(system, node)}"


def node_clock(system: System, node: Node) -> str:
    """Clock of a node's ports."""
    return f"clk_{node_name(system, node)}" if node.has_own_clock else "clk"


def plane_ports(system: System, side: Side) -> list[Port]:
    """Pins of a plane at a node, seen from the plane, without the node's number."""
    network, prefix = system.plane(side.plane).network, STREAMS_OF[side.way]
    receives = side.way == "inject"
    widths = inject_widths(network) if receives else eject_widths(network)
    return [
        Port(f"{prefix}_tvalid", 1, receives),
        Port(f"{prefix}_tready", 1, not receives),
        *(Port(f"{prefix}_{name}", width, receives) for name, width in widths.items()),
    ]


def node_ports(system: System, node: Node, shell: Shell | None) -> list[Port]:
    """Ports of a node in the top, its number in their names, without clocks.

    Parameters
    ----------
    system : System
        System.
    node : Node
        One of its nodes.
    shell : Shell or None
        What stands there, with its pins; None where the plane's own ports are the node's.
    """
    if shell is None:
        found = [port for side in sides_of(node) for port in plane_ports(system, side)]
    else:
        ins = {signal.name for _, signal in shell.inputs}
        planes = tuple(f"{plane.name}_" for plane in system.planes)
        found = [
            Port(signal.name, len(signal), signal.name in ins)
            for signal in shell.ports
            if not signal.name.startswith(planes)
        ]
    if shell is None and node.is_stream:
        found.append(Port("refused", 1, is_input=False))
    return [port.of(system, node) for port in found]


def add_stream_in(shell: Shell, prefix: str, side: Interface) -> None:
    """Add an AXI4-Stream by which a component receives; several fields may share a signal."""
    shell.input(f"{prefix}_tvalid", side.valid)
    shell.output(f"{prefix}_tready", side.ready)
    for axis, value in _signals(side).items():
        shell.input(f"{prefix}_{axis}", value)


def add_stream_out(shell: Shell, prefix: str, side: Interface) -> None:
    """Add an AXI4-Stream by which a component sends."""
    shell.output(f"{prefix}_tvalid", side.valid)
    shell.input(f"{prefix}_tready", side.ready)
    for axis, value in _signals(side).items():
        shell.output(f"{prefix}_{axis}", value)


def _signals(side: Interface) -> Mapping[str, Value]:
    """Values of a beat by AXI4-Stream signal; `user` stands above what else is in ``tuser``."""
    fields: dict[str, list[Value]] = {}
    members = sorted(side.p.shape().members, key=lambda field: field == "user")
    for field in members:
        value = Value.cast(side.p[field])
        if len(value):
            fields.setdefault(_AXES[field], []).append(value)
    return {axis: Cat(*values) if len(values) > 1 else values[0] for axis, values in fields.items()}


def outside_ports(plane: Plane) -> list[Port]:
    """Ports of a plane that are no node's: of its monitor, and of what loads its tables."""
    return _ports_of(network_wide_ports(plane.network))


def _ports_of(widths: tuple[dict[str, int], dict[str, int]]) -> list[Port]:
    """Inputs and outputs of these widths."""
    into, out = widths
    found = [Port(name, width, is_input=True) for name, width in into.items()]
    return found + [Port(name, width, is_input=False) for name, width in out.items()]


def collective_modules(system: System) -> dict[str, PlannedModule]:
    """Module of each group's tree, which stands beside the planes, by the group's name."""
    network = system.network
    return {
        group.name: replace(
            collective_module(network, group), name=fit_name(f"{system.name}_{group.name}")
        )
        for group in network.collective_groups
    }


def system_ports(system: System, shells: Mapping[str, Shell]) -> list[Port]:
    """Ports of the top but clocks and resets: of planes, of nodes, of groups' trees.

    Parameters
    ----------
    system : System
        System.
    shells : mapping of str to Shell
        What stands at its nodes, by `node_module`.
    """
    ports = [
        port._replace(name=plane.outside(port.name))
        for plane in system.planes
        for port in outside_ports(plane)
    ]
    for node in system.nodes:
        ports += node_ports(system, node, shells.get(node_module(system, node)))
    return ports + _ports_of(collective_ports(system.network))


def mesochronous_clocks(system: System) -> tuple[str, ...]:
    """Clock ports of nodes whose clock has the network's frequency."""
    return tuple(node_clock(system, node) for node in system.nodes if node.is_mesochronous)


def clock_ports(system: System) -> Iterator[tuple[str, str]]:
    """Clock and reset of the network, and of each node with a clock of its own."""
    reset = "rst_n" if system.settings.is_reset_low else "rst"
    yield "clk", reset
    for node in system.nodes:
        if node.has_own_clock:
            yield node_clock(system, node), f"{reset}_{node_name(system, node)}"


def node_shell(system: System, node: Node) -> Shell | None:
    """What stands at a node, with a plain signal for each pin; None where nothing does."""
    if not has_part(system, node):
        return None
    part: Interface = node_part(system, node)
    part._MustUse__used = True  # pyright: ignore[reportAttributeAccessIssue]: may serve for its ports
    shell = Shell(part)
    if node.is_stream:
        add_stream_in(shell, "s_axis", part.inject)
        add_stream_out(shell, "m_axis", part.eject)
        shell.input(f"{STREAMS}_refused", part.plane_refused)
    else:
        kind, is_initiator = BUS_KINDS[node.bus], node.is_initiator
        prefix = kind.initiator_prefix if is_initiator else kind.target_prefix
        add_bus(shell, prefix, kind, system.bus, part.bus, from_manager=is_initiator)
    for event in EVENTS:
        if event in part.signature.members:
            shell.output(event, getattr(part, event))
    for side in sides_of(node):
        add = add_stream_out if side.way == "inject" else add_stream_in
        add(shell, f"{side.plane}_{STREAMS_OF[side.way]}", getattr(part, side.member))
    return shell


def node_module(system: System, node: Node) -> str:
    """Name of the module of what stands at a node; nodes of equal keys share it."""
    what = f"stream{node.width}" if node.is_stream else f"{node.bus}_{node.side}"
    clock = f"_{node.clock}_clock" if node.has_own_clock else ""
    return f"{system.name}_node_{what}{clock}"


def node_modules(system: System) -> dict[str, Shell]:
    """What stands at nodes by the name of its module, each once."""
    found: dict[str, Shell] = {}
    for node in system.nodes:
        name = node_module(system, node)
        if name not in found:
            shell = node_shell(system, node)
            if shell is not None:
                found[name] = shell
    return found
