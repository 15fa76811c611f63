"""A small module in Verilog, with an address as routers have one, and its ports."""

from quality.benchmarks.wrapped_router import Pin

ADDER = """module adder (
  input clk,
  input rst,
  input [1:0] address,
  input [3:0] a,
  input b,
  output reg [3:0] sum = 4'd0
);
  wire [3:0] inner;
  always @(posedge clk) sum <= a + b + address;
endmodule
module other (
  input x
);
endmodule
"""
PORTS = [
    Pin("input", 2, "address"),
    Pin("input", 4, "a"),
    Pin("input", 1, "b"),
    Pin("output", 4, "sum"),
]
