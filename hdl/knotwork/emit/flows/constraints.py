"""Constraints for the tools of FPGA vendors, of a network whose hierarchy is kept."""

from ...network import Network
from ..verilog import header

_VIVADO = """\
# Add it as an unmanaged constraint file (read_xdc -unmanaged), with --keep-hierarchy: then every
# router is a cell of its own. `network` is the path of the network in your design, with a / at its
# end, or nothing where it is the top.
set network {{}}
set period 10.0

if {{$network eq {{}}}} {{
  create_clock -name clk -period $period [get_ports clk]
}}

# A pblock per router. Give each its place, near to its neighbours:
#   resize_pblock [get_pblocks {first}] -add {{SLICE_X0Y0:SLICE_X19Y19}}
foreach router {{
{routers}
}} {{
  create_pblock $router
  add_cells_to_pblock [get_pblocks $router] [get_cells $network$router]
}}
"""

_QUARTUS = """\
# All of the network runs on one clock, and its reset is synchronous.
set period 10.0
create_clock -name clk -period $period [get_ports clk]
derive_clock_uncertainty
"""


def vivado_files(network: Network) -> dict[str, str]:
    """Clock, and a pblock per router."""
    topology = network.topology
    routers = [f"router_{topology.router_identifier(n)}" for n in range(topology.routers)]
    text = _VIVADO.format(first=routers[0], routers="\n".join(f"  {name}" for name in routers))
    return {f"{network.name}_vivado.tcl": header(network, "#") + text}


def quartus_files(network: Network) -> dict[str, str]:
    """Clock."""
    return {f"{network.name}_quartus.sdc": header(network, "#") + _QUARTUS}
