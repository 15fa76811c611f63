from knotwork.gateware.parts.route import HighestDifference
from knotwork.gateware.routers.moebius import ROUTE_COMPUTATIONS
from knotwork.routing import routings_of

# That they decide as the rule does is shown in tests/gateware/parts/test_route.py.


def test_every_routing_has_its_gates():
    built = {name for name, r in routings_of("moebius").items() if r.unbuildable is None}
    assert ROUTE_COMPUTATIONS.keys() == built


def test_the_default_looks_at_the_highest_difference():
    assert ROUTE_COMPUTATIONS[next(iter(routings_of("moebius")))] is HighestDifference
