"""Gates against the rule, wherever the routing can bring a packet."""

import pytest
from helpers.routes import assert_gates_are_the_rule, channels_named, slow
from knotwork import Network, Rp
from knotwork.gateware.networks.rp import ROUTE_COMPUTATIONS
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.routing import routings_of

NETWORKS = [
    Network(Rp(k=k, petersen_code=code)) for k, code in [(1, "index"), (2, "word"), (3, "index")]
]
LARGE = [Network(Rp(k=k, petersen_code=code)) for k in (4, 5, 8, 12) for code in ("index", "word")]


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("rp").keys()


@pytest.mark.parametrize("network", [*NETWORKS, *slow(LARGE)], ids=channels_named)
def test_the_gates_are_the_rule_at_every_input(network):
    assert_gates_are_the_rule(network, FactorRoute)
