"""Packets that a PE's interface sends: faults that the proofs find."""

import pytest
from helpers.proven import sees

SMALL = "lcan d=2 u=1 levels=2 data_width=8 max_packet=2"


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("assign ends = ", "assign ends = (offering & control_sample) | ", "injection"),
        ("offered ? header_1", "offering ? header_1", "offers"),
    ],
)
def test_a_fault_of_an_interface_is_found(before, after, breaks):
    assert sees(SMALL, "interface", before, after, breaks)
