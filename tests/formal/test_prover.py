"""Proofs and counterexamples, problems for the solver, and resets."""

import re

import pytest
from helpers.cases import slow
from helpers.faults import changing_module
from helpers.proven import largest_router
from helpers.toy import COUNTER_VERILOG, harness
from knotwork import Network
from knotwork.emit.verilog import network_verilog
from knotwork.errors import ToolError
from knotwork.formal import (
    BOUNDED,
    FAILED,
    PROVEN,
    Property,
    prove,
    prove_router,
    prover,
    router_properties,
)
from knotwork.formal.harness import Harness
from knotwork.formal.prover import FACTS, facts_rtlil, prove_reset, registers, write_problems
from knotwork.tools import FailedRunError, run_tool
from knotwork_soc import System
from knotwork_soc.emit.verilog import system_verilog


def proven(*properties, traces=None):
    return {
        one.name: one
        for one in prove("counter", COUNTER_VERILOG, harness, properties, traces=traces)
    }


def claims(name, value, **more):
    return Property(name=name, text=name, claim=lambda it: it.claim(value(it)), **more)


def never_wraps(it):
    return ~it.port("wrapped")


BELOW_SIX = claims("below_six", lambda it: it.port("count") < 6)


def test_an_invariant_is_proven():
    found = proven(BELOW_SIX)["below_six"]
    assert (found.result, found.reason) == (PROVEN, "")


def test_a_claim_that_is_true_but_not_inductive_is_bounded():
    one = claims("no_seven", lambda it: it.port("count") != 7, induction=1, depth=9)
    found = proven(one)["no_seven"]
    # From 6, which is never reached, one step leads to 7.
    assert (found.result, found.depth, found.reason) == (BOUNDED, 9, "")


def test_with_a_lemma_the_same_claim_is_proven():
    one = claims("no_seven", lambda it: it.port("count") != 7, lemmas=(BELOW_SIX,))
    found = proven(one)
    assert [*found] == ["below_six", "no_seven"]
    assert found["no_seven"].result == PROVEN


def test_a_false_claim_gives_its_place_and_a_trace(tmp_path):
    found = proven(claims("small", lambda it: it.port("count") < 3), traces=tmp_path / "new")
    assert found["small"].result == FAILED
    assert found["small"].reason.startswith("counterexample: test_prover.py:")
    assert (tmp_path / "new" / "small.vcd").exists()


def test_a_cover_that_is_never_reached_is_vacuous():
    one = Property(
        name="wraps", text="wraps", claim=lambda it: it.cover(it.port("wrapped")), cover=9
    )
    found = proven(one)["wraps"]
    assert found.result == FAILED
    assert found.reason.startswith("vacuous: test_prover.py:")
    assert found.reason.endswith("is not reached in 9 cycles")


def test_a_property_is_no_better_than_its_lemmas():
    false = claims("small", lambda it: it.port("count") < 3)
    bounded = claims("no_seven", lambda it: it.port("count") != 7, induction=1, depth=9)
    found = proven(
        claims("on_false", never_wraps, lemmas=(false,)),
        claims("on_bounded", never_wraps, lemmas=(BELOW_SIX, bounded)),
    )
    assert found["on_false"].result == FAILED
    assert found["on_false"].reason == "it rests on small, which failed"
    assert (found["on_bounded"].result, found["on_bounded"].depth) == (BOUNDED, 9)


def test_a_lack_of_a_solver_is_told(monkeypatch):
    def without(command, folder, **more):
        renamed = ["no-such-solver" if word == "yices" else word for word in command]
        return run_tool(renamed, folder, **more)

    monkeypatch.setattr(prover, "run_tool", without)
    with pytest.raises(
        ToolError, match="yosys-smtbmc: must come to an answer, but its last line is: "
    ):
        proven(BELOW_SIX)


def test_a_solver_that_dies_as_it_starts_is_asked_again(monkeypatch):
    runs = []

    def dies_first(command, folder, **more):
        if command[0] == "yosys-smtbmc":
            runs.append(command)
            if runs.count(command) == 1:
                raise FailedRunError("yosys-smtbmc", "BrokenPipeError", "BrokenPipeError")
        return run_tool(command, folder, **more)

    monkeypatch.setattr(prover, "run_tool", dies_first)
    assert proven(BELOW_SIX)["below_six"].result == PROVEN
    assert len({*map(tuple, runs)}) == 3  # induction, first cycles, cover
    assert all(runs.count(command) > 1 for command in runs)


