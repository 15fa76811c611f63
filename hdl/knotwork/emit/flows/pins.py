"""A top of five pins around a network or a system, so that one of any size fits a package."""

from ...network import Network
from .network_top import network_top
from .top import Top

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
    reset <= {asks};
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
    asks = "~rst" if top.is_reset_low else "rst"
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
        asks=asks,
        registers="".join(
            f"  reg {registers[clock]};\n"
            f"  always @(posedge {clock}) {registers[clock]} <= {asks};\n"
            for clock in others
        ),
        inputs=sum(top.inputs.values()) - 1,
        outputs=sum(top.outputs.values()) - 1,
        pins=",\n".join(f"    {pin}" for pin in pins),
    )
