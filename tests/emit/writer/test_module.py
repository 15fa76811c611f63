"""Text of modules: equal to what Amaranth makes of them, and as an engineer writes it."""

import re

import pytest
from helpers.reference import prove_equal, reference
from knotwork.emit.modules import module_verilog
from knotwork.errors import ToolError

from .toy import Inner, shell

TEXT = module_verilog(shell(), "toy")
GATE = module_verilog(shell(), "gate")
INNER, TOP = TEXT.split("endmodule\n")[:2]


def test_ports_are_in_the_heading_clock_and_reset_first():
    head = TOP.partition("module toy (\n")[2].partition(");")[0].split(",\n")
    assert [line.strip() for line in head[:4]] == [
        "input clk",
        "input rst",
        "input [3:0] i_flit",
        "input go",
    ]


def test_nets_between_modules_bear_instance_and_port():
    assert ".i(i_flit)" in TOP
    assert "wire [3:0] inner_sum;" in TOP
    assert ".sum(inner_sum)" in TOP
    assert ".interface_(inner_interface)" in TOP


def test_fields_have_names():
    assert "wire [2:0] i_low = i[2:0];" in INNER
    assert "assign interface_ = i_mark;" in INNER


def test_a_memory_begins_in_a_loop():
    assert "for (words_word = 0; words_word < 4; words_word = words_word + 1)" in TOP
    assert "words[words_word] = 4'b0000;" in TOP
    assert "words[place] <= inner_sum;" in TOP


def test_it_is_what_amaranth_makes_of_it():
    prove_equal(reference(shell()), GATE)


def test_a_fault_in_it_would_be_found():
    broken = GATE.replace("place <= place + 2'b01", "place <= place + 2'b11")
    assert broken != GATE
    with pytest.raises(ToolError, match="unproven"):
        prove_equal(reference(shell()), broken)


def test_each_module_tells_what_it_is():
    assert re.findall(r"^module (\w+)", GATE, re.MULTILINE) == ["gate_inner", "gate"]
    comment = GATE.partition("module gate_inner")[0]
    assert "// Sum, and the fields of what comes.\n// Latency: 0 cycles.\n" in comment
    assert f"// In Python: {Inner.__module__}.Inner.\n" in comment
    assert "// Toy with a memory.\n// Latency: 1 cycle from i to o.\n" in GATE


def test_nets_that_are_only_other_names_stand_once():
    for name in ("into", "out_of_addr", "words_addr", "inner_i;"):
        assert name not in TEXT
    assert "words[place]" in TEXT


def test_registers_have_one_block_with_their_reset():
    assert "    if (rst) begin\n      place <= 2'b01;\n    end else begin\n" in TEXT
    assert "      if (go) place <= place + 2'b01;\n" in TEXT


def test_a_choice_of_many_ways_is_a_case_in_a_function_of_all_that_it_reads():
    head = "  function [1:0] kind_of(input [1:0] arg_way);\n    begin\n      kind_of = 2'b00;\n"
    assert f"{head}      case (arg_way)\n        2'b00: kind_of = 2'b10;\n" in TEXT
    assert "    end\n  endfunction\n  assign kind = kind_of(way);\n" in TEXT
    assert not re.search(r"^ *always @\*", TEXT, re.MULTILINE)


def test_only_simulators_see_assertions():
    guarded = TEXT.partition("`ifndef SYNTHESIS\n")[2].partition("`endif")[0]
    assert '$display("toy: a place must be there");' in guarded
    assert TEXT.count("assert (") == guarded.count("assert (") == 1


def test_assertions_wait_for_the_end_of_the_reset():
    guarded = "  always @(posedge clk) if (!rst) begin\n    if (!place_must_be_there) $display("
    assert guarded in TEXT
