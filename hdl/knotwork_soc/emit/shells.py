"""Components of systems as Verilog modules of their own: of streams, and of buses."""

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Value
from amaranth.lib import data
from amaranth.lib.wiring import In
from knotwork.emit.modules import Shell, module_verilog
from knotwork.emit.ports import AXES
from knotwork.untyped import Interface
from knotwork.version import licensed

from ..gateware.buses.bus_kinds import BUS_KINDS, BusKind, bus_signals
from ..parameters import BusParameters

_AXES = {**AXES, "keep": "tkeep", "user": "tuser"}


def stream_shell(component: Interface) -> Shell:
    """Shell of a component whose members are streams and single signals."""
    shell = Shell(component)
    for name, member in component.signature.members.items():
        part = getattr(component, name)
        if member.is_port:
            (shell.input if member.flow == In else shell.output)(name, part)
            continue
        receives = member.flow == In
        ahead, back = (shell.input, shell.output) if receives else (shell.output, shell.input)
        ahead(f"{name}_tvalid", part.valid)
        back(f"{name}_tready", part.ready)
        for signal, value in _signals(part).items():
            ahead(f"{name}_{signal}", value)
    return shell


def _signals(side: Interface) -> Mapping[str, Value]:
    """Values of a payload by signal; all of one without fields is ``tdata``."""
    payload = side.payload
    if not isinstance(payload, data.View):
        return {"tdata": payload}
    found: dict[str, Value] = {}
    for field in payload.shape().members:
        value, name = Value.cast(payload[field]), _AXES.get(str(field), str(field))
        if len(value):
            # Where two fields have one signal, the second has its own name behind it.
            found[f"{name}_{field}" if name in found else name] = value
    return found


def stream_verilog(component: Interface, name: str) -> str:
    """Modules of a component with streams, its own last named `name`.

    Each member's name begins those of its signals: ``inject_tdata``. Clocks are ``clk`` and
    ``rst``, and ``node_clk`` and ``node_rst`` for a domain ``node``.
    """
    return licensed(module_verilog(stream_shell(component), name), "//")


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
