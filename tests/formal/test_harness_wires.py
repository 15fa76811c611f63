"""Harnesses of routers whose proofs are long: what they claim is of wires that exist."""

import re

import pytest
from helpers.cases import slow
from helpers.proven import largest_router
from knotwork.formal import router_properties
from knotwork.formal.proofs import PROOFS

WORDS = [
    slow("mesh x=2 y=2 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"),
    "wk w=3 levels=2 data_width=8 buffer_depth=4 pipeline=2",
]


@pytest.mark.parametrize("words", WORDS)
def test_every_property_claims_something_of_wires_that_exist(words):
    network, kind, verilog = largest_router(words)
    names, proofs = set(re.findall(r"\w+", verilog)), PROOFS[network.router_class]
    properties = router_properties(network, kind)
    assert len(properties) > 3
    for one in properties:
        harness = proofs.harness(network, kind)
        one.claim(harness)
        claimed = harness.rtlil(one.name)
        # Where the module's own assertions are claimed, the harness has none.
        assert one.claims_assertions or 'parameter \\FLAVOR "assert"' in claimed, one.name
        wires = {wire.rpartition(".")[2].partition("[")[0] for wire in harness.wires}
        assert wires - names == set(), one.name
