"""A mesochronous crossing is proven for all phases and wander; faults of it are found."""

import re

import pytest
from knotwork.formal import FAILED, PROVEN
from knotwork.formal.adapters import mesochronous_verilog, prove_mesochronous


@pytest.mark.slow
def test_a_mesochronous_crossing_is_proven_without_a_bound():
    found = {one.name: one.result for one in prove_mesochronous()}
    assert found == dict.fromkeys(("rings", "counts", "words"), PROVEN)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "other", "where"),
    [
        # Read a cycle later or two sooner; a place too many; a word read where one is written.
        (r"place <= 3'b101", "place <= 3'b110", "rings"),
        (r"place <= 3'b101", "place <= 3'b011", "rings"),
        (r"owed <= 3'b100", "owed <= 3'b101", "counts"),
        (r"words\[taken\]", "words[put]", "words"),
    ],
)
def test_a_fault_is_found(pattern, other, where):
    text, count = re.subn(pattern, other, mesochronous_verilog())
    assert count > 0, "no such place"
    assert next(one.name for one in prove_mesochronous(text) if one.result == FAILED) == where
