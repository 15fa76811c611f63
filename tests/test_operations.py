"""Operations that a user writes: what is refused, and how ports of a Verilog module are read."""

import sys
from types import ModuleType

import pytest
from helpers.operations import Average, ComplexAdd, SaturatingAdd
from knotwork import UserOperation
from knotwork.errors import ConfigurationError
from knotwork.operations import (
    VerilogPort,
    operation_ports,
    require_elements,
    require_sound_operation,
    verilog_ports,
    verilog_wrapper,
)


def of(base=Average, **members):
    """Operation of a test, with other members than another one."""
    return type("Mine", (base,), {"name": "mine", **members})


def refused(check, *arguments):
    with pytest.raises(ConfigurationError) as refusal:
        check(*arguments)
    return str(refusal.value)


@pytest.mark.parametrize("kind", [SaturatingAdd, ComplexAdd, Average])
def test_operations_of_the_tests_are_sound(kind):
    require_sound_operation(kind, "tests")
    require_elements(kind, 16)


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (3, "file.py: must name a class of UserOperation, not 3"),
        (UserOperation, "file.py: must name a subclass of UserOperation, not the class"),
        (
            of(name="Mine"),
            "file.py: an operation's name must be 1 to 32 of a-z, 0-9 and _, the first of a-z, not "
            "'Mine'",
        ),
        (of(latency=65), "user:mine: latency must be an integer in 0..64, not 65"),
        (of(latency=True), "user:mine: latency must be an integer in 0..64, not True"),
        (of(latency="2"), "user:mine: latency must be an integer in 0..64, not '2'"),
        (
            of(verilog="a.v"),
            "user:mine: an operation must have either gates, in Amaranth, or verilog, not both",
        ),
        (
            of(UserOperation),
            "user:mine: an operation must have either gates, in Amaranth, or verilog, not none",
        ),
    ],
)
def test_what_is_no_operation_is_refused(kind, line):
    assert refused(require_sound_operation, kind, "file.py") == line


def subtract(one, other, width):
    return (one - other) % (1 << width)


def average(one, other, width):
    del width
    return (one + other) // 2


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (of(ComplexAdd), "user:mine: element_width must be one of 16, 32, not 8"),
        (
            of(combine=staticmethod(lambda one, other, _: one + other)),
            "user:mine: combine(0x1, 0xff, 8) must be an integer in 0..0xff, not 256",
        ),
        (
            of(combine=staticmethod(lambda *_: 1.0)),
            "user:mine: combine(0x0, 0x0, 8) must be an integer in 0..0xff, not 1.0",
        ),
        (
            of(combine=staticmethod(lambda one, other, _: other // one)),
            "user:mine: combine(0x0, 0x0, 8) must be an element, but raised ZeroDivisionError: "
            "integer division or modulo by zero",
        ),
        (
            of(combine=staticmethod(subtract), any_order=True),
            "user:mine: combine must not depend on the order of elements with any_order, not give "
            "0xff of 0x0 and 0x1, and 0x1 of 0x1 and 0x0",
        ),
        (
            of(combine=staticmethod(average), any_order=True),
            "user:mine: combine must not depend on the order of elements with any_order, not give "
            "0x1 or 0x0 of 0x0, 0x0 and 0x2",
        ),
    ],
)
def test_a_function_that_does_not_combine_elements_is_refused(kind, line):
    assert refused(require_elements, kind, 8) == line


MODULE = (
    "module mine (input clk, enable, input [7:0] one, other, output reg [7:0] result); endmodule"
)


def in_verilog(text, **members):
    return of(
        UserOperation,
        verilog="mine.v",
        _source=text,
        combine=staticmethod(lambda one, other, _: one & other),
        **{"latency": 1, **members},
    )


