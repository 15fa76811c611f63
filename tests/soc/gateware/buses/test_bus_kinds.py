"""Signals of each bus are those of its standard; widths that no standard has are refused."""

import pytest
from amaranth.hdl import Shape, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from knotwork.errors import ConfigurationError
from knotwork.gateware.axi_lite import Response, axi_lite_signature
from knotwork_soc import BusParameters
from knotwork_soc.gateware.buses.bus_kinds import (
    BUS_KINDS,
    Burst,
    apb_signature,
    axi4_signature,
    bus_signals,
    wishbone_signature,
)
from knotwork_soc.parameters import BUS_DATA_WIDTHS, require_data_width


def driven_and_heard(name, **widths):
    """Bits of the signals that a bus's manager drives, and of those that it hears."""
    signals = bus_signals(BUS_KINDS[name], BusParameters(**widths))
    return tuple(
        {one.name: one.width for one in signals if one.from_manager is driven}
        for driven in (True, False)
    )


BUS = BusParameters(address_width=40, data_width=32, id_width=4)
AXI4_BURST = {"len": 8, "size": 3, "burst": 2, "lock": 1, "cache": 4, "prot": 3, "qos": 4}
AXI4_ADDRESS = {"id": 3, "addr": 40} | AXI4_BURST | {"valid": 1}
AXI_READY = {"awready": 1, "arready": 1, "wready": 1}
STANDARDS = {
    "apb": (
        apb_signature,
        32,
        {"psel": 1, "penable": 1, "pwrite": 1, "paddr": 40, "pprot": 3, "pwdata": 32, "pstrb": 4},
        {"prdata": 32, "pready": 1, "pslverr": 1},
    ),
    "axi_lite": (
        axi_lite_signature,
        32,
        {"awaddr": 40, "awprot": 3, "awvalid": 1, "araddr": 40, "arprot": 3, "arvalid": 1}
        | {"wdata": 32, "wstrb": 4, "wvalid": 1, "bready": 1, "rready": 1},
        AXI_READY | {"bresp": 2, "bvalid": 1, "rdata": 32, "rresp": 2, "rvalid": 1},
    ),
    "wishbone": (
        wishbone_signature,
        32,
        {"cyc": 1, "stb": 1, "we": 1, "adr": 38, "sel": 4, "dat_w": 32},
        {"dat_r": 32, "ack": 1, "err": 1, "stall": 1},
    ),
    "axi4": (
        axi4_signature,
        64,
        {f"aw{name}": bits for name, bits in AXI4_ADDRESS.items()}
        | {f"ar{name}": bits for name, bits in AXI4_ADDRESS.items()}
        | {"wdata": 64, "wstrb": 8, "wlast": 1, "wvalid": 1, "bready": 1, "rready": 1},
        AXI_READY
        | {"bid": 3, "bresp": 2, "bvalid": 1}
        | {"rid": 3, "rdata": 64, "rresp": 2, "rlast": 1, "rvalid": 1},
    ),
}
"""Signature; width of the data; signals that the manager drives and reads, with their bits."""


@pytest.mark.parametrize("name", BUS_KINDS)
def test_signals_are_the_standards_and_cover_the_members_once(name):
    signature, width, driven, read = STANDARDS[name]
    keys = {"id_width": 3} if name == "axi4" else {}
    assert driven_and_heard(name, address_width=40, data_width=width, **keys) == (driven, read)
    kind, interface = BUS_KINDS[name], wiring.flipped(signature(BUS).create())
    members = {}
    for path, _, value in signature(BUS).flatten(interface):
        members[path] = [0] * len(Value.cast(value))
    for one in bus_signals(kind, BUS):
        for bit in range(one.offset, one.offset + one.width):
            members[one.member][bit] += 1
    assert all(count == 1 for bits in members.values() for count in bits)


def test_addresses_of_one_byte_words_are_addresses_of_bytes():
    driven, _ = driven_and_heard("wishbone", address_width=16, data_width=8)
    assert (driven["adr"], driven["sel"]) == (16, 1)


@pytest.mark.parametrize(("address", "data", "ids"), [(32, 32, 4), (40, 64, 1), (12, 8, 8)])
def test_channels_of_axi4_have_the_widths_of_the_standard(address, data, ids):
    """IHI 0022, A2."""
    bus = BusParameters(address_width=address, data_width=data, id_width=ids)
    channels = axi4_signature(bus).members
    bits = {
        name: Shape.cast(channel.signature.create().p.shape()).width
        for name, channel in channels.items()
    }
    of_address = ids + address + 8 + 3 + 2 + 1 + 4 + 3 + 4
    expected = {"aw": of_address, "ar": of_address, "b": ids + 2}
    expected |= {"w": data + data // 8 + 1, "r": ids + data + 2 + 1}
    assert bits == expected
    flows = {name: channel.flow for name, channel in channels.items()}
    assert flows == {"aw": Out, "w": Out, "ar": Out, "b": In, "r": In}


def test_codes_of_axi4_are_those_of_the_standard():
    assert (Burst.FIXED, Burst.INCR, Burst.WRAP) == (0, 1, 2)
    assert (Response.OKAY, Response.EXOKAY, Response.SLVERR, Response.DECERR) == (0, 1, 2, 3)


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
        require_data_width(name, BusParameters(data_width=width))
    assert str(refused.value) == text


@pytest.mark.parametrize("name", BUS_KINDS)
def test_widths_of_the_standards_are_taken(name):
    for width in BUS_DATA_WIDTHS[name]:
        bus = BusParameters(data_width=width)
        require_data_width(name, bus)
        assert bus_signals(BUS_KINDS[name], bus)
