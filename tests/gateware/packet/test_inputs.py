import pytest
from helpers.ring import EscapingRingRouting, Ring, RingRouting
from knotwork import Hypercube, Moebius, Network
from knotwork.gateware.networks.moebius import ShortestPathRoute
from knotwork.gateware.parts.network_routes import route_computation
from knotwork.gateware.parts.route import HighestDifference
from knotwork.gateware.parts.table_route import TableRoute
from knotwork.routing.hypercube import ECube


class RenamedECube(ECube):
    """Routing of one's own, under the name of a registered one."""


@pytest.mark.parametrize(
    ("network", "gates"),
    [
        (Network(Hypercube(n=3)), HighestDifference),
        (Network(Moebius(n=3)), HighestDifference),
        (Network(Hypercube(n=3), routing=ECube), HighestDifference),
        (Network(Hypercube(n=3), routing=RenamedECube), TableRoute),
        (Network(Ring(nodes=6), routing=RingRouting), TableRoute),
        (Network(Moebius(n=3), routing="spr"), ShortestPathRoute),
    ],
)
def test_a_registered_routing_has_gates_of_its_own(network, gates):
    assert route_computation(network) is gates


@pytest.mark.parametrize(
    ("network", "gates"),
    [
        (Network(Moebius(n=3), routing="spr", vc_scheme="escape"), HighestDifference),
        (Network(Ring(nodes=6), routing=EscapingRingRouting), TableRoute),
    ],
)
def test_an_escape_has_gates_of_its_own(network, gates):
    assert route_computation(network, escape=True) is gates
