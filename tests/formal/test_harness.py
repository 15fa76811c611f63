"""What surrounds a module in a proof."""

import re

import pytest
from helpers.cases import slow
from helpers.proven import largest_router
from helpers.toy import harness
from knotwork.formal import router_properties
from knotwork.formal.harness import Harness
from knotwork.formal.proofs import PROOFS


def test_a_wire_inside_has_one_width():
    one = harness()
    assert one.inside("kept", 3) is one.inside("kept", 3)
    with pytest.raises(ValueError, match="kept must have one width, not 3 and 2 bits"):
        one.inside("kept", 2)
    assert one.wires == ["kept"]
    one.rtlil("used")


def test_ports_without_bits_are_left_out():
    one = Harness("counter", {"step": 1, "more": 0}, {"count": 3})
    assert one.has_port("step")
    assert not one.has_port("more")
    one.rtlil("used")


def test_a_claim_is_assumed_while_others_rest_on_it():
    one = harness()
    with one.assuming():
        one.claim(one.port("count") < 6)
        one.cover(one.port("count") == 5)
    one.claim(~one.port("wrapped"))
    text = one.rtlil("one")
    kinds = [
        kind
        for kind in ("assert", "assume", "cover")
        for _ in range(text.count(f'\\FLAVOR "{kind}"'))
    ]
    assert kinds == ["assert", "assume"]


def test_a_constant_input_keeps_its_value():
    one, other = harness(), harness()
    one.constant("step")
    assert "$anyconst" in one.rtlil("one")
    assert "$anyconst" not in other.rtlil("other")


def test_a_stream_that_is_held_has_a_monitor():
    one = harness()
    one.claim_held(one.port("wrapped"), one.port("step"), one.port("count"), "counter")
    text = one.rtlil("one")
    assert "waited_counter" in text
    assert "offered_counter" in text


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
