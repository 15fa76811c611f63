"""Gates against the rules, wherever unicasts and broadcasts can come."""

import pytest
from helpers.branches import branch_disagreements
from helpers.routes import disagreements
from knotwork import Network, Tcpg
from knotwork.gateware.networks.tcpg import (
    BRANCH_COMPUTATIONS,
    ROUTE_COMPUTATIONS,
    AddressBranch,
    TtlBranch,
)
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.routing import routings_of

CODED = [
    Tcpg(k=1, m=2, petersen_code="index", ring_code="binary"),
    Tcpg(k=2, m=1, petersen_code="word", ring_code="johnson"),
]
LARGE = [
    Tcpg(k=2, m=3, petersen_code="index", ring_code="johnson"),
    Tcpg(k=2, m=3, petersen_code="word", ring_code="binary"),
]
UNICAST = [
    *(Network(tcpg, broadcast="no") for tcpg in CODED),
    Network(Tcpg(k=1, m=2, petersen_code="word"), broadcast="no", virtual_channels=1),
]
LARGE_UNICAST = [
    *(Network(tcpg, broadcast="no") for tcpg in (*LARGE, Tcpg(k=1, m=1), Tcpg(k=2, m=2))),
    *(Network(Tcpg(k=k, m=1), broadcast="no", virtual_channels=4) for k in (1, 2)),
]
BROADCASTING = [
    Network(tcpg, broadcast=rule) for rule in ("ttl", "address") for tcpg in (CODED[1], LARGE[0])
]
LARGE_BROADCASTING = [
    Network(tcpg, broadcast=rule)
    for rule in ("ttl", "address")
    for tcpg in (CODED[0], LARGE[1], Tcpg(k=1, m=1), Tcpg(k=3, m=2))
]


def those(few, large):
    """Networks of a test, the large ones among the slow."""
    return [*few, *(pytest.param(network, marks=pytest.mark.slow) for network in large)]


def name(network):
    return f"{network.name}_{network.routing.options.broadcast}_{network.routing.virtual_channels}"


def test_every_rule_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("tcpg").keys()
    assert BRANCH_COMPUTATIONS.keys() == Network(Tcpg(k=1, m=1)).routing.broadcasts.keys()


@pytest.mark.parametrize("network", those(UNICAST, LARGE_UNICAST), ids=name)
def test_the_gates_are_the_rule_at_every_input(network):
    ((comparisons, different),) = disagreements([network], FactorRoute).values()
    assert different == 0
    assert comparisons >= network.topology.nodes**2


@pytest.mark.parametrize("network", those(BROADCASTING, LARGE_BROADCASTING), ids=name)
def test_the_gates_branch_as_the_rule_says(network):
    component = BRANCH_COMPUTATIONS[network.routing.options.broadcast]
    comparisons, different = branch_disagreements(network, component)
    assert different == 0
    assert comparisons >= network.topology.nodes


def test_a_wrong_way_is_seen():
    class Backwards(FactorRoute):
        def _way(self, m, place, here, there):
            return super()._way(m, place, there, here)

    ((_, different),) = disagreements([Network(Tcpg(k=1, m=2))], Backwards).values()
    assert different > 0


@pytest.mark.parametrize("branch", [TtlBranch, AddressBranch])
def test_a_run_too_long_is_seen(branch):
    class Endless(branch):
        def _goes_on(self, turn, place):
            return super()._goes_on(turn, place) | (turn.output_port > 5)

    rule = "ttl" if branch is TtlBranch else "address"
    network = Network(Tcpg(k=2, m=2), broadcast=rule)
    assert branch_disagreements(network, Endless)[1] > 0
