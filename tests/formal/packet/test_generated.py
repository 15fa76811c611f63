"""Routers into which no table has been loaded: what is proven of them beside swaps."""

import pytest
from helpers.cases import slow
from knotwork import Network
from knotwork.formal import PROVEN, prove_part
from knotwork.formal.packet.generated import generated_parts

SMALL = "mesh x=2 y=2 data_width=8 buffer_depth=4 tables=loaded"


@pytest.mark.parametrize("words", [slow(SMALL), slow(f"{SMALL} pipeline=3")])
def test_a_router_has_the_properties_of_one_with_fixed_tables(words):
    network = Network.from_words(words.split())
    (part,) = generated_parts(network)
    results = list(prove_part(network, part, part.verilog(network, part.name)))
    assert {one.result for one in results} == {PROVEN}
    assert {"route", "crossing", "credits", "progress"} < {one.name for one in results}


@pytest.mark.parametrize("words", [f"{SMALL} classes=2", f"{SMALL} parity=yes", "mesh x=2 y=2"])
def test_others_have_no_such_part(words):
    assert generated_parts(Network.from_words(words.split())) == []
