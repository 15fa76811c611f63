"""What nothing reads is left out; what nothing drives has its initial value."""

import pytest
from amaranth.hdl import ClockDomain, Fragment, Module, Signal
from knotwork.emit.modules import module_verilog
from knotwork.emit.writer.design import Part, Reader, fix_undriven, prune
from knotwork.emit.writer.terms import Bits, Constant, Net

from .toy import Toy, shell


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


def test_a_fragment_becomes_parts():
    fragment = Fragment.get(Toy(), None).prepare().fragment
    part = Reader().part(fragment, ())
    assert [child.path for child in part.all()] == [("inner",), ()]
    assert [memory.name for memory in part.memories] == ["words"]


def test_a_second_clock_is_refused():
    m, count = Module(), Signal(4)
    m.domains.other = ClockDomain()
    m.d.other += count.eq(count + 1)
    fragment = Fragment.get(m, None).prepare().fragment
    with pytest.raises(NotImplementedError, match="a second clock domain, in Verilog"):
        Reader().part(fragment, ())
