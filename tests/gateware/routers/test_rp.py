"""Gates against the rule, wherever the routing can bring a packet."""

import pytest
from knotwork import Network, Rp
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.gateware.routers.rp import ROUTE_COMPUTATIONS
from knotwork.routing import routings_of
from routes import disagreements

NETWORKS = [
    Network(Rp(k=k, petersen_code=code)) for k in (1, 2, 3, 5, 8, 12) for code in ("index", "word")
]


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("rp").keys()


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_the_gates_are_the_rule_at_every_input(network):
    ((comparisons, different),) = disagreements([network], FactorRoute).values()
    assert different == 0
    assert comparisons >= network.topology.nodes**2
