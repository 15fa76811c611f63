"""Generated testbenches of networks with collectives, run as their users run them."""

import json
import shutil

import pytest
from helpers.collectives import FAULTS
from helpers.faults import changing

NETWORKS = {
    "several groups": "mesh:x=3,y=2,collectives=yes,groups=all/0-2/4,collective_watchdog=40,"
    "name=noc",
    "operations": "hypercube:n=2,collectives=yes,collective_width=64,element_width=16,"
    "operations=min,signed_max,and,or,name=noc",
    "circuit": "lcan:d=2,u=2,levels=2,max_packet=4,collectives=yes,name=noc",
    "scheduled": "lcan:d=2,u=2,levels=2,routing=scheduled,max_packet=4,collectives=yes,name=noc",
    "batch": "ccc:n=2,routing=lc2,words=2,collectives=yes,name=noc",
    "deflection": "torus:x=3,y=2,router=deflection,collectives=yes,name=noc",
    "nodes": "mesh:x=2,y=2,nodes_per_router=2,collectives=yes,name=noc",
}
"""A network of each class, and of what collectives may have."""

needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="no Icarus")


@needs_icarus
def test_every_collective_of_two_nodes_passes_and_is_counted(generated):
    """By each of two operations four that both start, and three that one does."""
    word = "hypercube:n=1,data_width=16,buffer_depth=2,collectives=yes,operations=sum,xor,name=noc"
    status, told = generated(word)("icarus", "--test", "every_collective")
    assert status == 0, told
    assert "noc: collective: 22 messages, " in told
    assert "1 of 1 tests passed" in told


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("simulator", [pytest.param("icarus", marks=needs_icarus), "verilator"])
@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_of_every_kind_pass(generated, kind, simulator):
    status, told = generated(NETWORKS[kind])(simulator)
    assert status == 0, told
    assert "noc: collective" in told


@pytest.mark.slow
@needs_icarus
def test_members_have_ports_that_bear_names(generated, tmp_path):
    file = tmp_path / "a.json"
    nodes = [{"id": name} for name in ("cpu", "dma", "ram")]
    links = [{"source": a, "target": b} for a, b in (("cpu", "dma"), ("dma", "ram"))]
    file.write_text(json.dumps({"nodes": nodes, "links": links}))
    word = f"graph:file={file},ports=names,data_width=8,collectives=yes,name=noc"
    status, told = generated(word)("icarus", "--test", "collective")
    assert status == 0, told
    assert "s_axis_collective_dma" in (tmp_path / "noc.v").read_text()


FAULTY = "mesh:x=3,y=2,collectives=yes,operations=sum,min,signed_max,xor,name=noc"


@pytest.mark.slow
@pytest.mark.fault
@needs_icarus
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("is_exact", [True, False])
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_in_a_tree_is_found_by_the_model_and_by_the_scoreboard(
    generated, tmp_path, fault, is_exact
):
    testbench = generated(FAULTY, changing(*FAULTS[fault]))
    tests = tmp_path / "test_noc.py"
    text = tests.read_text()
    assert text.count("version=VERSION)") == 1
    tests.write_text(text.replace("version=VERSION)", f"version=VERSION, is_exact={is_exact})"))
    status, told = testbench("icarus", "--test", "collective")
    assert status == 1, told
    assert "Mismatch: noc: collective: " in told
    assert ("golden model" in told) == is_exact


