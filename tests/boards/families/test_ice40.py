import re

import pytest
from knotwork.tools import run_tool
from knotwork_boards.families import ICE40

TILE = 8
REGISTERS = """
module top(input clk, enable, reset, input [{last}:0] d, output reg [{last}:0] q);
    always @(posedge clk) if (reset) q <= 0; else if (enable) q <= d;
endmodule
"""


@pytest.mark.parametrize("device", ICE40.devices)
@pytest.mark.parametrize(("registers", "enabled"), [(TILE // 2 - 1, 0), (TILE // 2, TILE // 2)])
def test_an_enable_of_few_registers_keeps_no_others_out_of_a_tile(
    tmp_path, device, registers, enabled
):
    (tmp_path / "top.v").write_text(REGISTERS.format(last=registers - 1))
    words = f"{ICE40.synthesis} {ICE40.devices[device].synthesis} -top top"
    script = f"read_verilog top.v; {words}; write_verilog -noattr netlist.v"
    run_tool(["yosys", "-q", "-p", script], tmp_path)
    cells = re.findall(r"\bSB_DFF(E?)\w*", (tmp_path / "netlist.v").read_text())
    assert len(cells) == registers
    assert sum(map(bool, cells)) == enabled
