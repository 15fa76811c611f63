"""Fragments as parts, whose nets that cross borders are ports."""

from amaranth.hdl import ClockDomain, Fragment, Module, Signal
from knotwork.emit.modules import module_verilog
from knotwork.emit.writer.crossings import find_ports, fix_undriven, members, prune
from knotwork.emit.writer.design import Reader
from knotwork.emit.writer.parts import Part
from knotwork.emit.writer.terms import Bits, Constant, Net

from .toy import Toy, shell


def test_a_fragment_becomes_parts():
    fragment = Fragment.get(Toy(), None).prepare().fragment
    part = Reader().part(fragment, ())
    assert [child.path for child in part.all()] == [("inner",), ()]
    assert [memory.name for memory in part.memories] == ["words"]


def test_each_clock_has_its_registers():
    m, count, other = Module(), Signal(4), Signal(4)
    m.domains.sync = ClockDomain()
    m.domains.other = ClockDomain(async_reset=True)
    m.d.sync += count.eq(count + 1)
    m.d.other += other.eq(other + count)
    reader = Reader()
    part = reader.part(Fragment.get(m, None).prepare().fragment, ())
    assert {name: [*one.registers] for name, one in part.domains.items()} == {
        "sync": [reader.nets.of(count)],
        "other": [reader.nets.of(other)],
    }
    assert [one.is_asynchronous for one in part.domains.values()] == [False, True]


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
    assert [*members(inner.component, reader.nets).values()] == ["i", "sum", "interface", "code"]
    assert [net.name for net in found[inner].inputs] == ["i"]
    assert [net.name for net in found[inner].outputs] == ["sum", "interface", "code"]
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
