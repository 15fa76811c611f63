import pytest
from knotwork import Network
from knotwork.errors import ToolError
from knotwork_boards.bits.chip import Chip
from knotwork_sim.rtl import self_test_bits

NETWORK = Network.from_word("hypercube:n=1,data_width=8,buffer_depth=2")

TELLS = """module chip (input clock, output reg line);
  reg [29:0] bits = {1'b1, 8'h0a, 1'b0, 1'b1, 8'h6b, 1'b0, 1'b1, 8'h6f, 1'b0};
  reg phase = 0;
  initial line = 1;
  always @(posedge clock) begin
    phase <= ~phase;
    if (phase) begin line <= bits[0]; bits <= {1'b1, bits[29:1]}; end
  end
endmodule
"""


@pytest.fixture
def chip(monkeypatch):
    ports = {"clk": "clock", "tx": "line"}

    def made(text):
        made_of = {"chip.v": text}
        chip = Chip(sources=made_of, module="chip", ports=ports, clocks_per_bit=2)
        monkeypatch.setattr(self_test_bits, "netlist_provider", lambda _: lambda *_: chip)
        return chip

    return made


def test_the_chip_stands_between_its_clock_and_its_line(chip):
    assert self_test_bits.board_verilog(chip(TELLS)) == (
        "module testbench (input clk, input rx, output tx);\n"
        "  chip chip (.clock(clk), .line(tx));\nendmodule\n"
    )


@pytest.mark.slow
def test_a_line_is_read_from_the_serial_port(chip):
    chip(TELLS)
    told = self_test_bits.run_self_test(NETWORK, "icebreaker")
    assert told.line == "ok"
    assert 55 < told.cycle < 65


@pytest.mark.slow
def test_a_chip_that_says_nothing_is_one_line(chip, monkeypatch):
    monkeypatch.setattr(self_test_bits, "CYCLES", 1000)
    chip(TELLS.replace("line <= bits[0];", ""))
    with pytest.raises(ToolError, match="a line must end within 1000 cycles"):
        self_test_bits.run_self_test(NETWORK, "icebreaker")
