"""Gates of adaptive routings against their rules, at every router and for every destination."""

import pytest
from helpers.routes import disagreements
from knotwork import Network
from knotwork.gateware.parts.adaptive_route import DifferingBits, EscapedRoute
from knotwork.gateware.parts.factors import NearerFactors
from knotwork.gateware.parts.network_routes import route_computation
from knotwork.gateware.parts.table_route import TableRoute

WORDS = (
    *(
        "mesh:x=4,y=3",
        "mesh:x=2,y=2,z=2,ways=3",
        "mesh:x=3,y=2,virtual_channels=4",
        "torus:x=4,y=3",
    ),
    *("hypercube:n=3,ways=3", "hypercube:n=3,ways=4", "moebius:n=3", "ccc:n=3", "wk:w=3,levels=2"),
    *("petersen:data_width=8", "mesh:x=3,y=3,dead=0-1"),
)


@pytest.mark.parametrize("word", WORDS)
def test_gates_decide_as_the_rule_does(word):
    network = Network.from_word(f"{word},routing=adaptive")
    compared, different = disagreements({word: network})[word]
    assert compared > 100
    assert different == 0


@pytest.mark.parametrize(
    ("word", "gates"),
    [
        ("mesh:x=3,y=3", NearerFactors),
        ("hypercube:n=3", DifferingBits),
        ("torus:x=3,y=3", TableRoute),
        ("mesh:x=3,y=3,dead=0-1", TableRoute),
    ],
)
def test_lines_and_hypercubes_have_gates_of_their_own(word, gates):
    network = Network.from_word(f"{word},routing=adaptive")
    assert route_computation(network) is gates
    escaped = route_computation(network, escape=True)
    assert issubclass(escaped, TableRoute if "dead" in word else EscapedRoute)
