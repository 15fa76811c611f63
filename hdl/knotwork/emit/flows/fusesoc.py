"""Targets of the FuseSoC core: `sim`, with a testbench, and `ecp5`, with a top of five pins."""

from ...network import Network
from .flow import CoreParts
from .pins import pins_name, pins_verilog, top_pins
from .sends import SENDING, sends_name, sends_testbench
from .top import Top

_ECP5 = """\
  ecp5:
    description: Place and route for an ECP5 behind five pins, for its size and its frequency
    filesets: [rtl, pins]
    toplevel: {top}
    flow: trellis
    flow_options:
      nextpnr_options: [--85k, --package, CABGA756, --speed, "6", --lpf-allow-unconstrained]
"""

_SIM = """\
  sim:
    description: Packets between the nodes, with pauses, judged by the testbench itself
    filesets: [rtl, testbench]
    toplevel: {top}
    flow: sim
    flow_options:
      tool: icarus
      iverilog_options: [-g2012]
  sim_verilator:
    description: The same in Verilator
    filesets: [rtl, testbench]
    toplevel: {top}
    flow: sim
    flow_options:
      tool: verilator
      mode: binary
      verilator_options: [--timing, --assert, -Wno-fatal]
"""


def fusesoc_files(network: Network) -> dict[str, str]:
    """Files of the targets: the testbench only where packets need no table to be loaded first."""
    files = {f"{pins_name(network)}.v": pins_verilog(network)}
    if network.routing.arrivals in SENDING:
        files[f"{sends_name(network)}.sv"] = sends_testbench(network)
    return files


def fusesoc_parts(network: Network) -> CoreParts:
    """File sets and targets of these files."""
    filesets = {"pins": {f"{pins_name(network)}.v": "verilogSource"}}
    targets = _ECP5.format(top=pins_name(network))
    if network.routing.arrivals in SENDING:
        filesets["testbench"] = {f"{sends_name(network)}.sv": "systemVerilogSource"}
        targets += _SIM.format(top=sends_name(network))
    return CoreParts(filesets=filesets, targets=targets)


def pins_files(top: Top) -> dict[str, str]:
    """Files of the target of any top."""
    return {f"{top.name}_pins.v": top_pins(top)}


def pins_parts(top: Top) -> CoreParts:
    """File set and target of these files."""
    name = f"{top.name}_pins"
    filesets = {"pins": {f"{name}.v": "verilogSource"}}
    return CoreParts(filesets=filesets, targets=_ECP5.format(top=name))
