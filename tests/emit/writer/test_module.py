"""Text of one module: names, fields, pins, memories."""

from knotwork.emit.modules import module_verilog

from .toy import shell

INNER, TOP = module_verilog(shell(), "toy").split("endmodule\n")[:2]


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
    assert "for (word = 0; word < 4; word = word + 1)" in TOP
    assert "words[word] = 4'b0000;" in TOP
    assert "words[place] <= inner_sum;" in TOP
