"""A counter small enough to prove anything of it in a second."""

from knotwork.formal.harness import Harness

VERILOG = """
module counter(input clk, input rst, input step, output [2:0] count, output wrapped);
  reg [2:0] kept = 0;
  always @(posedge clk) if (rst) kept <= 0; else if (step) kept <= kept == 5 ? 0 : kept + 1;
  assign count = kept;
  assign wrapped = kept > 5;
endmodule
"""


def harness():
    """Harness of the counter."""
    return Harness("counter", {"step": 1}, {"count": 3, "wrapped": 1})
