"""Fragments as parts, and what has no Verilog."""

import pytest
from amaranth.hdl import ClockDomain, Fragment, Module, Signal
from knotwork.emit.writer.design import Reader
from knotwork.errors import ConfigurationError

from .toy import Toy


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


def test_a_falling_edge_is_refused():
    m, count = Module(), Signal(4)
    m.domains.other = ClockDomain(clk_edge="neg")
    m.d.other += count.eq(count + 1)
    fragment = Fragment.get(m, None).prepare().fragment
    with pytest.raises(ConfigurationError, match="not a falling edge, of clock other"):
        Reader().part(fragment, ())
