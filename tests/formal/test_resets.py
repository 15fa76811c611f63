"""A reset in any state: what proofs begin with, and which registers it must bring back."""

import pytest
from helpers.cases import slow
from helpers.proven import changing_module, largest_router
from knotwork import Network
from knotwork.emit.verilog import network_verilog
from knotwork.formal import FAILED, PROVEN, Property, prove, prove_router, router_properties
from knotwork.formal.harness import Harness
from knotwork.formal.prover import prove_reset, registers
from knotwork_soc import System
from knotwork_soc.emit.verilog import system_verilog

VERILOG = """
module counter(input clk, input rst, input step, input [1:0] at, output [2:0] count,
               output [3:0] word, output [3:0] fixed);
  reg [2:0] kept = 3'd2;
  reg gate_0 = 1'd0;
  reg [3:0] ram [0:3];
  reg [3:0] rom [0:3];
  integer n;
  initial for (n = 0; n < 4; n = n + 1) begin ram[n] = 4'd0; rom[n] = 4'd5; end
  always @(posedge clk) begin
    if (rst) kept <= 3'd2; else if (step) kept <= kept == 5 ? 0 : kept + 1;
    gate_0 <= step;
    if (step & gate_0) ram[at] <= 4'd3;
  end
  assign count = kept;
  assign word = ram[at];
  assign fixed = rom[at];
endmodule
"""
LOST = VERILOG.replace("if (rst) kept <= 3'd2; else if", "if")
OTHER = VERILOG.replace("if (rst) kept <= 3'd2;", "if (rst) kept <= 3'd3;")


def harness():
    return Harness("counter", {"step": 1, "at": 2}, {"count": 3, "word": 4, "fixed": 4})


def outcome(verilog, claim):
    one = Property(name="one", text="one", claim=lambda it: it.claim(claim(it)))
    (found,) = prove("counter", verilog, harness, [one])
    return found.result


def test_a_proof_begins_with_any_registers_and_a_reset():
    def below_six(it):
        return it.port("count") < 6

    assert outcome(VERILOG, below_six) == PROVEN
    assert outcome(LOST, below_six) == FAILED


def test_a_proof_begins_with_any_words_of_memories_that_are_written():
    assert outcome(VERILOG, lambda it: (it.port("word") == 0) | (it.port("word") == 3)) == FAILED
    assert outcome(VERILOG, lambda it: it.port("fixed") == 5) != FAILED


@pytest.mark.parametrize("verilog", [LOST, OTHER])
def test_a_register_without_its_reset_is_named(verilog):
    assert [(one.path, one.is_reset) for one in registers("counter", VERILOG)] == [
        ("gate_0", False),
        ("kept", True),
    ]
    assert (prove_reset("counter", VERILOG).result, prove_reset("counter", VERILOG).reason) == (
        PROVEN,
        "",
    )
    found = prove_reset("counter", verilog)
    assert (found.name, found.result, found.reason) == ("reset", FAILED, "not kept")


def test_assertions_that_synthesis_would_see_are_left_out():
    """Those of a mutant, whose Verilog Yosys wrote."""
    asserting = VERILOG.replace("endmodule", "always @(posedge clk) assert (kept < 6);\nendmodule")
    assert prove_reset("counter", asserting).result == PROVEN


# One small network of each kind of router, and of each option that adds registers.
NETWORKS = [
    "hypercube:n=1,data_width=8,counters=yes,watchdog=16",
    "hypercube:n=1,data_width=8,buffer_depth=4,pipeline=2",
    "hypercube:n=1,data_width=8,buffer_depth=8,pipeline=3,parity=yes",
    "hypercube:n=1,data_width=8,pipeline=2,multicast=yes",
    "hypercube:n=1,data_width=8,tables=loaded",
    "mesh:x=2,y=1,data_width=8,pipeline=2,classes=2,class_limits=1/2,1/4,arbitration=weighted",
    "wk:w=3,levels=1,data_width=8,buffer_depth=4",
    "wk:w=3,levels=1,data_width=8,buffer_depth=4,pipeline=2",
    "moebius:n=2,data_width=8,pipeline=2,routing=spr,vc_scheme=escape",
    "hypercube:n=2,data_width=8,router=deflection",
    "torus:x=3,y=3,data_width=8,directions=one,router=deflection",
    "lcan:d=2,u=1,levels=2,data_width=8,cycle=adaptive",
    "hypercube:n=2,data_width=8,routing=lc1",
    "ccc:n=2,data_width=8,routing=lc2",
]
BUSES = (
    "mesh x=2 y=2 data_width=64 node.bus=none node.0.bus=axi4 node.0.side=initiator "
    "node.1.bus=apb node.1.side=target node.2.bus=wishbone node.2.side=target "
    "map.a.base=0 map.a.size=4K map.a.node=2 map.b.base=16K map.b.size=4K map.b.node=1"
)
WIDTHS = "mesh x=2 y=1 data_width=32 node.0.width=64 node.1.width=8"


@pytest.mark.parametrize("word", NETWORKS)
def test_a_reset_brings_every_register_of_a_network_back(word):
    network = Network.from_word(word)
    found = prove_reset(network.name, network_verilog(network))
    assert (found.result, found.reason) == (PROVEN, "")


@pytest.mark.parametrize("words", [slow(BUSES), WIDTHS])
def test_a_reset_brings_every_register_of_a_system_back(words):
    system = System.from_words(words.split())
    found = prove_reset(system.name, system_verilog(system))
    assert (found.result, found.reason) == (PROVEN, "")


CREDITS = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2"
WAITS = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=1"


@pytest.mark.parametrize(
    ("words", "module", "line", "register", "property_"),
    [
        (CREDITS, "router.output_local", "busy <= 1'b0;", "output_local.busy", "holders"),
        (WAITS, "router.output_local", "held <= 1'b0;", "output_local.held", "ownership"),
    ],
)
def test_a_state_that_outlives_the_reset_is_found(words, module, line, register, property_):
    network, kind, verilog = largest_router(words)
    broken = changing_module(module, line, "")(verilog)
    lost = prove_reset(kind.name, broken)
    assert lost.result == FAILED
    assert lost.reason.endswith(register)
    # What is proven of the router misses it too.
    (one,) = [one for one in router_properties(network, kind) if one.name == property_]
    assert {r.name: r.result for r in prove_router(network, kind, broken, [one])}[
        property_
    ] == FAILED