@pytest.mark.parametrize(
    ("text", "members", "line"),
    [
        (
            MODULE.replace("mine", "yours"),
            {},
            "mine.v must have a module mine, not none",
        ),
        (
            MODULE.replace("one,", "first,"),
            {},
            "module mine must have an input of 8 bits one, not none",
        ),
        (
            MODULE.replace("[7:0] one", "[8:1] one").replace("[7:0] result", "[8:0] result"),
            {},
            "module mine must have an output of 8 bits result, not an output of 9 bits",
        ),
        (
            MODULE.replace("output", "input"),
            {},
            "module mine must have an output of 8 bits result, not an input of 8 bits",
        ),
        (
            MODULE.replace("enable,", ""),
            {},
            "module mine must have an input of 1 bit enable, not none",
        ),
        (
            MODULE.replace("enable,", "enable, more,"),
            {},
            "module mine must have no input but one, other, result, clk, enable, not more",
        ),
        (MODULE, {"latency": 0}, "module mine must have no input but one, other, result, not clk"),
        (
            MODULE,
            {"ports": {"sum": "y"}},
            "ports must be named for some of one, other, result, clk, enable, rst, valid, not for "
            "'sum'",
        ),
    ],
)
def test_ports_of_a_verilog_module_that_do_not_fit_are_refused(text, members, line):
    require_elements(in_verilog(MODULE), 8)
    assert refused(require_elements, in_verilog(text, **members), 8) == f"user:mine: {line}"


def test_a_file_that_is_missing_is_refused():
    combine = staticmethod(lambda one, other, _: one | other)
    kind = of(UserOperation, verilog="nothing.v", combine=combine)
    assert "nothing.v: must be a readable Verilog file" in refused(require_elements, kind, 8)


def test_a_file_is_read_again_and_its_text_stays_when_it_is_gone(tmp_path, monkeypatch):
    module = ModuleType("mine")
    module.__file__ = str(tmp_path / "mine.py")
    monkeypatch.setitem(sys.modules, "mine", module)
    combine = staticmethod(lambda one, other, _: one | other)
    kind = of(UserOperation, verilog="mine.v", combine=combine, latency=1, __module__="mine")
    for text in (MODULE, f"// changed\n{MODULE}"):
        (tmp_path / "mine.v").write_text(text)
        require_elements(kind, 8)
        assert kind.source() == text
    (tmp_path / "mine.v").write_text(MODULE.replace("enable", "en"))
    assert refused(require_elements, kind, 8).endswith("an input of 1 bit enable, not none")
    (tmp_path / "mine.v").unlink()
    assert "input clk, en," in kind.source()


def test_ports_are_read_from_all_forms_of_headers():
    text = """
    // module m (input wrong);
    module m #(parameter W = 8, parameter D = 2*W) (
      input wire clk, /* input wrong, */
      (* keep *) input signed [W-1:0] a, b,
      output reg [D+1:0] c,
      inout d,
      input logic [$clog2(W)-1:0] e
    ); endmodule
    module n (x, y, z);
      localparam W = 4'd4;
      input x; input [W:1] y;
      output [7:0] z; reg [7:0] z;
    endmodule
    """
    assert verilog_ports(text, "m", {"W": 4}) == {
        "clk": VerilogPort("input", 1),
        "a": VerilogPort("input", 4),
        "b": VerilogPort("input", 4),
        "c": VerilogPort("output", 10),
        "d": VerilogPort("inout", 1),
        "e": VerilogPort("input", None),
    }
    assert verilog_ports(text, "n", {}) == {
        "x": VerilogPort("input", 1),
        "y": VerilogPort("input", 4),
        "z": VerilogPort("output", 8),
    }
    assert verilog_ports(text, "o", {}) is None


def test_a_module_is_placed_by_its_own_names():
    pins = operation_ports(ComplexAdd)
    assert pins == {
        "one": "a",
        "other": "b",
        "result": "y",
        "clk": "clk",
        "enable": "ce",
        "rst": "rst",
        "valid": "given",
    }
    ports = {"clk": 1, "rst": 1, "one": 32, "other": 32, "enable": 1, "valid": 1, "result": 32}
    lines = [*verilog_wrapper(ComplexAdd, 32, "wrapped", ports)]
    assert "  complex_adder #(.HALF(16)) operation (" in lines
    assert "  input [31:0] one," in lines
    placed = "\n".join(lines)
    for pin in (".a(one)", ".b(other)", ".y(result)", ".ce(enable)", ".given(valid)"):
        assert placed.count(pin) == 1
