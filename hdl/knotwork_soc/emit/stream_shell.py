"""Verilog of components with streams, their ports named as AXI4-Stream names them."""

from collections.abc import Mapping

from amaranth.hdl import Value
from amaranth.lib import data
from amaranth.lib.wiring import In
from knotwork.emit.modules import Shell, module_verilog
from knotwork.emit.ports import AXES
from knotwork.untyped import Interface
from knotwork.version import licensed

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
