"""Blocks: registers with their reset, choices of many ways, assertions for simulators."""

from knotwork.emit.modules import module_verilog

from .toy import shell

TEXT = module_verilog(shell(), "toy")


def test_registers_have_one_block_with_their_reset():
    assert "    if (rst) begin\n      place <= 2'b01;\n    end else begin\n" in TEXT
    assert "      if (go) place <= place + 2'b01;\n" in TEXT


def test_a_choice_of_many_ways_is_a_case():
    assert "    case (way)\n      2'b00: kind = 2'b10;\n" in TEXT


def test_only_simulators_see_assertions():
    guarded = TEXT.partition("`ifndef SYNTHESIS\n")[2].partition("`endif")[0]
    assert '$display("toy: a place must be there");' in guarded
    assert TEXT.count("assert (") == guarded.count("assert (") == 1
