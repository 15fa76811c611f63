"""Widths of AXI4's channels are those of its specification (IHI 0022, A2)."""

import pytest
from amaranth.hdl import Shape
from amaranth.lib.wiring import In, Out
from helpers.bus_signals import driven_and_heard
from knotwork.gateware.buses.axi4 import Burst, Response, axi4_signature
from knotwork.system import BusParameters


@pytest.mark.parametrize(("address", "data", "ids"), [(32, 32, 4), (40, 64, 1), (12, 8, 8)])
def test_channels_have_the_signals_of_the_standard(address, data, ids):
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
    from_manager = {name for name, channel in channels.items() if channel.flow == Out}
    assert from_manager == {"aw", "w", "ar"}
    assert {name for name, channel in channels.items() if channel.flow == In} == {"b", "r"}


def test_codes_are_those_of_the_standard():
    assert (Burst.FIXED, Burst.INCR, Burst.WRAP) == (0, 1, 2)
    assert (Response.OKAY, Response.EXOKAY, Response.SLVERR, Response.DECERR) == (0, 1, 2, 3)


def test_signals_are_the_standards():
    burst = {"len": 8, "size": 3, "burst": 2, "lock": 1, "cache": 4, "prot": 3, "qos": 4}
    address = {"id": 3, "addr": 40} | burst | {"valid": 1}
    assert driven_and_heard("axi4", address_width=40, data_width=64, id_width=3) == (
        {f"aw{name}": bits for name, bits in address.items()}
        | {f"ar{name}": bits for name, bits in address.items()}
        | {"wdata": 64, "wstrb": 8, "wlast": 1, "wvalid": 1, "bready": 1, "rready": 1},
        {"awready": 1, "arready": 1, "wready": 1}
        | {"bid": 3, "bresp": 2, "bvalid": 1}
        | {"rid": 3, "rdata": 64, "rresp": 2, "rlast": 1, "rvalid": 1},
    )
