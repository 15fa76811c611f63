"""Gates of Valiant's routing against its rule, at every router and for every label."""

import pytest
from helpers.routes import disagreements
from knotwork import Network
from knotwork.gateware.parts.network_routes import route_computation
from knotwork.gateware.parts.table_route import TableRoute
from knotwork.gateware.parts.valiant_route import ValiantRoute

WORDS = (
    *("mesh:x=3,y=2", "torus:x=3,y=3", "hypercube:n=3", "moebius:n=3", "ccc:n=3"),
    *("wk:w=3,levels=2", "mesh:x=2,y=2,virtual_channels=4", "mesh:x=3,y=2,dead=0-1"),
)


@pytest.mark.parametrize("word", WORDS)
def test_gates_decide_as_the_rule_does(word):
    network = Network.from_word(f"{word},routing=valiant")
    kind = TableRoute if "dead" in word else ValiantRoute
    assert issubclass(route_computation(network), kind)
    compared, different = disagreements({word: network})[word]
    assert compared > 100
    assert different == 0
