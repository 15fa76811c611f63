"""Nets that cross borders are ports, in the order of the component's members."""

from amaranth.hdl import Fragment
from knotwork.emit.writer.crossings import find_ports, members
from knotwork.emit.writer.design import Reader, fix_undriven, prune

from .toy import Toy


def test_ports_are_those_of_the_signature():
    toy = Toy()
    reader = Reader()
    top = reader.part(Fragment.get(toy, None).prepare().fragment, ())
    ins = [reader.nets.of(one) for one in (toy.i.as_value(), toy.go)]
    outs = [reader.nets.of(one) for one in (toy.o, toy.kind)]
    fix_undriven(top, [top.clk, top.rst, *ins], outs)
    prune(top, outs)
    found = find_ports(top, reader.nets, [top.clk, top.rst, *ins], outs, [*ins, *outs])
    (inner,) = top.children
    assert [*members(inner.component, reader.nets).values()] == ["i", "sum", "interface"]
    assert [net.name for net in found[inner].inputs] == ["i"]
    assert [net.name for net in found[inner].outputs] == ["sum", "interface"]
    assert found[top].inputs[-2:] == ins
