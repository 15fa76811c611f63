"""FuseSoC core (CAPI2) of a network's Verilog, with the targets and files that flows add.

The target `ecp5` places a top of five pins around a network or a system, so that one of any size
fits a package.
"""

from collections.abc import Iterable, Sequence

from ... import __version__
from ...network import Network
from ...version import public
from ..addresses import header_names
from ..source import verilog_files
from ..verilog import header
from .sends import SENDING, sends_name, sends_testbench
from .top import CoreParts, Top, network_top


def fusesoc_core(
    network: Network, parts: Iterable[CoreParts] = (), files: Sequence[str] = ()
) -> str:
    """FuseSoC core description (CAPI2) of the network's Verilog, and of these parts.

    Parameters
    ----------
    network : Network
        What the Verilog is of.
    parts : iterable of CoreParts
        What flows add.
    files : sequence of str
        Names of the Verilog files; ``<name>.v`` if there are none.
    """
    description = f"Network-on-chip, {network.topology.nodes} nodes, AXI4-Stream"
    verilog = verilog_files(network.name, files)
    return core_text(network.name, header(network, "#"), description, verilog, parts)


def core_text(
    name: str,
    header: str,
    description: str,
    verilog: Sequence[str],
    parts: Iterable[CoreParts] = (),
) -> str:
    """FuseSoC core description (CAPI2) of Verilog files, and of these parts.

    Parameters
    ----------
    name, header, description : str
        Its top; comments at its head; what it is, for people.
    verilog : sequence of str
        Names of the Verilog files.
    parts : iterable of CoreParts
        What flows add.
    """
    added, (_, for_verilog) = tuple(parts), header_names(name)
    filesets = [
        line
        for part in added
        for fileset, files in part.filesets.items()
        for line in (
            f"  {fileset}:\n    files:\n",
            *(f"      - {file}: {{file_type: {kind}}}\n" for file, kind in files.items()),
        )
    ]
    return (
        "CAPI=2:\n"
        + header
        + f"name: knotwork:noc:{name}:{public(__version__)}\n"
        + f"description: {description}\n"
        + "filesets:\n"
        + "  rtl:\n"
        + "    files:\n"
        + "".join(f"      - {file}: {{file_type: verilogSource}}\n" for file in verilog)
        + f"      - {for_verilog}: {{file_type: verilogSource, is_include_file: true}}\n"
        + f"  waivers:\n    files:\n      - {name}.vlt: {{file_type: vlt}}\n"
        + "".join(filesets)
        + "targets:\n"
        + "  default: &default\n"
        + "    filesets: [rtl]\n"
        + f"    toplevel: {name}\n"
        + "  lint:\n"
        + "    <<: *default\n"
        + "    default_tool: verilator\n"
        + "    filesets: [rtl, waivers]\n"
        + "    tools: {verilator: {mode: lint-only, verilator_options: [-Wall]}}\n"
        + "".join(part.targets for part in added)
    )


_TEXT = """\
// {name} behind five pins: inputs come through a shift register, outputs leave through another one.
// Nothing is optimised away, and every path of the network runs between registers.
module {top} (
  input clk,
{clocks}  input rst,
  input shift_in,
  input load,
  output shift_out
);
  reg [{inputs}:0] held;
  reg [{inputs}:0] in;
  wire [{outputs}:0] out;
  reg [{outputs}:0] seen;
  reg reset;
  assign shift_out = seen[{outputs}];
  always @(posedge clk) begin
    reset <= {reset_level};
    held <= {{held, shift_in}};
    if (load) in <= held;
    seen <= load ? out : {{seen, 1'b0}};
  end
{registers}  {name} network (
{pins}
  );
endmodule
"""


def pins_name(network: Network) -> str:
    """Module of the top."""
    return network.module_name("pins")


def pins_verilog(network: Network) -> str:
    """Verilog of the top, without the network's."""
    return top_pins(network_top(network))


def top_pins(top: Top) -> str:
    """Verilog of the same around any top; each of its other clocks has a pin of its own."""
    reset_level = "~rst" if top.is_reset_low else "rst"
    registers = {clock: f"reset{clock.removeprefix('clk')}" for clock in top.clocks}
    others = [clock for clock in top.clocks if clock != "clk"]
    pins = [
        pin
        for clock, reset in top.clocks.items()
        for pin in (f".{clock}({clock})", f".{reset}({registers[clock]})")
    ]
    for wires, widths in (("in", top.inputs), ("out", top.outputs)):
        low = 0
        for port, width in widths.items():
            pins.append(f".{port}({wires}[{low} +: {width}])")
            low += width
    return top.header("//") + _TEXT.format(
        name=top.name,
        top=f"{top.name}_pins",
        clocks="".join(f"  input {clock},\n" for clock in others),
        reset_level=reset_level,
        registers="".join(
            f"  reg {registers[clock]};\n"
            f"  always @(posedge {clock}) {registers[clock]} <= {reset_level};\n"
            for clock in others
        ),
        inputs=sum(top.inputs.values()) - 1,
        outputs=sum(top.outputs.values()) - 1,
        pins=",\n".join(f"    {pin}" for pin in pins),
    )


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
