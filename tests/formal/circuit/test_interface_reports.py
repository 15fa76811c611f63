"""What an interface reports of its circuits: faults that the proof finds."""

import pytest
from helpers.proven import sees

SMALL = "lcan d=2 u=1 levels=2 data_width=8 max_packet=2 cycle=adaptive"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        # It forgets the packet that comes; it stays active for ever after a refusal.
        ("offering | receiving,", "offering,", "reports"),
        ("awaited <= level <= 3'b010", "awaited <= 1'b1", "reports"),
        # A sample of another level may come while the next network cycle begins.
        ("assign sample = offering & |", "assign sample = |", "injection"),
    ],
)
def test_a_fault_of_the_reports_is_found(before, after, breaks):
    assert sees(SMALL, "interface", before, after, breaks)
