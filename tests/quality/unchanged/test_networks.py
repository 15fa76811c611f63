from knotwork.network import Network
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.routing import routings_of
from knotwork.topology import TOPOLOGIES
from quality.unchanged.networks import NETWORKS

MADE = [Network.from_words(words.split()) for words in NETWORKS]


def test_every_network_and_every_routing_is_there():
    routings = {(network.topology.name, network.parameters["routing"]) for network in MADE}
    known = {(name, one) for name in TOPOLOGIES for one in routings_of(name)}
    assert known - routings == {("graph", one) for one in routings_of("graph")}  # made of files


def test_every_router_class_and_option_is_there():
    assert {network.router_class for network in MADE} == set(ROUTER_PARAMETERS)
    assert any(network.has_parity for network in MADE)
    assert any(network.has_multicast for network in MADE)
    assert any(network.has_broadcast for network in MADE)
    assert any(not network.has_source for network in MADE)
    assert any(network.sequence_width for network in MADE)
    assert {network.cycles_per_hop for network in MADE} == {1, 2}
