from amaranth.lib.wiring import In, Out
from knotwork import Moebius, Network, WkRecursive
from knotwork.gateware import eject_layout, flit_layout, inject_layout, link_signature


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
    members = link_signature(network).members
    assert members["valid"] == Out(3)
    assert members["ready"] == In(3)
    assert members["flit"] == Out(flit_layout(network))
