"""Gates against the rule, wherever the routing can bring a packet."""

import pytest
from helpers.routes import assert_gates_are_the_rule, channels_named, slow
from knotwork import Mesh, Network
from knotwork.gateware.networks.mesh import ROUTE_COMPUTATIONS
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.routing import routings_of

NETWORKS = [
    *(Network(Mesh(x=x, y=y)) for x, y in [(2, 2), (2, 3), (4, 4), (5, 8)]),
    Network(Mesh(x=4, y=3), virtual_channels=3),
    Network(Mesh(x=2, y=3, z=3)),
    Network(Mesh(x=1, y=3, z=2)),
]
LARGE = [Network(Mesh(x=16, y=9)), Network(Mesh(x=4, y=3, z=4))]


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("mesh").keys()


@pytest.mark.parametrize("network", [*NETWORKS, *slow(LARGE)], ids=channels_named)
def test_the_gates_are_the_rule_at_every_input(network):
    assert_gates_are_the_rule(network, FactorRoute)
