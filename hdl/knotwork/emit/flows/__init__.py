"""Files for third-party tools: a module per flow, chosen by ``generate --for``."""

from .constraints import quartus_files, vivado_files
from .fusesoc import fusesoc_files, fusesoc_parts, pins_files, pins_parts
from .ipxact import ipxact_files
from .litex import litex_files
from .systemverilog import wrapper_files, wrapper_parts
from .top import BusInterface, CoreParts, Flow, Top, network_top

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
