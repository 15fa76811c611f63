"""Gates of Valiant's routing and of ROMM against the rule, wherever a label comes."""

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


MINIMAL = (
    *(*WORDS, "mesh:x=4,y=4", "torus:x=4,y=3", "torus:x=5,y=4", "hypercube:n=4", "ring:n=7"),
    *("mesh:x=3,y=2,z=2", "moebius:n=4,twist=1", "ccc:n=4", "ccc:n=3,virtual_channels=8", "rp:k=2"),
    *("petersen:petersen_code=word", "ring:n=5,directions=one", "torus:x=3,y=3,directions=one"),
    *("wk:w=2,levels=4", "hypercube:n=5"),
)


@pytest.mark.parametrize(
    ("word", "routing"),
    [*((word, "valiant") for word in WORDS), *((word, "romm") for word in MINIMAL)],
)
def test_gates_decide_as_the_rule_does(word, routing):
    network = Network.from_word(f"{word},routing={routing}")
    kind = TableRoute if "dead" in word else ValiantRoute
    assert issubclass(route_computation(network), kind)
    compared, different = disagreements({word: network})[word]
    assert compared > 100
    assert different == 0
