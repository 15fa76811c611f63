from knotwork.gateware.networks.hypercube import EXCHANGES, ROUTE_COMPUTATIONS, SEQUENCERS
from knotwork.gateware.parts.route import HighestDifference
from knotwork.routing import routings_of

# That they decide as the rule does is shown in tests/gateware/parts/test_route.py; that batches go
# as theirs does, in tests/sim/model/batch/test_model.py.


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() | EXCHANGES.keys() == routings_of("hypercube").keys()
    assert EXCHANGES.keys() == SEQUENCERS.keys()


def test_the_default_looks_at_the_highest_difference():
    assert ROUTE_COMPUTATIONS[next(iter(routings_of("hypercube")))] is HighestDifference
