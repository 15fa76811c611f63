"""The examples beside the page of collectives: they build, and do what they say."""

import re
import shutil
import subprocess
from pathlib import Path
from runpy import run_path

import pytest
from amaranth.sim import Simulator
from helpers.faults import changed
from knotwork import Network
from knotwork.emit import write_network
from knotwork.routing.collectives import Collective
from knotwork_sim.model.collectives import Beat, CollectiveModel, Header

EXAMPLES = Path(__file__).parents[2] / "hdl" / "docs" / "examples"
LENGTH = 64

BENCH = """
`timescale 1ns / 1ps
module bench;
  reg clk = 0, rst = 1;
  reg [31:0] cycle = 0;
  wire [15:0] passed, failed;
  always #5 clk = !clk;
  vector_sum #(.LENGTH(LENGTH_)) dut (.clk(clk), .rst(rst), .passed(passed), .failed(failed));
  initial #100 rst = 0;
  always @(posedge clk) begin
    cycle <= rst ? 0 : cycle + 1;
    if (&passed || cycle > 2000) begin
      $display("passed %h, failed %h, cycle %0d", passed, failed, cycle);
      $finish;
    end
  end
endmodule
"""


@pytest.fixture
def run(tmp_path):
    """Run the Verilog, which `edit` may change: what it prints, and the network."""

    def run(edit=lambda text: text):
        network = Network.from_word("mesh:x=4,y=4,collectives=yes,name=noc")
        verilog = write_network(network, tmp_path)[0]
        (tmp_path / "bench.v").write_text(BENCH.replace("LENGTH_", str(LENGTH)))
        (tmp_path / "sum.sv").write_text(edit((EXAMPLES / "vector_sum.sv").read_text()))
        sources = [verilog, tmp_path / "sum.sv", tmp_path / "bench.v"]
        program = tmp_path / "bench"
        command = ["iverilog", "-g2012", "-I", tmp_path, "-o", program, *sources]
        subprocess.run(command, check=True)
        done = subprocess.run(["vvp", "-n", program], capture_output=True, text=True, check=True)
        return done.stdout, network

    return run


def cycles_of(network, length, begins):
    """Cycles in which all nodes have the sum, by the golden model, by when each begins to send."""
    (group,) = network.collective_groups
    model, cycle, missing = CollectiveModel(group.tree, group.form), 0, set(group.tree.members)
    left = dict.fromkeys(group.tree.members, length)
    while missing:
        beats = [
            Beat(0, left[node] == 1, False, Header(Collective.ALL_REDUCE))
            if left[node] and cycle >= begins(node)
            else None
            for node in group.tree.members
        ]
        result = model.step(beats, [True] * len(beats))
        for node, taken, answer in zip(
            group.tree.members, result.taken, result.answers, strict=True
        ):
            left[node] -= taken
            if answer is not None and answer.last:
                missing.discard(node)
        cycle += 1
    return cycle


needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus runs it")


@needs_icarus
def test_sixteen_nodes_in_verilog_sum_a_vector_as_fast_as_the_tree_allows(run):
    """Node n begins 3 n cycles after the reset."""
    text, network = run()
    passed, failed, cycle = re.fullmatch(
        r"passed (\w+), failed (\w+), cycle (\d+)\n", text
    ).groups()
    assert (passed, failed) == ("ffff", "0000")
    assert int(cycle) == cycles_of(network, LENGTH, lambda node: 3 * node)


@pytest.mark.slow
@pytest.mark.fault
@needs_icarus
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(NODE + 1) * (place", "(NODE + 1 + (NODE == 9)) * (place"),
        ("sent_last = place == LENGTH - 1", "sent_last = place == LENGTH - 1 - (NODE == 9)"),
    ],
)
def test_nodes_in_verilog_find_another_share_and_another_length(run, before, after):
    text, _ = run(lambda text: changed(text, text.replace(before, after)))
    assert "failed ffff" in text


@pytest.mark.slow
def test_sixteen_nodes_in_amaranth_sum_a_vector():
    dut = run_path(str(EXAMPLES / "vector_sum.py"))["VectorSum"](length=20)
    cycles = []

    async def bench(ctx):
        for cycle in range(200):
            if ctx.get(dut.passed) == 0xFFFF:
                cycles.append(cycle)
                break
            await ctx.tick()
        assert ctx.get(dut.failed) == 0

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert cycles == [cycles_of(dut.network, 20, lambda _: 0)]
