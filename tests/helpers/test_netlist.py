import numpy as np
import pytest
from amaranth.hdl import Cat, Module, Mux, Signal
from helpers.netlist import Netlist


def test_arithmetic_of_all_inputs_at_once():
    a, b, less = Signal(4, name="a"), Signal(4, name="b"), Signal(name="less")
    total, chosen = Signal(5, name="total"), Signal(6, name="chosen")
    m = Module()
    m.d.comb += [
        total.eq(a + b),
        less.eq(a < b),
        chosen.eq(Cat(Mux(less, a, ~b), a[0] ^ b[3], 1)),
    ]
    left, right = np.indices((16, 16))
    found = Netlist(m, [a, b, total, less, chosen]).evaluate(a=left, b=right)
    assert found.keys() == {"total", "less", "chosen"}
    assert (found["total"] == left + right).all()
    assert (found["less"] == (left < right)).all()
    mixed = np.where(left < right, left, 15 - right) | ((left & 1) ^ (right >> 3)) << 4 | 32
    assert (found["chosen"] == mixed).all()


def test_a_table_with_default_and_constant_outputs():
    key, value, nine = Signal(3, name="key"), Signal(8, name="value"), Signal(4, name="nine")
    table = {0: 17, 3: 255, 6: 1}
    m = Module()
    m.d.comb += nine.eq(9)
    with m.Switch(key):
        for number, entry in table.items():
            with m.Case(number):
                m.d.comb += value.eq(entry)
    found = Netlist(m, [key, value, nine]).evaluate(key=np.arange(8))
    assert found["value"].tolist() == [table.get(number, 0) for number in range(8)]
    assert found["nine"] == 9


def test_a_register_is_refused():
    a, b = Signal(2, name="a"), Signal(2, name="b")
    m = Module()
    m.d.sync += b.eq(a)
    with pytest.raises(AssertionError, match="the logic must have no loop and no register"):
        Netlist(m, [a, b]).evaluate(a=np.arange(4), clk=np.zeros(4, int), rst=np.zeros(4, int))


def test_a_loop_is_refused():
    netlist = Netlist(Module(), [Signal(name="a")])
    a, b, y = 2, 3, 4
    netlist.ports = {"a": [a], "y": [y]}
    netlist.cells = [
        {"type": "$_AND_", "connections": {"A": [a], "B": [b], "Y": [y]}},
        {"type": "$_NOT_", "connections": {"A": [y], "Y": [b]}},
    ]
    with pytest.raises(AssertionError, match="the logic must have no loop and no register"):
        netlist.evaluate(a=np.arange(2))
