"""A clock watch is proven at any order of clock edges; faults of it are found."""

import pytest
from helpers.proven import component_outcomes
from knotwork.formal import PROVEN
from knotwork.formal.adapters import ADAPTER_PROOFS

PROOFS = ADAPTER_PROOFS["clock_watch"]


def test_a_clock_watch_is_proven_without_a_bound():
    assert component_outcomes(PROOFS()) == dict.fromkeys(["rises", "falls", "runs"], (PROVEN, ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        # A clock that runs is told; never told; told only after every other answer; never asked.
        ("cycles == 4'b1001", "cycles == 4'b0110", "runs"),
        ("stopped <= 1'b1", "stopped <= 1'b0", "rises"),
        ("cycles <= cycles + 4'b0001", "cycles <= cycles + {3'b000, there_cdc_there}", "rises"),
        ("there_cdc_asked <= ~there_cdc_asked", "there_cdc_asked <= there_cdc_asked", "rises"),
    ],
)
def test_a_fault_is_found(before, after, name):
    result, _ = component_outcomes(PROOFS(), before, after)[name]
    assert result != PROVEN
