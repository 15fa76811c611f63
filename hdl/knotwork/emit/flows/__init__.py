"""Flows of other people's tools: a file per flow, chosen by ``generate --for``."""

from .constraints import quartus_files, vivado_files
from .flow import CoreParts, Flow
from .fusesoc import fusesoc_files, fusesoc_parts
from .ipxact import ipxact_files
from .litex import litex_files, litex_of_top
from .systemverilog import wrapper_files, wrapper_parts

FLOWS: dict[str, Flow] = {
    "fusesoc": Flow(files=fusesoc_files, core=fusesoc_parts),
    "systemverilog": Flow(files=wrapper_files, core=wrapper_parts),
    "ipxact": Flow(files=ipxact_files),
    "litex": Flow(files=litex_files, of_top=litex_of_top),
    "vivado": Flow(files=vivado_files),
    "quartus": Flow(files=quartus_files),
}
"""Flows by the word that chooses them."""

__all__ = ["FLOWS", "CoreParts", "Flow"]
