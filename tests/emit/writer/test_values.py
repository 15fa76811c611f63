"""Amaranth's values as terms of exact widths."""

import pytest
from amaranth.hdl import Cat, Const, Mux, Signal
from amaranth.lib import data
from knotwork.emit.writer.printing import BREAK, Printer
from knotwork.emit.writer.values import Lowering, Nets

A, B, GO = Signal(4, name="a"), Signal(2, name="b"), Signal(name="go")


def refuse(term):
    raise AssertionError(term)


def text(value, width=None):
    def bits(found):
        high = found.low + found.width - 1
        return found.net.name + ("" if found.is_complete else f"[{high}:{found.low}]")

    lowering = Lowering(Nets(), refuse)
    term = lowering.term(value, len(value) if width is None else width)
    return Printer(bits).text(term).replace(BREAK, " ")


@pytest.mark.parametrize(
    ("value", "width", "expected"),
    [
        (A + B, None, "{1'b0, a} + {3'b000, b}"),
        (A + B, 4, "a + {2'b00, b}"),
        (A == B, None, "a == {2'b00, b}"),
        (Mux(GO, A, B), None, "go ? a : {2'b00, b}"),
        (Mux(GO, 1, 0), None, "go"),
        (Cat(A[0:2], A[2:4]), None, "a"),
        ((A & 3)[0:2], None, "a[1:0]"),
        (A >> 2, None, "{2'b00, a[3:2]}"),
        (A << 1, 5, "{a, 1'b0}"),
        (A % Const(4, 3), None, "{1'b0, a[1:0]}"),
        (Cat(GO, GO, GO), None, "{3{go}}"),
        (~A.any(), None, "~|a"),
        (A.bit_select(B, 1), None, "a[b]"),
        (B.as_signed(), 4, "{{2{b[1:1]}}, b}"),
    ],
)
def test_values_are_as_wide_as_they_are_wanted(value, width, expected):
    assert text(value, width) == expected


def test_fields_are_those_of_the_layout():
    inner = data.StructLayout({"x": 1, "y": 2})
    view = Signal(data.StructLayout({"low": 3, "pair": inner}), name="flit")
    net = Nets().of(view.as_value())
    assert net.fields == [("low", 0, 3), ("pair", 3, 3), ("pair_x", 3, 1), ("pair_y", 4, 2)]
