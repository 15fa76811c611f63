"""The unroller is proven, and faults that the proof finds."""

import pytest
from helpers.faults import changing
from knotwork.formal import FAILED, PROVEN
from knotwork_soc.formal.buses.unroller import PROPERTIES, prove_unroller


def test_it_is_proven():
    found = {one.name: (one.result, one.reason) for one in prove_unroller()}
    assert found == {one.name: (PROVEN, "") for one in PROPERTIES}


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        # The second beat of an unaligned burst is unaligned, too.
        ("(here | {10'd0, low}) + 12'd1", "here + {10'd0, low} + 12'd1", "addresses"),
        # Bursts that stay do not.
        ("i_payload_burst == 2'b00 ?", "i_payload_burst == 2'b11 ?", "addresses"),
        # A burst wraps at twice its length.
        ("<< i_payload_size[1:0]", "<< (i_payload_size[1:0] + 3'd1)", "addresses"),
        ("o_payload_last ? 4'b0000 : number", "1'b0 ? 4'b0000 : number", "beats"),
    ],
)
def test_a_fault_is_found(before, after, name):
    changed = changing(before, after, places=None)
    found = {one.name: one.result for one in prove_unroller(changed)}
    assert found[name] == FAILED
