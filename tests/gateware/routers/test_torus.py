"""Gates against the rule, wherever the routing can bring a packet."""

import pytest
from knotwork import Network, Torus
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.gateware.routers.torus import ROUTE_COMPUTATIONS
from knotwork.routing import routings_of
from routes import disagreements

SIDES = [(2, 2), (2, 3), (3, 2), (4, 4), (5, 8), (8, 6), (7, 7), (16, 9)]
NETWORKS = [
    *(Network(Torus(x=x, y=y)) for x, y in SIDES),
    *(Network(Torus(x=x, y=y, ring_code="johnson")) for x, y in [(2, 4), (8, 6), (16, 10)]),
    Network(Torus(x=5, y=4), virtual_channels=1),
    Network(Torus(x=4, y=5), virtual_channels=4),
]


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("torus").keys()


@pytest.mark.parametrize(
    "network", NETWORKS, ids=lambda n: f"{n.name}_vc{n.routing.virtual_channels}"
)
def test_the_gates_are_the_rule_at_every_input(network):
    ((comparisons, different),) = disagreements([network], FactorRoute).values()
    assert different == 0
    assert comparisons >= network.topology.nodes**2
