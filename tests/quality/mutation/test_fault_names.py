"""Names of faults by the signals that a gate reads and drives."""

import re

import pytest
from helpers.toy import NAME, VERILOG
from quality.mutation.mutants import list_mutants

TEXT = """
module toy(input clk, input rst, input [3:0] a, input b, output reg [1:0] y);
  wire ends = a == 4'b0000 | b;
  always @(posedge clk) begin
    if (rst) y <= 2'b00;
    else if (ends) y <= a[2:1] ^ {b, b};
  end
endmodule
"""


def faults(text):
    return {mutant.fault for mutant in list_mutants(text, NAME, count=200)}


MORE = TEXT.replace("output reg", "output z, output reg").replace(
    "  wire ends", "  wire [3:0] sum = a + 4'd3;\n  assign z = ^sum & b;\n  wire ends"
)
"""The same with gates before it, which have numbers of Yosys, too."""


@pytest.mark.parametrize("text", [TEXT, MORE])
def test_a_fault_is_named_by_the_nearest_signals_of_the_source(text):
    assert faults(text) >= {
        "inv at y[0]",
        "const1 at R of register from rst to y[1]",
        "const0 at input of XOR from b to y[0]",
        "const1 at input of OR from a[1:0] to ends",
    }


@pytest.mark.parametrize("text", [TEXT, VERILOG])
def test_no_name_has_a_number_of_yosys(text):
    assert not any(re.search(r"\$|\b_\d+_", fault) for fault in faults(text))
