"""A top of five pins around a network, so that a network of any size fits a package."""

from ...network import Network
from ..ports import network_ports
from ..verilog import header

_TEXT = """\
// {name} behind five pins: inputs come through a shift register, outputs leave through another one.
// Nothing is optimised away, and every path of the network runs between registers.
module {top} (
  input clk,
  input rst,
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
    reset <= rst;
    held <= {{held, shift_in}};
    if (load) in <= held;
    seen <= load ? out : {{seen, 1'b0}};
  end
  {name} network (
{pins}
  );
endmodule
"""


def pins_name(network: Network) -> str:
    """Module of the top."""
    return network.module_name("pins")


def pins_verilog(network: Network) -> str:
    """Verilog of the top, without the network's."""
    into, out = network_ports(network)
    pins = [".clk(clk)", ".rst(reset)"]
    for wires, widths in (("in", into), ("out", out)):
        low = 0
        for port, width in widths.items():
            pins.append(f".{port}({wires}[{low} +: {width}])")
            low += width
    return header(network, "//") + _TEXT.format(
        name=network.name,
        top=pins_name(network),
        inputs=sum(into.values()) - 1,
        outputs=sum(out.values()) - 1,
        pins=",\n".join(f"    {pin}" for pin in pins),
    )
