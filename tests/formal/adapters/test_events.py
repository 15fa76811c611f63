"""An event crossing is proven at any order of clock edges; faults of it are found."""

import pytest
from helpers.proven import component_outcomes
from knotwork.formal import PROVEN
from knotwork.formal.adapters import ADAPTER_PROOFS

PROOFS = ADAPTER_PROOFS["event_crossing"]


def test_an_event_crossing_is_proven_without_a_bound():
    assert component_outcomes(PROOFS()) == dict.fromkeys(["once", "soon"], (PROVEN, ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        # A pulse that is not counted; a counter that crosses in binary; two pulses told as one.
        ("count + {2'b00, i}", "count + {2'b00, i & ~(&count)}", "once"),
        ("following ^ {1'b0, following[2:1]}", "following ^ 3'b000", "once"),
        ("told <= told + 3'b001", "told <= told + 3'b010", "once"),
        ("o <= ahead", "o <= ahead & ~o", "once"),
    ],
)
def test_a_fault_is_found(before, after, name):
    result, _ = component_outcomes(PROOFS(), before, after)[name]
    assert result != PROVEN
