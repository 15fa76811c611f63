"""A node's guards are proven for clocks that stop and resets at any time; faults are found."""

import pytest
from helpers.proven import component_outcomes
from knotwork.formal import PROVEN
from knotwork.formal.adapters import ADAPTER_PROOFS

PROPERTIES = {
    "injection_guard": ["beats", "packets", "cuts"],
    "ejection_guard": ["beats", "packets", "drops"],
}


@pytest.mark.parametrize("guard", PROPERTIES)
def test_a_guard_is_proven_without_a_bound(guard):
    found = component_outcomes(ADAPTER_PROOFS[guard]())
    assert found == dict.fromkeys(PROPERTIES[guard], (PROVEN, ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("guard", "before", "after", "name"),
    [
        # The rest of a packet that was cut goes on as another one.
        ("injection_guard", "skips <= 1'b1", "skips <= 1'b0", "packets"),
        # A packet of a clock that stopped stays open.
        ("injection_guard", "(flushed | (stopped &", "(flushed | (1'b0 & stopped &", "packets"),
        # Not told; closed with another user's bit.
        ("injection_guard", "cut <= breaks", "cut <= breaks & ~flushed", "cuts"),
        ("injection_guard", "{kept_data[5], 5'h10}", "{1'b0, 5'h10}", "packets"),
        # The rest of a packet is a packet; after a reset the next packet is dropped.
        ("injection_guard", "skips & i_valid & i_payload_last", "skips & i_valid", "packets"),
        ("injection_guard", "if (flushed) skips <= 1'b0;", "", "packets"),
        # A beat is overwritten; a beat that is open after it has left is forgotten.
        ("injection_guard", "~skips & ~ends & (~full | o_ready);", "~skips & ~ends;", "beats"),
        ("injection_guard", "full ? ~kept_last : begun", "begun", "packets"),
        # The middle of a packet follows its end.
        ("ejection_guard", "rest <= drops & ~i_payload_last", "rest <= 1'b0", "packets"),
        ("ejection_guard", "else if (down & in_packet)", "else if (flushed & in_packet)",
         "packets"),
        # A closing beat has the source of the packet that waits; there is none.
        ("ejection_guard", "kept_source,  // source", "i_payload_source,", "packets"),
        ("ejection_guard", "if (begun & drops) ends <= 1'b1;", "", "packets"),
        # The plane waits; what is dropped without its last beat is not told.
        ("ejection_guard", "i_ready = drops |", "i_ready = rest |", "beats"),
        ("ejection_guard", "dropped <= drops & i_valid", "dropped <= down & i_valid", "drops"),
    ],
)  # fmt: skip
def test_a_fault_is_found(guard, before, after, name):
    result, _ = component_outcomes(ADAPTER_PROOFS[guard](), before, after)[name]
    assert result != PROVEN
