"""Statements: what they drive and read, and when they are told as expressions."""

from amaranth.hdl import Module, Signal
from knotwork.emit.writer.statements import (
    StatementLowering,
    driven,
    is_expression,
    moved,
    only,
    read,
    sets,
    value_of,
    without_itself,
)
from knotwork.emit.writer.terms import (
    Bits,
    Constant,
    Net,
    chosen,
    compared,
    invert,
    joined,
)
from knotwork.emit.writer.values import Nets


def refuse(term):
    raise AssertionError(term)


def lowered(m, *signals):
    """Statements of a module, their lowering, and the nets of signals."""
    nets = Nets()
    lowering = StatementLowering(nets, refuse)
    found = lowering.statements(m.elaborate(None).statements["comb"])
    m._MustUse__used = True
    return found, lowering, [nets.of(one) for one in signals]


def test_what_statements_drive_and_read():
    m = Module()
    go, x, y = Signal(name="go"), Signal(2, name="x"), Signal(2, name="y")
    with m.If(go):
        m.d.comb += [x.eq(1), y.eq(2)]
    with m.Else():
        m.d.comb += x.eq(y)
    found, _, (go, x, y) = lowered(m, go, x, y)
    assert {*driven(found)} == {x, y}
    assert {*read(found)} == {go, y}
    assert {*driven(only(found, {y}))} == {y}
    other = Net("other", 2)
    assert {*driven(moved(found, x, other))} == {other, y}


def test_a_net_has_a_value_without_the_statements_too():
    m, go, x = Module(), Signal(name="go"), Signal(2, name="x")
    with m.If(go):
        m.d.comb += x.eq(1)
    found, lowering, (go, x) = lowered(m, go, x)
    start = Constant(2, 2)
    assert sets(found) == 1
    assert value_of(found, x, start, lowering) == chosen(Bits(1, go), Constant(2, 1), start)


def by_state(count=4):
    """x is 1 in the second of `count` states, 3 in the last, and 0 in the others."""
    m, state, x = Module(), Signal(2, name="state"), Signal(2, name="x")
    with m.Switch(state):
        for value in range(count):
            with m.Case(value):
                if value in (1, count - 1):
                    m.d.comb += x.eq(1 if value == 1 else 3)
    return lowered(m, state, x)


def test_ways_that_change_nothing_are_left_out():
    found, lowering, (state, x) = by_state()
    state = Bits(2, state)
    second = compared("==", state, Constant(2, 1))
    last = compared("==", state, Constant(2, 3))
    none = Constant(2, 0)
    expected = chosen(second, Constant(2, 1), chosen(last, Constant(2, 3), none))
    assert value_of(found, x, none, lowering) == expected


def test_what_asks_for_registers_alone_is_an_expression():
    found, _, (state, x) = by_state()
    assert is_expression(found, [state])
    assert not is_expression(found, [x])


def test_bits_of_a_net_that_the_net_reads_are_what_drives_them():
    i, x = Net("i", 2), Net("x", 4)
    term = joined([Bits(2, i), invert(Bits(2, x))])
    assert without_itself(x, term, refuse) == joined([Bits(2, i), invert(Bits(2, i))])


def test_what_more_than_wires_drives_and_loops_stay():
    i, x = Net("i", 2), Net("x", 4)
    terms = [
        joined([invert(Bits(2, i)), invert(Bits(2, x))]),
        joined([Bits(2, x, 2), Bits(2, x)]),
        invert(Bits(4, x)),
    ]
    for term in terms:
        assert without_itself(x, term, refuse) == term
