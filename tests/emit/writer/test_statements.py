"""Statements: what they drive and read."""

from amaranth.hdl import Module, Signal
from knotwork.emit.writer.statements import (
    StatementLowering,
    driven,
    moved,
    only,
    read,
)
from knotwork.emit.writer.terms import Net
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


def test_another_net_is_driven_instead():
    found, _, (_, x, y) = lowered()
    other = Net("other", 2)
    assert {*driven(moved(found, x, other))} == {other, y}
