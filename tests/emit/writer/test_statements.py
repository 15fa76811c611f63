"""Statements: what they drive, read, and give as an expression."""

from amaranth.hdl import Module, Signal
from knotwork.emit.writer.statements import (
    StatementLowering,
    driven,
    moved,
    only,
    read,
    sets,
    value_of,
)
from knotwork.emit.writer.terms import Bits, Constant, Net, chosen
from knotwork.emit.writer.values import Nets


def refuse(term):
    raise AssertionError(term)


def lowered():
    m = Module()
    go, x, y = Signal(name="go"), Signal(2, name="x"), Signal(2, name="y")
    with m.If(go):
        m.d.comb += [x.eq(1), y.eq(2)]
    with m.Else():
        m.d.comb += x.eq(y)
    nets = Nets()
    lowering = StatementLowering(nets, refuse)
    found = lowering.statements(m.elaborate(None).statements["comb"])
    m._MustUse__used = True
    return found, lowering, [nets.of(one) for one in (go, x, y)]


def test_what_statements_drive_and_read():
    found, _, (go, x, y) = lowered()
    assert {*driven(found)} == {x, y}
    assert {*read(found)} == {go, y}
    assert {*driven(only(found, {y}))} == {y}
    assert sets(only(found, {x})) == 2


def test_a_net_has_a_value_without_them_too():
    found, lowering, (go, x, y) = lowered()
    start = Constant(2, 0)
    expected = chosen(Bits(1, go), Constant(2, 1), Bits(2, y))
    assert value_of(only(found, {x}), x, start, lowering) == expected
    expected = chosen(Bits(1, go), Constant(2, 2), start)
    assert value_of(only(found, {y}), y, start, lowering) == expected


def test_another_net_is_driven_instead():
    found, _, (_, x, y) = lowered()
    other = Net("other", 2)
    assert {*driven(moved(found, x, other))} == {other, y}
