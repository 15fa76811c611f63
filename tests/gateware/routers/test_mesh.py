"""Gates against the rule, wherever the routing can bring a packet."""

import pytest
from knotwork import Mesh, Network
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.gateware.routers.mesh import ROUTE_COMPUTATIONS
from knotwork.routing import routings_of
from routes import disagreements

NETWORKS = [
    *(Network(Mesh(x=x, y=y)) for x, y in [(2, 2), (2, 3), (4, 4), (5, 8)]),
    Network(Mesh(x=4, y=3), virtual_channels=3),
]
LARGE = [Network(Mesh(x=16, y=9))]


def name(network):
    return f"{network.name}_vc{network.routing.virtual_channels}"


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("mesh").keys()


@pytest.fixture(scope="module")
def compared():
    return disagreements(NETWORKS, FactorRoute)


@pytest.mark.parametrize("number", range(len(NETWORKS)), ids=lambda number: name(NETWORKS[number]))
def test_the_gates_are_the_rule_at_every_input(compared, number):
    comparisons, different = compared[number]
    assert different == 0
    assert comparisons >= NETWORKS[number].topology.nodes ** 2


@pytest.mark.slow
@pytest.mark.parametrize("network", LARGE, ids=name)
def test_the_gates_of_large_networks_are_the_rule(network):
    ((comparisons, different),) = disagreements([network], FactorRoute).values()
    assert different == 0
    assert comparisons >= network.topology.nodes**2
