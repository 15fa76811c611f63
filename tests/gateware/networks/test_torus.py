"""Gates against the rule, wherever the routing can bring a packet."""

import pytest
from helpers.routes import assert_gates_are_the_rule, channels_named, slow
from knotwork import Network, Torus
from knotwork.gateware.networks.torus import ROUTE_COMPUTATIONS
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.routing import routings_of

NETWORKS = [
    *(Network(Torus(x=x, y=y)) for x, y in [(2, 2), (2, 3), (4, 3), (5, 6)]),
    *(Network(Torus(x=x, y=y, ring_code="johnson")) for x, y in [(2, 4), (6, 4)]),
    *(Network(Torus(x=x, y=y, directions="one")) for x, y in [(2, 3), (5, 4)]),
    Network(Torus(x=6, y=4, directions="one", ring_code="johnson")),
    Network(Torus(x=5, y=4), virtual_channels=1),
    Network(Torus(x=4, y=2, z=3)),
    Network(Torus(x=3, y=2, z=4, directions="one")),
    Network(Torus(x=3, y=2), virtual_channels=4),
]
LARGE = [
    *(Network(Torus(x=x, y=y)) for x, y in [(8, 6), (7, 7), (16, 9)]),
    *(Network(Torus(x=x, y=y, ring_code="johnson")) for x, y in [(8, 6), (16, 10)]),
    Network(Torus(x=4, y=5), virtual_channels=4),
    Network(Torus(x=5, y=4, z=5)),
    Network(Torus(x=4, y=6, z=4, ring_code="johnson")),
]


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("torus").keys()


@pytest.mark.parametrize("network", [*NETWORKS, *slow(LARGE)], ids=channels_named)
def test_the_gates_are_the_rule_at_every_input(network):
    assert_gates_are_the_rule(network, FactorRoute)
