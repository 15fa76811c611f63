from amaranth.hdl import Signal
from amaranth.lib.wiring import In, Out
from knotwork import Hypercube, Network
from knotwork.gateware.layouts import flit_layout
from knotwork.gateware.packet.credits import credit_signature
from knotwork.gateware.packet.credits.layouts import CELL_BITS, kept_apart
from knotwork.gateware.router_classes import gateware_of


def test_a_link_carries_flits_ahead_and_a_credit_per_channel_back():
    network = Network(Hypercube(n=3), virtual_channels=3, pipeline=2)
    members = credit_signature(network).members
    assert {name: member.flow for name, member in members.items()} == {
        "valid": Out,
        "flit": Out,
        "credit": In,
    }
    assert (members["valid"].shape, members["credit"].shape) == (3, 3)
    assert members["flit"].shape == flit_layout(network)
    assert gateware_of(network).link_signature(network) == credit_signature(network)


def test_a_ram_of_flits_is_without_the_mark_where_it_has_a_cell_less_so():
    plain, parity = (
        Network(Hypercube(n=3), virtual_channels=2, parity=parity) for parity in ("no", "yes")
    )
    for bits in range(2, 40):
        cells, without = (-(-width // CELL_BITS) for width in (bits, bits - 1))
        assert bool(kept_apart(plain, Signal(bits))) == (without < cells)
        assert not kept_apart(parity, Signal(bits))
