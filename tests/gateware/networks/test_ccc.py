"""Gates against the rule, wherever the routing can bring a packet.

`line_sweeps` itself is tested in tests/routing/test_ccc.py.
"""

import pytest
from helpers.routes import disagreements
from knotwork import CubeConnectedCycles, Network
from knotwork.gateware.networks.ccc import EXCHANGES, ROUTE_COMPUTATIONS, SEQUENCERS, UnicastRoute
from knotwork.routing import routings_of

NETWORKS = [Network(CubeConnectedCycles(n=n)) for n in range(2, 7)]
NETWORKS += [Network(CubeConnectedCycles(n=n), virtual_channels=1) for n in (3, 6)]
NETWORKS += [Network(CubeConnectedCycles(n=4), virtual_channels=4)]


@pytest.fixture(scope="module")
def compared():
    return disagreements(NETWORKS, UnicastRoute)


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() | EXCHANGES.keys() == routings_of("ccc").keys()
    assert EXCHANGES.keys() == SEQUENCERS.keys()


@pytest.mark.parametrize(
    "number",
    range(len(NETWORKS)),
    ids=lambda number: f"{NETWORKS[number].name}_vc{NETWORKS[number].routing.virtual_channels}",
)
def test_the_gates_are_the_rule_at_every_input(compared, number):
    comparisons, different = compared[number]
    assert different == 0
    assert comparisons >= NETWORKS[number].topology.nodes ** 2


def test_a_wrong_decision_is_seen():
    class NeverTheShorterWay(UnicastRoute):
        def _is_forward_shorter(self, m, *, swept):
            return ~super()._is_forward_shorter(m, swept=swept)

    ((_, different),) = disagreements(NETWORKS[2:3], NeverTheShorterWay).values()
    assert different > 0
