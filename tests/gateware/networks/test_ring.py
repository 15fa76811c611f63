"""Gates against the rule, wherever the routing can bring a packet."""

import pytest
from helpers.routes import assert_gates_are_the_rule, channels_named, slow
from knotwork import Network, Ring
from knotwork.gateware.networks.ring import ROUTE_COMPUTATIONS
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.routing import routings_of

NETWORKS = [
    *(Network(Ring(n=n)) for n in (2, 3, 5, 8)),
    *(Network(Ring(n=n, directions="one")) for n in (2, 5)),
    Network(Ring(n=6), virtual_channels=1),
]
LARGE = [Network(Ring(n=33)), Network(Ring(n=32, directions="one"))]


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("ring").keys()


@pytest.mark.parametrize("network", [*NETWORKS, *slow(LARGE)], ids=channels_named)
def test_the_gates_are_the_rule_at_every_input(network):
    assert_gates_are_the_rule(network, FactorRoute)
