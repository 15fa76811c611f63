"""Gates against the rule, wherever the routing can bring a packet."""

import pytest
from helpers.routes import assert_gates_are_the_rule, channels_named
from knotwork import Network, Petersen
from knotwork.gateware.networks.petersen import ROUTE_COMPUTATIONS
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.routing import routings_of

NETWORKS = [
    *(Network(Petersen(petersen_code=code)) for code in ("index", "word")),
    Network(Petersen(), virtual_channels=1),
    Network(Petersen(), virtual_channels=4),
]


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("petersen").keys()


@pytest.mark.parametrize("network", NETWORKS, ids=channels_named)
def test_the_gates_are_the_rule_at_every_input(network):
    assert_gates_are_the_rule(network, FactorRoute)
