"""Runs of what boards' tools make: netlists, and bits that become a chip again."""

import re

import pytest
from helpers.refusals import refuses
from knotwork import Network
from knotwork.errors import ToolError
from knotwork_boards.bits.build import Chip
from knotwork_boards.netlist import netlist_sources
from knotwork_sim import simulate
from knotwork_sim.rtl import netlists

SMALLEST = "hypercube:n=1,data_width=8,buffer_depth=2"
BOARDS = {"ice40": "icebreaker", "ecp5": "ulx3s_12f", "gowin": "tang_nano_9k"}
NETWORKS = {
    "packets": "mesh:x=3,y=2,data_width=8,buffer_depth=4,pipeline=2",
    "twenty routers, each kind synthesised once": "ring:n=20,data_width=8,buffer_depth=2",
    "circuits": "lcan:d=2,u=2,levels=2,data_width=8",
    "batches": "ccc:n=2,routing=lc2,data_width=8",
    "deflection": "torus:x=2,y=2,router=deflection,data_width=8",
}


def test_the_netlist_of_a_network_equals_the_model_in_every_cycle():
    keys = {"packets": 50, "rate": 0.4, "stall": 0.2}
    result = simulate(SMALLEST, engine="netlist", board="icebreaker", **keys)
    assert (result.delivered, result.mismatches, result.first_fault) == (50, 0, None)
    assert result.as_json()["board"] == "icebreaker"


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS.values(), ids=[*BOARDS])
@pytest.mark.parametrize("network", NETWORKS.values(), ids=[*NETWORKS])
def test_netlists_of_all_families_and_router_classes(network, board):
    keys = {"packets": 200, "rate": 0.3, "bubble": 0.1, "stall": 0.2, "seed": 3}
    if not Network.from_word(network).routing.takes_packets_any_time:
        keys = {"permutation": "random", "packets": 160, "stall": 0.2, "traffic": "permutation"}
    result = simulate(network, keys.pop("traffic", None), engine="netlist", board=board, **keys)
    assert result.delivered == keys["packets"]
    assert (result.faults, result.first_fault) == ({}, None)


@pytest.mark.slow
def test_a_wrong_cell_is_noticed(monkeypatch):
    def wrong(network, board):
        sources = netlist_sources(network, board)
        name = next(iter(sources))
        tables = re.findall(r"\.LUT_INIT\(16'h\w+\)", sources[name])
        place = sources[name].index(tables[len(tables) // 2])
        changed = sources[name][:place] + sources[name][place:].replace(
            tables[len(tables) // 2], ".LUT_INIT(16'h6996)", 1
        )
        return {**sources, name: changed}

    monkeypatch.setattr(netlists, "netlist_provider", lambda: wrong)
    result = simulate(SMALLEST, engine="netlist", board="icebreaker", packets=50, rate=0.4)
    assert result.first_fault is not None


def test_without_a_package_that_knows_boards_it_is_one_line(monkeypatch):
    monkeypatch.setattr(netlists, "entry_points", lambda **_: ())
    line = "the entry netlist of knotwork.netlists must be installed: run `make setup`, or install"
    with refuses(f"{line} Knotwork again", ToolError):
        netlists.netlist_provider()


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


def chip(text):
    ports = {"clk": "clock", "tx": "line"}
    return Chip(sources={"chip.v": text}, module="chip", ports=ports, clocks_per_bit=2)


def test_the_chip_stands_between_its_clock_and_its_line():
    assert netlists.board_verilog(chip(TELLS)) == (
        "module testbench (input clk, input rx, output tx);\n"
        "  chip chip (.clock(clk), .line(tx));\nendmodule\n"
    )


@pytest.mark.slow
def test_a_line_is_read_from_the_serial_port_or_must_end(monkeypatch):
    def run(text):
        monkeypatch.setattr(netlists, "netlist_provider", lambda _: lambda *_: chip(text))
        return netlists.run_self_test(Network.from_word(SMALLEST), "icebreaker")

    found = run(TELLS)
    assert found.line == "ok"
    assert 55 < found.cycle < 65
    monkeypatch.setattr(netlists, "CYCLES", 1000)
    with pytest.raises(ToolError, match="a line must end within 1000 cycles"):
        run(TELLS.replace("line <= bits[0];", ""))
