"""Generated testbenches, run as their users run them, on sound networks and on faulty ones."""

import json
import re
import shutil

import pytest
from helpers.faults import changed, changing, changing_module

# Links come into a circuit switch at its ports a and d, into a router at those with an i.
_WIDE = r"\.((?:\w+_i|[ad]\d+)_(?:flit|packet|message|data))\((link_\w+)\)"
_NARROW = r"\.((?:\w+_i|[ad]\d+)_(?:valid|kind))\((link_\w+)\)"


def _top(verilog):
    """Where the top module begins: it is the last one."""
    return verilog.rindex("\nmodule ")


def _width(verilog, net):
    (found,) = re.findall(rf"^  wire (?:\[(\d+):0\] )?{net};", verilog[_top(verilog) :], re.M)
    return int(found or 0) + 1


def _pins(verilog, pattern):
    return list(re.finditer(pattern, verilog[_top(verilog) :]))


def _replaced(verilog, pin, text):
    start = _top(verilog)
    return f"{verilog[: start + pin.start(2)]}{text}{verilog[start + pin.end(2) :]}"


def flipped_bit(verilog):
    """The lowest bit of all that comes by one link is inverted."""
    pin = _pins(verilog, _WIDE)[0]
    return _replaced(verilog, pin, f"{pin[2]} ^ {_width(verilog, pin[2])}'d1")


def swapped_link(verilog):
    """What comes by two links is exchanged."""
    first, *others = _pins(verilog, _WIDE)
    width = _width(verilog, first[2])
    # Two links from one router, as in a ring of two, may carry the same.
    router = first[2].rsplit("_", 2)[0]
    second = next(
        pin
        for pin in others
        if pin[2] != first[2]
        and _width(verilog, pin[2]) == width
        and (router == "link_node" or pin[2].rsplit("_", 2)[0] != router)
    )
    return _replaced(_replaced(verilog, second, first[2]), first, second[2])


def dropped_flit(verilog):
    """The second flit that comes by one link is lost."""
    pin = (_pins(verilog, _NARROW) or _pins(verilog, _WIDE))[0]
    net, width = pin[2], _width(verilog, pin[2])
    fault = f"""
  reg [7:0] fault_age = 8'd0;
  always @(posedge clk)
    if (rst) fault_age <= 8'd0;
    else if (|{net} && fault_age != 8'd255) fault_age <= fault_age + 8'd1;
"""
    verilog = _replaced(verilog, pin, f"{net} & {{{width}{{fault_age != 8'd1}}}}")
    end = verilog.rindex("endmodule")
    return verilog[:end] + fault.lstrip("\n") + verilog[end:]


FAULTS = {
    "flipped bit": flipped_bit,
    "swapped link": swapped_link,
    "dropped flit": dropped_flit,
}
"""Faults by name: functions of the Verilog."""


NETWORKS = {
    "packet": "hypercube:n=2,data_width=8,buffer_depth=2,name=noc",
    "pipeline": "moebius:n=2,pipeline=2,virtual_channels=2,name=noc",
    "multicast": "hypercube:n=2,multicast=yes,max_packet=8,name=noc",
    "broadcast": "wk:w=2,levels=2,max_packet=4,name=noc",
    "parity": "mesh:x=3,y=2,parity=yes,name=noc",
    "classes": "mesh:x=2,y=2,classes=2,parity=yes,data_width=16,name=noc",
    "circuit": "lcan:d=2,u=2,levels=2,max_packet=4,name=noc",
    "scheduled": "lcan:d=2,u=2,levels=2,routing=scheduled,max_packet=4,name=noc",
    "one way": "banyan:d=3,u=2,levels=2,max_packet=4,cycle=adaptive,name=noc",
    "batch": "ccc:n=2,routing=lc2,words=2,name=noc",
    "deflection": "torus:x=3,y=2,router=deflection,sequence_width=3,name=noc",
    "ring deflection": "torus:x=3,y=2,directions=one,router=deflection,source=no,name=noc",
}
"""A network of each class, and of what a network may have."""

needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="no Icarus")
SIMULATORS = [pytest.param("icarus", marks=needs_icarus), "verilator"]


@needs_icarus
def test_a_sound_network_passes_and_is_told_to(generated):
    status, told = generated(NETWORKS["packet"])("icarus")
    assert status == 0, told
    assert "16 packets, 16 of 16 pairs of nodes" in told
    assert "all as in the golden model" in told
    assert "4 of 4 tests passed" in told


@pytest.mark.slow
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_a_network_of_a_file_needs_the_file_no_more(generated, tmp_path, simulator):
    """Links of 2 and 5 cycles, one of them one way; two nodes at a router."""
    file = tmp_path / "a.json"
    links = [(0, 1, 2), (1, 2, 1), (2, 0, 5)]
    edges = [{"source": a, "target": b, "latency": cycles} for a, b, cycles in links]
    vertices = [{"id": router, "nodes": 1 + (router == 1)} for router in range(3)]
    file.write_text(json.dumps({"directed": True, "nodes": vertices, "links": edges}))
    testbench = generated(f"graph:file={file},data_width=8,name=noc")
    file.unlink()
    status, told = testbench(simulator)
    assert status == 0, told
    assert "16 of 16 pairs of nodes" in told
    assert "all as in the golden model" in told


