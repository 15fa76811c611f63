import pytest
from knotwork import Hypercube, Lcan, Network
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork_boards.selftest import SELF_TESTS, self_test_of
from knotwork_boards.selftest.batch.node_test import BatchNodeTest
from knotwork_boards.selftest.circuit.node_test import CircuitNodeTest
from knotwork_boards.selftest.packet.node_test import PacketNodeTest


def test_every_router_class_has_an_entry():
    assert set(SELF_TESTS) == set(ROUTER_PARAMETERS)


@pytest.mark.parametrize(
    ("network", "kind"),
    [
        (Network(Hypercube(n=2)), PacketNodeTest),
        (Network(Lcan(d=2, u=2, levels=2)), CircuitNodeTest),
        (Network(Hypercube(n=2), routing="lc1"), BatchNodeTest),
    ],
)
def test_a_network_gets_the_node_test_of_its_router_class(network, kind):
    assert type(self_test_of(network).node_test(network)) is kind