def below(name, limit, **more):
    return Property(
        name=name, text=name, claim=lambda it: it.claim(it.port("count") < limit), **more
    )


def test_a_memory_whose_first_words_are_not_found_is_no_proof(monkeypatch, tmp_path):
    """Yosys might write them in another form: all would then begin with its words at power-up."""
    memory = COUNTER_VERILOG.replace(
        "endmodule",
        "reg [1:0] ram [0:3]; initial ram[0] = 0; initial ram[1] = 0; initial ram[2] = 0;"
        "initial ram[3] = 0; always @(posedge clk) ram[count[1:0]] <= 1;"
        "wire [1:0] word = ram[0]; endmodule",
    )
    claim = Property(name="word", text="word", claim=lambda it: it.claim(it.inside("word", 2) < 2))
    write_problems(tmp_path, "counter", memory, harness, [claim])
    monkeypatch.setattr(prover, "_FIRST_WORD", re.compile("^no such line$", re.M))
    with pytest.raises(AssertionError, match="first words of"):
        write_problems(tmp_path, "counter", memory, harness, [claim])


def test_each_property_has_a_problem_of_its_own(tmp_path):
    one = below("six", 6)
    other = below("seven", 7, lemmas=(one,))
    write_problems(tmp_path, "counter", COUNTER_VERILOG, harness, [one, other])
    alone, resting = ((tmp_path / f"{name}.smt2").read_text() for name in ("six", "seven"))
    assert alone.count("yosys-smt2-assert ") == resting.count("yosys-smt2-assert ") == 1
    # A lemma is assumed.
    assert alone.count("yosys-smt2-assume ") + 1 == resting.count("yosys-smt2-assume ")


def test_facts_are_assumptions_of_the_module_with_its_ports():
    text = facts_rtlil("counter", COUNTER_VERILOG, harness(), [below("six", 6), below("seven", 7)])
    assert f"module \\{FACTS}\n" in text
    assert text.count("cell $assume") == 2
    assert "cell $assert" not in text
    for name in ("clk", "rst", "step", "count", "wrapped"):
        assert f"\\{name}\n" in text


COUNTERS = """
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
LOST = COUNTERS.replace("if (rst) kept <= 3'd2; else if", "if")
OTHER = COUNTERS.replace("if (rst) kept <= 3'd2;", "if (rst) kept <= 3'd3;")


def counters():
    return Harness("counter", {"step": 1, "at": 2}, {"count": 3, "word": 4, "fixed": 4})


def outcome(verilog, claim):
    one = Property(name="one", text="one", claim=lambda it: it.claim(claim(it)))
    (found,) = prove("counter", verilog, counters, [one])
    return found.result


def test_a_proof_begins_with_any_registers_and_a_reset():
    def below_six(it):
        return it.port("count") < 6

    assert outcome(COUNTERS, below_six) == PROVEN
    assert outcome(LOST, below_six) == FAILED


def test_a_proof_begins_with_any_words_of_memories_that_are_written():
    assert outcome(COUNTERS, lambda it: (it.port("word") == 0) | (it.port("word") == 3)) == FAILED
    assert outcome(COUNTERS, lambda it: it.port("fixed") == 5) != FAILED


@pytest.mark.parametrize("verilog", [LOST, OTHER])
def test_a_register_without_its_reset_is_named(verilog):
    assert [(one.path, one.is_reset) for one in registers("counter", COUNTERS)] == [
        ("gate_0", False),
        ("kept", True),
    ]
    assert (prove_reset("counter", COUNTERS).result, prove_reset("counter", COUNTERS).reason) == (
        PROVEN,
        "",
    )
    found = prove_reset("counter", verilog)
    assert (found.name, found.result, found.reason) == ("reset", FAILED, "not kept")


def test_assertions_that_synthesis_would_see_are_left_out():
    """Those of a mutant, whose Verilog Yosys wrote."""
    asserting = COUNTERS.replace("endmodule", "always @(posedge clk) assert (kept < 6);\nendmodule")
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
