"""Files of a system: planes and adapters in one top, and what programs need to know of it."""

from .package import system_files, system_manifest, write_system
from .verilog import system_verilog

__all__ = ["system_files", "system_manifest", "system_verilog", "write_system"]