CHIP = """
module chip (
  input clk, input rst, output reg [31:0] answer, output reg done,
  input s_axis_1_tvalid, output s_axis_1_tready, input [31:0] s_axis_1_tdata, input s_axis_1_tlast,
  input s_axis_1_tdest, input m_axis_1_tready, output m_axis_1_tvalid, output [31:0] m_axis_1_tdata,
  output m_axis_1_tlast, output m_axis_1_tid,
  input s_axis_collective_1_tvalid, output s_axis_collective_1_tready,
  input [31:0] s_axis_collective_1_tdata, input s_axis_collective_1_tlast,
  input s_axis_collective_1_tdest, input [3:0] s_axis_collective_1_tuser,
  output m_axis_collective_1_tvalid, input m_axis_collective_1_tready,
  output [31:0] m_axis_collective_1_tdata, output m_axis_collective_1_tlast,
  output m_axis_collective_1_tid, output [4:0] m_axis_collective_1_tuser
);
  // Node 0 starts a barrier of two beats, a sum and, for node 1, a broadcast.
  reg [2:0] step;
  wire ready, valid, last;
  wire [31:0] data;
  always @(posedge clk)
    if (rst) begin step <= 0; done <= 0; answer <= 0; end
    else begin
      if (ready && step < 5) step <= step + 1;
      if (valid && last) begin answer <= data; done <= data == 32'h99; end
    end
  wire [2:0] kind = step < 2 ? 3'd0 : step < 4 ? 3'd1 : 3'd4;
  noc noc (
    .clk(clk), .rst(rst),
    .s_axis_0_tvalid(1'b0), .s_axis_0_tdata(32'd0), .s_axis_0_tlast(1'b0), .s_axis_0_tdest(1'b0),
    .m_axis_0_tready(1'b1), .s_axis_1_tvalid(s_axis_1_tvalid), .s_axis_1_tready(s_axis_1_tready),
    .s_axis_1_tdata(s_axis_1_tdata), .s_axis_1_tlast(s_axis_1_tlast),
    .s_axis_1_tdest(s_axis_1_tdest), .m_axis_1_tready(m_axis_1_tready),
    .m_axis_1_tvalid(m_axis_1_tvalid), .m_axis_1_tdata(m_axis_1_tdata),
    .m_axis_1_tlast(m_axis_1_tlast), .m_axis_1_tid(m_axis_1_tid),
    .s_axis_collective_0_tvalid(step < 5), .s_axis_collective_0_tready(ready),
    .s_axis_collective_0_tdata(step == 4 ? 32'h99 : {29'd0, step}),
    .s_axis_collective_0_tlast(step != 0 && step != 2), .s_axis_collective_0_tdest(1'b0),
    .s_axis_collective_0_tuser({kind, 1'b0}),
    .m_axis_collective_0_tvalid(valid), .m_axis_collective_0_tready(1'b1),
    .m_axis_collective_0_tdata(data), .m_axis_collective_0_tlast(last),
    .s_axis_collective_1_tvalid(s_axis_collective_1_tvalid),
    .s_axis_collective_1_tready(s_axis_collective_1_tready),
    .s_axis_collective_1_tdata(s_axis_collective_1_tdata),
    .s_axis_collective_1_tlast(s_axis_collective_1_tlast),
    .s_axis_collective_1_tdest(s_axis_collective_1_tdest),
    .s_axis_collective_1_tuser(s_axis_collective_1_tuser),
    .m_axis_collective_1_tvalid(m_axis_collective_1_tvalid),
    .m_axis_collective_1_tready(m_axis_collective_1_tready),
    .m_axis_collective_1_tdata(m_axis_collective_1_tdata),
    .m_axis_collective_1_tlast(m_axis_collective_1_tlast),
    .m_axis_collective_1_tid(m_axis_collective_1_tid),
    .m_axis_collective_1_tuser(m_axis_collective_1_tuser)
  );
endmodule
"""

CHIP_TEST = """
from pathlib import Path

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from knotwork.errors import ConfigurationError
from knotwork_sim.testbench import Mismatch, NetworkTestbench

MANIFEST = Path(__file__).with_name("manifest.json")


@cocotb.test()
async def inside(dut):
    testbench = NetworkTestbench(dut.noc, MANIFEST, driven=[1], ends_at=dut)
    (group,) = testbench.collectives
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start(start_high=False))
    await testbench.reset()
    group.pause(sources=0.3, sinks=0.4)
    group.barrier(1)
    group.all_reduce(1, [10, 20])
    assert (await group.expect(1)).answer.data == ()
    await group.expect(1, [12, 23])
    arrival = await group.expect(1, [0x99])
    assert arrival.answer.node == 0
    assert arrival.cycle <= group.cycle
    await testbench.finish()
    assert dut.done.value == 1
    with pytest.raises(Mismatch, match="node 1 must get an answer within 20 cycles, and got none"):
        await group.expect(1, within=20)
    with pytest.raises(ConfigurationError, match="by a member that the testbench drives, not by"):
        group.barrier(0)
    group.broadcast(1, [7])
    with pytest.raises(Mismatch, match=r"must get the answer \\['0x8'\\], and got \\['0x7'\\]"):
        await group.expect(1, [8])
    group.barrier(1)
    with pytest.raises(Mismatch, match="must be started by all members, and is not by nodes 0"):
        await testbench.drain(patience=50)
"""


@needs_icarus
def test_a_group_inside_a_design_is_judged_with_what_the_design_sends(generated, tmp_path):
    testbench = generated("hypercube:n=1,buffer_depth=2,collectives=yes,name=noc")
    (tmp_path / "chip.v").write_text(CHIP)
    (tmp_path / "test_noc.py").write_text(CHIP_TEST)
    (tmp_path / "run_noc.py").write_text(
        "from knotwork_sim.testbench import run_tests\n"
        "raise SystemExit(run_tests(sources=['chip.v', 'noc.v'], top='chip', tests='test_noc'))\n"
    )
    status, told = testbench("icarus")
    assert status == 0, told
