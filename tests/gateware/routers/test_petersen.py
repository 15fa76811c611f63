"""Gates against the rule, wherever the routing can bring a packet."""

import pytest
from knotwork import Network, Petersen
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.gateware.routers.petersen import ROUTE_COMPUTATIONS
from knotwork.routing import routings_of
from routes import disagreements

NETWORKS = [
    *(Network(Petersen(petersen_code=code)) for code in ("index", "word")),
    Network(Petersen(), virtual_channels=1),
    Network(Petersen(), virtual_channels=4),
]


def name(network):
    return f"{network.name}_vc{network.routing.virtual_channels}"


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("petersen").keys()


@pytest.fixture(scope="module")
def compared():
    return disagreements(NETWORKS, FactorRoute)


@pytest.mark.parametrize("number", range(len(NETWORKS)), ids=lambda number: name(NETWORKS[number]))
def test_the_gates_are_the_rule_at_every_input(compared, number):
    comparisons, different = compared[number]
    assert different == 0
    assert comparisons >= NETWORKS[number].topology.nodes ** 2
