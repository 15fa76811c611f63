"""Modules of a whole component."""

import re

import pytest
from helpers.reference import prove_equal, reference
from knotwork.emit.modules import module_verilog
from knotwork.errors import ToolError

from .toy import Inner, shell

TEXT = module_verilog(shell(), "gate")


def test_it_is_what_amaranth_makes_of_it():
    prove_equal(reference(shell()), TEXT)


def test_a_fault_in_it_would_be_found():
    broken = TEXT.replace("place <= place + 2'b01", "place <= place + 2'b11")
    assert broken != TEXT
    with pytest.raises(ToolError, match="unproven"):
        prove_equal(reference(shell()), broken)


def test_each_module_tells_what_it_is_and_where():
    assert re.findall(r"^module (\w+)", TEXT, re.MULTILINE) == ["gate_inner", "gate"]
    comment = TEXT.partition("module gate_inner")[0]
    assert "// Sum, and the fields of what comes.\n// Latency: 0 cycles.\n" in comment
    assert f"// Place: gate.inner; in Python {Inner.__module__}.Inner." in comment
    assert "// Toy with a memory.\n// Latency: 1 cycle from i to o.\n" in TEXT
