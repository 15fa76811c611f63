"""Modules of what stands at the nodes of a system."""

from knotwork.emit.modules import Shell
from knotwork.untyped import Interface

from ..gateware.buses.bus_kinds import BUS_KINDS
from ..gateware.node_parts import has_part, node_part
from ..gateware.sides import sides_of
from ..node import Node
from ..planes import STREAMS
from ..system import System
from .bus_shell import add_bus
from .ports import EVENTS, STREAMS_OF, add_stream_in, add_stream_out


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
