"""A crossing is proven for any order of its clocks' edges; faults of it are found."""

import re

import pytest
from knotwork.formal import FAILED, PROVEN
from knotwork.formal.adapters import crossing_verilog, prove_crossing


def test_a_crossing_is_proven_without_a_bound():
    assert {one.name: one.result for one in prove_crossing()} == {
        "pointers": PROVEN,
        "words": PROVEN,
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "other"),
    [
        # Full one word late; a pointer that crosses in binary; a word read at the wrong place.
        (r"assign w_rdy = ~w_full", "assign w_rdy = 1'b1"),
        (r"\^ \{1'b0, produce_w_nxt\[2:1\]\}", "^ 3'b000"),
        (r"assign r_port_addr = consume_r_nxt", "assign r_port_addr = consume_r_bin"),
    ],
)
def test_a_fault_is_found(pattern, other):
    text, count = re.subn(pattern, other, crossing_verilog())
    assert count == 1, "no such place"
    assert FAILED in {one.result for one in prove_crossing(text)}