@needs_icarus
def test_a_faulty_network_fails_in_words(generated):
    testbench = generated(NETWORKS["packet"], FAULTS["flipped bit"])
    status, told = testbench("icarus", "--test", "every_pair")
    assert status == 1, told
    # The last lines name the test, the packet, what is wrong with it and its last hops.
    last = told[told.rindex("every_pair: noc: a packet at node ") :]
    assert last.splitlines()[-1] == "0 of 1 tests passed"
    assert "wrong bits: 0" in last
    assert "route by the rule: " in last


@needs_icarus
def test_a_network_that_takes_no_table_fails(generated):
    deaf = changing_module("", r"(assign s_axis_config_tready =) [^;]+;", r"\1 1'b0;")
    status, told = generated(NETWORKS["batch"], deaf)("icarus", "--test", "permutations")
    assert status == 1, told
    assert "the network must take a beat within 5000 cycles, and took none" in told


@needs_icarus
def test_a_register_that_outlives_a_reset_in_mid_traffic_is_found(generated):
    testbench = generated(NETWORKS["packet"], changing("busy <= 1'b0;", "", places=None))
    status, told = testbench("icarus", "--test", "reset_in_traffic")
    assert status == 1, told
    assert "reset_in_traffic: noc: packet " in told


CHIP = """
module chip (
  input clk, input rst,
  input s_axis_1_tvalid, output s_axis_1_tready, input [7:0] s_axis_1_tdata,
  input s_axis_1_tlast, input s_axis_1_tdest, input m_axis_1_tready, output m_axis_1_tvalid,
  output [7:0] m_axis_1_tdata, output m_axis_1_tlast, output m_axis_1_tid
);
  // Node 0 sends a counter to node 1, which a testbench drives.
  reg [7:0] count = 0;
  wire ready;
  always @(posedge clk)
    if (rst) count <= 0;
    else if (ready && count < 20) count <= count + 1;
  noc noc (
    .clk(clk), .rst(rst),
    .s_axis_0_tvalid(count < 20), .s_axis_0_tready(ready), .s_axis_0_tdata(count),
    .s_axis_0_tlast(1'b1), .s_axis_0_tdest(1'b1), .m_axis_0_tready(1'b1),
    .s_axis_1_tvalid(s_axis_1_tvalid), .s_axis_1_tready(s_axis_1_tready),
    .s_axis_1_tdata(s_axis_1_tdata), .s_axis_1_tlast(s_axis_1_tlast),
    .s_axis_1_tdest(s_axis_1_tdest), .m_axis_1_tready(m_axis_1_tready),
    .m_axis_1_tvalid(m_axis_1_tvalid), .m_axis_1_tdata(m_axis_1_tdata),
    .m_axis_1_tlast(m_axis_1_tlast), .m_axis_1_tid(m_axis_1_tid)
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
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start(start_high=False))
    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    dut.rst.value = 0
    testbench.pause(sinks=0.4)
    for count in range(20):
        await testbench.expect(1, [count], source=0)
    await ClockCycles(dut.clk, 5100)  # nothing moves, and nothing is waited for
    testbench.send(1, 0, [7, 8])
    await testbench.finish()
    assert dict(testbench.pairs) == {(0, 1): 20, (1, 0): 1}
    with pytest.raises(Mismatch, match="must get a packet within 20 cycles, and got none"):
        await testbench.expect(1, within=20)
    with pytest.raises(ConfigurationError, match="by a node that the testbench drives"):
        testbench.send(0, 1, [1])
    with pytest.raises(ConfigurationError, match="must have the port s_axis_0_tvalid"):
        NetworkTestbench(dut, MANIFEST)
"""


@needs_icarus
def test_a_network_inside_a_design_is_judged_with_what_the_design_sends(generated, tmp_path):
    testbench = generated("hypercube:n=1,data_width=8,buffer_depth=2,name=noc")
    (tmp_path / "chip.v").write_text(CHIP)
    (tmp_path / "test_noc.py").write_text(CHIP_TEST)
    (tmp_path / "run_noc.py").write_text(
        "from knotwork_sim.testbench import run_tests\n"
        "raise SystemExit(run_tests(sources=['chip.v', 'noc.v'], top='chip', tests='test_noc'))\n"
    )
    status, told = testbench("icarus")
    assert status == 0, told
    assert "21 packets, 2 of 4 pairs of nodes" in told


@needs_icarus
def test_a_network_in_a_file_per_module_is_judged_by_the_same_script(generated, tmp_path):
    word = "hypercube:n=1,data_width=8,buffer_depth=2,name=noc"
    generated(word)
    script = (tmp_path / "run_noc.py").read_text()
    status, told = generated(word, split=True)("icarus", "--test", "every_pair")
    assert status == 0, told
    assert (tmp_path / "run_noc.py").read_text() == script


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_of_every_kind_pass(generated, kind, simulator):
    status, told = generated(NETWORKS[kind])(simulator)
    assert status == 0, told
    assert "all as in the golden model" in told


@pytest.mark.slow
@pytest.mark.fault
@needs_icarus
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_of_every_kind_fail_for_each_fault(generated, kind, fault):
    testbench = generated(NETWORKS[kind], lambda text: changed(text, FAULTS[fault](text)))
    status, told = testbench("icarus")
    assert status == 1, told
    assert "Mismatch: noc: " in told or "AssertionError: cycle" in told, told
