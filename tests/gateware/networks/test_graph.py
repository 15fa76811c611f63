"""Gates of a graph: tables of what was made."""

import pytest
from knotwork import Graph, GraphFile, Network
from knotwork.gateware.networks.graph import ROUTE_COMPUTATIONS
from knotwork.gateware.parts.network_routes import route_computation
from knotwork.gateware.parts.table_route import TableRoute
from knotwork.routing import routings_of

WHEEL = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 0), (4, 2)]


@pytest.mark.parametrize("routing", ROUTE_COMPUTATIONS)
def test_tables_tell_the_ways(routing):
    network = Network(Graph(file=GraphFile.of(WHEEL)), routing=routing)
    assert route_computation(network) is TableRoute


def test_every_routing_has_its_gates():
    assert ROUTE_COMPUTATIONS.keys() == routings_of("graph").keys()
