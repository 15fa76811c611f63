"""Components of every router class, and their layouts."""

import pytest
from amaranth.hdl import Fragment
from amaranth.lib.wiring import In, Out
from knotwork import Moebius, Network, WkRecursive
from knotwork.gateware import eject_layout, flit_layout, inject_layout, local_signature
from knotwork.gateware.router_classes import ROUTER_GATEWARE, gateware_of, outside_ports

WORDS = {
    "packet": "hypercube:n=2",
    "circuit": "lcan:d=2,u=2,levels=2",
    "batch": "hypercube:n=2,routing=lc1",
    "deflection": "hypercube:n=2,router=deflection",
}


@pytest.mark.parametrize("name", ROUTER_GATEWARE)
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


@pytest.mark.parametrize("name", ROUTER_GATEWARE)
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


def test_layouts_have_the_networks_widths():
    network = Network(Moebius(n=5), data_width=24, virtual_channels=3)
    widths = {
        layout: {name: field.width for name, field in layout(network)}
        for layout in (flit_layout, inject_layout, eject_layout)
    }
    assert widths == {
        flit_layout: {"data": 24, "last": 1, "destination": 5, "source": 5},
        inject_layout: {"data": 24, "last": 1, "destination": 5},
        eject_layout: {"data": 24, "last": 1, "source": 5},
    }


def test_a_label_that_is_wider_than_an_address_widens_flits_alone():
    # Addresses of 3 bits; stacks of two entries of two bits.
    network = Network(WkRecursive(w=2, levels=3), broadcast="stack")
    assert dict(flit_layout(network))["destination"].width == 4
    assert dict(flit_layout(network))["source"].width == 3
    assert dict(inject_layout(network))["destination"].width == 3
    assert dict(eject_layout(network))["source"].width == 3


def test_a_link_has_a_bit_a_virtual_channel():
    network = Network(Moebius(n=5), virtual_channels=3)
    members = local_signature(network).members
    assert members["valid"] == Out(3)
    assert members["ready"] == In(3)
    assert members["flit"] == Out(flit_layout(network))
