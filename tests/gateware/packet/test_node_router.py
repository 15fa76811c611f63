import pytest
from helpers.streams import run
from knotwork import Hypercube, Moebius, Network
from knotwork.gateware.layouts import link_signature
from knotwork.gateware.packet.node_router import NodeRouter


@pytest.mark.parametrize("network", [Network(Hypercube(n=3)), Network(Moebius(n=2))])
def test_has_a_node_and_a_link_per_port_and_leaves_the_rest_to_its_kinds(network):
    (kind,) = network.router_kinds
    router = NodeRouter(network, kind, link_signature(network))
    assert (len(router.i), len(router.o)) == (len(kind.ports) - 1,) * 2
    assert router.kind is kind
    with pytest.raises(NotImplementedError):
        run(router)
