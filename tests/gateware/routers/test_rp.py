"""Gates against the rule, wherever the routing can bring a packet."""

import pytest
from knotwork import Network, Rp
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.gateware.routers.rp import ROUTE_COMPUTATIONS
from knotwork.routing import routings_of
from routes import disagreements

NETWORKS = [
    Network(Rp(k=k, petersen_code=code)) for k, code in [(1, "index"), (2, "word"), (3, "index")]
]
LARGE = [Network(Rp(k=k, petersen_code=code)) for k in (4, 5, 8, 12) for code in ("index", "word")]


def name(network):
    return f"{network.name}_vc{network.routing.virtual_channels}"


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("rp").keys()


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
