"""Constraints and attributes for the tools of FPGA vendors."""

import re

from ..constraints import sdc_lines
from .top import Top

_PERIOD = 10.0
"""Nanoseconds of every clock, unless the user tells others."""

_VIVADO = """\
# Add it as an unmanaged constraint file (read_xdc -unmanaged), with --keep-hierarchy: then every
# router is a cell of its own. `network` is the path of the network in your design, with a / at its
# end, or nothing where it is the top.
set network {{}}
set period 10.0

if {{$network eq {{}}}} {{
{clocks}
}}

# A pblock per router. Give each its place, near to its neighbours:
#   resize_pblock [get_pblocks {first}] -add {{SLICE_X0Y0:SLICE_X19Y19}}
foreach router {{
{routers}
}} {{
  set pblock [string map {{/ _}} $router]
  create_pblock $pblock
  add_cells_to_pblock [get_pblocks $pblock] [get_cells $network$router]
}}
"""


def vivado_files(top: Top) -> dict[str, str]:
    """Clocks, and a pblock per router."""
    clocks = "\n".join(
        f"  create_clock -name {clock} -period $period [get_ports {clock}]" for clock in top.clocks
    )
    text = _VIVADO.format(
        clocks=clocks,
        first=top.routers[0].replace("/", "_"),
        routers="\n".join(f"  {name}" for name in top.routers),
    )
    return {f"{top.name}_vivado.tcl": top.header("#") + text}


def quartus_files(top: Top) -> dict[str, str]:
    """Clocks, and the paths between them where there are several."""
    clocks = list(top.clocks)
    lines = [*sdc_lines(clocks, _PERIOD, top.mesochronous), "derive_clock_uncertainty", ""]
    return {f"{top.name}_quartus.sdc": top.header("#") + "\n".join(lines)}


RAM_STYLE = '(* ram_style = "distributed", ramstyle = "MLAB" *) '
"""Vivado and Yosys read the first, Quartus the second. Memories are read in the cycle in which the
address changes, which block RAM cannot do."""


def with_hints(verilog: str) -> str:
    """Verilog whose memories have the attribute `RAM_STYLE`."""
    memory = r"^( *)(?=reg (?:\[\d+:0\] )?\w+ \[0:\d+\];)"
    return re.sub(memory, rf"\1{RAM_STYLE}", verilog, flags=re.MULTILINE)
