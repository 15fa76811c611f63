"""The examples beside the page of systems: they build, and do what they say."""

import shutil
import subprocess
from pathlib import Path
from random import Random
from runpy import run_path

import pytest
from amaranth.hdl import ClockDomain, Module
from helpers.clocks import get_all, jittery, put_all, run_clocks
from knotwork_soc import System
from knotwork_soc.emit import write_system

EXAMPLES = Path(__file__).parents[3] / "hdl" / "docs" / "examples"

BENCH = """
`timescale 1ns / 1ps
module bench;
  reg clk = 0, clk_fast = 0, rst = 1;
  wire [1:0] passed, failed;
  always #5 clk = !clk;
  always #1.9 clk_fast = !clk_fast;
  two_masters dut (.clk(clk), .rst(rst), .clk_fast(clk_fast), .rst_fast(rst), .passed(passed),
    .failed(failed));
  initial begin
    #100 rst = 0;
  end
  always @(posedge clk)
    if (&passed || |failed || $time > 20000) begin
      $display("passed %b, failed %b", passed, failed);
      $finish;
    end
endmodule
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus runs it")
def test_two_masters_write_and_read_two_memories(tmp_path):
    system = System.from_words([str(EXAMPLES / "two_masters.toml")])
    assert (system.network.topology.routers, system.network.topology.nodes) == (15, 30)
    verilog = write_system(system, tmp_path)[0]
    (tmp_path / "bench.v").write_text(BENCH)
    sources = [verilog, EXAMPLES / "two_masters.v", tmp_path / "bench.v"]
    program = tmp_path / "bench"
    subprocess.run(["iverilog", "-g2012", "-o", program, *sources], check=True)
    done = subprocess.run(["vvp", "-n", program], capture_output=True, text=True, check=True)
    assert done.stdout == "passed 11, failed 00\n"


@pytest.mark.slow
def test_an_accelerator_of_eight_nodes_at_three_clocks():
    dut = run_path(str(EXAMPLES / "accelerator.py"))["Accelerator"]()
    m = Module()
    domains = {name: ClockDomain(name) for name in ("sync", "fast", "slow")}
    m.domains += domains.values()
    m.submodules.dut = dut
    dice, sent = Random(1), []
    for length in (4, 2, 6):  # 64 bits are two beats: packets of an even number of them
        packet = [dice.randrange(1 << 15) for _ in range(length)]
        sent += [{"data": word, "last": n == length - 1} for n, word in enumerate(packet)]
    taken = []
    send = put_all(dut.i, sent, "sync", bubble=0.3, seed=1)

    async def later(ctx):
        """What is sent to a node that is still in reset is dropped."""
        for _ in range(40):
            await ctx.tick("sync")
        await send(ctx)

    run_clocks(
        m,
        [
            jittery(domain.clk, period, seed=number)
            for number, (domain, period) in enumerate(
                zip(domains.values(), (1.0, 0.6, 1.7), strict=True)
            )
        ],
        later,
        get_all(dut.o, taken, len(sent), "sync", stall=0.3, seed=1),
    )
    # Packets are of an even number of beats: stages 2 and 3 add to the lower of two beats, and
    # stage 4 to each half of a beat.
    due = []
    for place, beat in enumerate(sent):
        word = beat["data"] + 1 + (0 if place % 2 else 2 + 3) + 5 + 6
        due.append((word + 4 & 0xFFFF) | 4 << 16)
    assert [beat.data for beat in taken] == due
