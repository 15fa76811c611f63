"""Flows of other people's tools: a file per flow, chosen by ``generate --for``."""

from .constraints import quartus_files, vivado_files
from .flow import CoreParts, Flow
from .fusesoc import fusesoc_files, fusesoc_parts, pins_files, pins_parts
from .ipxact import ipxact_files
from .litex import litex_files
from .network_top import network_top
from .systemverilog import wrapper_files, wrapper_parts
from .top import BusInterface, Top

FLOWS: dict[str, Flow] = {
    "fusesoc": Flow(
        of_network=fusesoc_files, core=fusesoc_parts, of_top=pins_files, top_core=pins_parts
    ),
    "systemverilog": Flow(of_network=wrapper_files, core=wrapper_parts),
    "ipxact": Flow(of_top=ipxact_files),
    "litex": Flow(of_top=litex_files),
    "vivado": Flow(of_top=vivado_files),
    "quartus": Flow(of_top=quartus_files),
}
"""Flows by the word that chooses them."""

__all__ = ["FLOWS", "BusInterface", "CoreParts", "Flow", "Top", "network_top"]
