"""Every bit of a bus has a name of its standard; widths that no standard has are refused."""

import pytest
from amaranth.hdl import Value
from amaranth.lib import wiring
from knotwork.errors import ConfigurationError
from knotwork.gateware.buses.bus_kinds import BUS_KINDS, bus_signals, require_width
from knotwork.system import BusParameters

BUS = BusParameters(address_width=40, data_width=32, id_width=4)


@pytest.mark.parametrize("name", BUS_KINDS)
def test_signals_cover_the_members_once(name):
    kind = BUS_KINDS[name]
    interface = wiring.flipped(kind.signature(BUS).create())
    members = {}
    for path, _, value in kind.signature(BUS).flatten(interface):
        members[path] = [0] * len(Value.cast(value))
    for one in bus_signals(kind, BUS):
        for bit in range(one.offset, one.offset + one.width):
            members[one.member][bit] += 1
    assert all(count == 1 for bits in members.values() for count in bits)


@pytest.mark.parametrize(
    ("name", "width", "text"),
    [
        ("axi_lite", 16, "bus: data_width must be 32 or 64 for AXI4-Lite, not 16"),
        ("wishbone", 128, "bus: data_width must be 8, 16, 32 or 64 for Wishbone, not 128"),
        ("apb", 64, "bus: data_width must be 8, 16 or 32 for APB, not 64"),
    ],
)
def test_widths_that_the_standards_do_not_have_are_refused(name, width, text):
    with pytest.raises(ConfigurationError) as refused:
        require_width(BUS_KINDS[name], BusParameters(data_width=width))
    assert str(refused.value) == text


@pytest.mark.parametrize("name", BUS_KINDS)
def test_widths_of_the_standards_are_taken(name):
    for width in BUS_KINDS[name].data_widths:
        bus = BusParameters(data_width=width)
        require_width(BUS_KINDS[name], bus)
        assert bus_signals(BUS_KINDS[name], bus)
