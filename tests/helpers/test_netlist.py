import numpy as np
import pytest
from amaranth.hdl import Cat, Module, Mux, Signal
from helpers.netlist import Netlist


def test_logic_of_all_inputs_at_once():
    a, b, less = Signal(4, name="a"), Signal(4, name="b"), Signal(name="less")
    total, chosen = Signal(5, name="total"), Signal(6, name="chosen")
    value = Signal(8, name="value")
    m, table = Module(), {0: 17, 3: 255, 6: 1}
    with m.Switch(a):
        for number, entry in table.items():
            with m.Case(number):
                m.d.comb += value.eq(entry)
    m.d.comb += [
        total.eq(a + b),
        less.eq(a < b),
        chosen.eq(Cat(Mux(less, a, ~b), a[0] ^ b[3], 1)),
    ]
    left, right = np.indices((16, 16))
    found = Netlist(m, [a, b, total, less, chosen, value]).evaluate(a=left, b=right)
    assert found.keys() == {"total", "less", "chosen", "value"}
    assert (found["total"] == left + right).all()
    assert (found["less"] == (left < right)).all()
    mixed = np.where(left < right, left, 15 - right) | ((left & 1) ^ (right >> 3)) << 4 | 32
    assert (found["chosen"] == mixed).all()
    assert found["value"][:, 0].tolist() == [table.get(number, 0) for number in range(16)]


def test_a_register_is_refused():
    a, b = Signal(2, name="a"), Signal(2, name="b")
    m = Module()
    m.d.sync += b.eq(a)
    with pytest.raises(AssertionError, match="the logic must have no loop and no register"):
        Netlist(m, [a, b]).evaluate(a=np.arange(4), clk=np.zeros(4, int), rst=np.zeros(4, int))
