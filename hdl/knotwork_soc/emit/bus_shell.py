"""Verilog of components with memory-mapped buses, their ports by the standards' names."""

from typing import Any

from amaranth.hdl import Value
from amaranth.lib.wiring import In
from knotwork.emit.modules import Shell, module_verilog
from knotwork.untyped import Interface
from knotwork.version import licensed

from ..bus import BusParameters
from ..gateware.buses.bus_kinds import BUS_KINDS, BusKind, bus_signals


def add_bus(
    shell: Shell,
    prefix: str,
    kind: BusKind,
    bus: BusParameters,
    side: Interface,
    *,
    from_manager: bool,
) -> None:
    """Add a bus's ports to a shell.

    Parameters
    ----------
    shell : Shell
        The component's shell.
    prefix : str
        First part of the ports' names, ``s_axi_0``.
    kind, bus : BusKind, BusParameters
        The bus.
    side : Interface
        Its member of the component.
    from_manager : bool
        Whether the bus's manager is outside the component.
    """
    for one in bus_signals(kind, bus):
        value: Any = side
        for name in one.member:
            value = getattr(value, name)
        bits = Value.cast(value)[one.offset : one.offset + one.width]
        add = shell.input if one.from_manager is from_manager else shell.output
        add(f"{prefix}_{one.name}", bits)


def bus_shell(component: Interface, bus: BusParameters) -> Shell:
    """Shell of a component whose members are buses, each named by its kind."""
    shell = Shell(component)
    for name, member in component.signature.members.items():
        kind, from_manager = BUS_KINDS[name], member.flow == In
        prefix = kind.initiator_prefix if from_manager else kind.target_prefix
        add_bus(shell, prefix, kind, bus, getattr(component, name), from_manager=from_manager)
    return shell


def bridge_verilog(bridge: Interface, bus: BusParameters, name: str) -> str:
    """Modules of a bridge between two buses, its own last named `name`.

    The ports of a bus have its kind's prefix: ``s_axi``, ``wbs`` where a manager is connected, and
    ``m_axi``, ``wbm`` where memory is.
    """
    return licensed(module_verilog(bus_shell(bridge, bus), name), "//")
