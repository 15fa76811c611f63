"""Nets have their values from time 0 on, whether or not what they depend on ever changes."""

import shutil
import subprocess
from functools import partial

import pytest
from amaranth.hdl import Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from knotwork.emit.modules import Shell, module_verilog

pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")


class Square(wiring.Component):
    """Square of a number of two bits, from a table; and the highest bit that is 1, or 3."""

    def __init__(self):
        super().__init__({"number": In(2), "four": In(4), "square": Out(4), "highest": Out(2)})

    def elaborate(self, platform):
        m = Module()
        with m.Switch(self.number):
            for value in range(4):
                with m.Case(value):
                    m.d.comb += self.square.eq(value**2)
        m.d.comb += self.highest.eq(3)
        for place in range(4):
            with m.If(self.four[place]):
                m.d.comb += self.highest.eq(place)
        return m


class Squares(wiring.Component):
    """Squares of a constant, of a register that keeps its value, and of an input."""

    def __init__(self):
        super().__init__({"i": In(2), "tied": Out(6), "kept": Out(6), "free": Out(6)})

    def elaborate(self, platform):
        m = Module()
        register = Signal(2, init=2)
        m.d.sync += register.eq(register)
        for name, number in (("tied", Const(3, 2)), ("kept", register), ("free", self.i)):
            m.submodules[f"of_{name}"] = one = Square()
            m.d.comb += one.number.eq(number)
            m.d.comb += one.four.eq(number)
            m.d.comb += getattr(self, name)[:4].eq(one.square)
            m.d.comb += getattr(self, name)[4:].eq(one.highest)
        return m


BENCH = """
module bench;
  wire [5:0] tied, kept, free;
  squares squares (.clk(1'b0), .rst(1'b0), .i(2'b01), .tied(tied), .kept(kept), .free(free));
  initial #0 #0 $display("%b %b %b", tied, kept, free);
endmodule
"""


def test_what_never_changes_has_a_value(tmp_path):
    squares = Squares()
    shell = Shell(squares)
    shell.input("i", squares.i)
    for name in ("tied", "kept", "free"):
        shell.output(name, getattr(squares, name))
    (tmp_path / "squares.v").write_text(module_verilog(shell, "squares"))
    (tmp_path / "bench.v").write_text(BENCH)
    run = partial(subprocess.run, cwd=tmp_path, check=True, capture_output=True, text=True)
    run(["iverilog", "-g2012", "-o", "bench", "squares.v", "bench.v"])
    # The highest bit of 3 is 1, that of 2 is 1, and that of 1 is 0; their squares are 9, 4 and 1.
    assert run(["vvp", "-n", "bench"]).stdout == "011001 010100 000001\n"
