"""Nets that cross borders are ports, in the order of the component's members."""

from amaranth.hdl import Fragment
from knotwork.emit.modules import module_verilog
from knotwork.emit.writer.crossings import find_ports, fix_undriven, members, prune
from knotwork.emit.writer.design import Reader
from knotwork.emit.writer.parts import Part
from knotwork.emit.writer.terms import Bits, Constant, Net

from .toy import Toy, shell


def test_ports_are_those_of_the_signature():
    toy = Toy()
    reader = Reader()
    top = reader.part(Fragment.get(toy, None).prepare().fragment, ())
    ins = [reader.nets.of(one) for one in (toy.i.as_value(), toy.go)]
    outs = [reader.nets.of(one) for one in (toy.o, toy.kind)]
    fix_undriven(top, [*top.clocks, *ins], outs)
    prune(top, outs)
    found = find_ports(top, reader.nets, [*top.clocks, *ins], outs, [*ins, *outs])
    (inner,) = top.children
    assert [*members(inner.component, reader.nets).values()] == ["i", "sum", "interface"]
    assert [net.name for net in found[inner].inputs] == ["i"]
    assert [net.name for net in found[inner].outputs] == ["sum", "interface"]
    assert found[top].inputs[-2:] == ins


def test_what_nothing_reads_is_left_out():
    assert "unread" not in module_verilog(shell(), "toy")
    out, used, unused = Net("out", 1), Net("used", 1), Net("unused", 1)
    part = Part((), None)
    part.assigned = {out: Bits(1, used), used: Constant(1, 1), unused: Constant(1, 0)}
    prune(part, [out])
    assert list(part.assigned) == [out, used]


def test_what_nothing_drives_has_its_initial_value():
    out, lost = Net("out", 2), Net("lost", 2, init=3)
    part = Part((), None)
    part.assigned = {out: Bits(2, lost)}
    fix_undriven(part, [], [out])
    assert part.assigned[lost] == Constant(2, 3)
