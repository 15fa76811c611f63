"""Gates against the rule, wherever the routing can bring a packet.

The rules themselves are tested in tests/routing/test_wk.py.
"""

import pytest
from helpers.routes import disagreements
from knotwork import Network, WkRecursive
from knotwork.gateware.networks.wk import ROUTE_COMPUTATIONS, ShortestRoute, UnicastRoute
from knotwork.routing import routings_of

SIZES = [(2, 1), (2, 4), (3, 1), (3, 3), (5, 2)]
LARGE = [(2, 2), (3, 2), (3, 4), (4, 3)]


def maker(routing):
    def made(w, levels, **keys):
        return Network(WkRecursive(w=w, levels=levels), routing=routing, **keys)

    return made


def networks(routing):
    """All sizes with channels to spare; few channels; lanes."""
    made = maker(routing)
    found = [made(w, levels) for w, levels in SIZES]
    found += [made(w, levels, virtual_channels=1) for w, levels in ((3, 3), (4, 2))]
    found += [made(3, 3, virtual_channels=2), made(3, 2, virtual_channels=4)]
    return [*found, made(3, 3, broadcast="no")]


NETWORKS = {routing: networks(routing) for routing in ("unicast", "shortest")}


@pytest.fixture(scope="module")
def compared():
    return {
        routing: disagreements(NETWORKS[routing], ROUTE_COMPUTATIONS[routing])
        for routing in NETWORKS
    }


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("wk").keys()


@pytest.mark.parametrize(
    ("routing", "number"),
    [(routing, number) for routing in NETWORKS for number in range(len(NETWORKS[routing]))],
)
def test_the_gates_are_the_rule_at_every_input(compared, routing, number):
    comparisons, different = compared[routing][number]
    assert different == 0
    assert comparisons >= NETWORKS[routing][number].topology.nodes ** 2


@pytest.mark.slow
@pytest.mark.parametrize("size", [*LARGE, (5, 3)])
@pytest.mark.parametrize("routing", NETWORKS)
def test_the_gates_of_large_networks_are_the_rule(routing, size):
    network = maker(routing)(*size)
    ((comparisons, different),) = disagreements([network], ROUTE_COMPUTATIONS[routing]).values()
    assert different == 0
    assert comparisons >= network.topology.nodes**2


def test_a_path_without_the_third_subnetwork_is_seen():
    class NeverPassing(ShortestRoute):
        def _passing(self, m, direct, differs):
            return direct

    network = Network(WkRecursive(w=3, levels=3), routing="shortest")
    ((_, different),) = disagreements([network], NeverPassing).values()
    # 18 pairs have a longer path by self-routing; at their sources another digit is chosen.
    assert different == 18


def test_a_flit_that_only_climbs_is_seen():
    class Climbing(UnicastRoute):
        def _from_mate(self, m):
            return super()._from_mate(m) | {(0, 0): 0}

    network = Network(WkRecursive(w=3, levels=2))
    ((_, different),) = disagreements([network], Climbing).values()
    assert different > 0
