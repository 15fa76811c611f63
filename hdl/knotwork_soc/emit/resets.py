"""Module that lets an asynchronous reset end at a clock's edges."""

from knotwork.emit.modules import Shell
from knotwork.emit.writer.component import Design, component_design
from knotwork.untyped import Interface

from ..gateware.adapters import ResetRelease
from ..system import System


def release_name(system: System) -> str:
    """Name of the module."""
    return f"{system.name}_release"


def release_design(system: System) -> Design:
    """The module, with the ports ``clk``, ``i`` and ``o``."""
    part: Interface = ResetRelease(active_low=system.settings.is_reset_low)
    shell = Shell(part)
    shell.input("i", part.i)
    shell.output("o", part.o)
    keys = {"inputs": shell.inputs, "outputs": shell.outputs, "order": shell.ports}
    return component_design(part, release_name(system), **keys)
