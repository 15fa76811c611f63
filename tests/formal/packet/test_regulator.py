"""A regulator is proven for all rates of beats; faults are found."""

import pytest
from helpers.proven import component_outcomes
from knotwork.formal import PROVEN
from knotwork.formal.packet.regulator import regulator_proofs


def test_a_regulator_is_proven_without_a_bound():
    found = component_outcomes(regulator_proofs())
    assert found == dict.fromkeys(["rate", "whole", "passes"], (PROVEN, ""))


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        # A packet begins with a bucket that is not full; a beat goes without a token.
        ("missing == 4'b0000", "missing <= 4'b0101", "whole"),
        ("missing <= 4'b1010", "missing <= 4'b1011", "rate"),
        # A packet is interrupted while its beats are not taken.
        ("i_valid & opens", "i_valid & opens & (o_ready | ~in_packet)", "whole"),
    ],
)
def test_a_fault_of_a_regulator_is_found(before, after, name):
    result, _ = component_outcomes(regulator_proofs(), before, after)[name]
    assert result != PROVEN
