"""Files for other tools: Verilog, manifest, FuseSoC core."""

from .flows.fusesoc import fusesoc_core
from .instance import EmittedNetwork
from .manifest import manifest
from .package import write_network
from .verilog import network_verilog

__all__ = ["EmittedNetwork", "fusesoc_core", "manifest", "network_verilog", "write_network"]
