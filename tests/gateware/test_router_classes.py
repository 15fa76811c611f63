"""Every router class makes its components, with the ports that a network connects."""

import pytest
from amaranth.hdl import Fragment
from amaranth.lib.wiring import In, Out
from knotwork import Network
from knotwork.gateware.router_classes import ROUTER_GATEWARE, gateware_of, outside_ports
from knotwork.parameters import ROUTER_PARAMETERS

WORDS = {
    "packet": "hypercube:n=2",
    "circuit": "lcan:d=2,u=2,levels=2",
    "batch": "hypercube:n=2,routing=lc1",
    "deflection": "hypercube:n=2,router=deflection",
}


def test_every_router_class_is_registered():
    assert ROUTER_GATEWARE.keys() == ROUTER_PARAMETERS.keys() == WORDS.keys()


@pytest.mark.parametrize("name", WORDS)
def test_a_class_makes_routers_with_the_links_of_their_kind(name):
    network = Network.from_word(WORDS[name])
    gateware = gateware_of(network)
    assert gateware is ROUTER_GATEWARE[name]
    for kind in network.router_kinds:
        router = gateware.router(network, kind)
        assert router.kind is kind
        assert len(router.i) == len(router.o) == len(kind.ports) - 1
        assert gateware.constants(network, kind.router).keys() <= router.signature.members.keys()
        Fragment.get(router, None)


@pytest.mark.parametrize("name", WORDS)
def test_a_node_is_served_by_its_router_or_by_an_interface(name):
    network = Network.from_word(WORDS[name])
    gateware = gateware_of(network)
    if gateware.interface is None:
        server = gateware.router(network, network.router_kinds[0])
    else:
        server = gateware.interface(network)
    members = server.signature.members
    assert (members["inject"].flow, members["eject"].flow) == (In, Out)
    Fragment.get(server, None)


def test_only_batches_add_ports_to_a_network():
    added = {name: [*outside_ports(Network.from_word(word))] for name, word in WORDS.items()}
    assert added == {"packet": [], "circuit": [], "batch": ["config", "status"], "deflection": []}
