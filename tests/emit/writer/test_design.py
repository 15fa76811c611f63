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


def test_a_second_clock_is_refused():
    m, count = Module(), Signal(4)
    m.domains.other = ClockDomain()
    m.d.other += count.eq(count + 1)
    fragment = Fragment.get(m, None).prepare().fragment
    with pytest.raises(ConfigurationError, match="not registers in clock domain other"):
        Reader().part(fragment, ())
