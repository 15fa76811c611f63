"""Verilog of bridges alone: ports by the standards' names."""

import re

import pytest
from knotwork_soc import BusParameters
from knotwork_soc.emit.shells import bridge_verilog
from knotwork_soc.gateware.buses.bus_kinds import BUS_KINDS, bus_signals
from knotwork_soc.gateware.buses.initiator_bridges import INITIATOR_BRIDGES, ApbToAxi4
from knotwork_soc.gateware.buses.target_bridges import TARGET_BRIDGES, Axi4ToWishbone

BUS = BusParameters(address_width=16)


def ports(verilog, name):
    """Direction and bits of the ports of a module."""
    header = re.search(rf"^module {name} \((.*?)\);", verilog, re.M | re.S)[1]
    found = re.findall(r"(input|output) (?:\[(\d+):0\] )?(\w+)", header)
    return {port: (way, int(high or 0) + 1) for way, high, port in found}


def test_ports_of_a_requesters_bridge():
    found = ports(bridge_verilog(ApbToAxi4(bus=BUS), BUS, "uart_bridge"), "uart_bridge")
    assert found["clk"] == found["rst"] == ("input", 1)
    assert found["apbs_paddr"] == ("input", 16)
    assert found["apbs_pready"] == ("output", 1)
    assert found["m_axi_awaddr"] == ("output", 16)
    assert found["m_axi_awready"] == ("input", 1)
    assert found["m_axi_rdata"] == ("input", 32)


def test_ports_of_a_peripherals_bridge():
    found = ports(bridge_verilog(Axi4ToWishbone(bus=BUS), BUS, "ram_bridge"), "ram_bridge")
    assert found["s_axi_wstrb"] == ("input", 4)
    assert found["s_axi_bid"] == ("output", 4)
    assert found["wbm_adr"] == ("output", 14)
    assert found["wbm_stall"] == ("input", 1)


@pytest.mark.parametrize("kind", TARGET_BRIDGES)
def test_every_signal_is_a_port(kind):
    for bridges, own, axi4 in (
        (INITIATOR_BRIDGES, BUS_KINDS[kind].initiator_prefix, "m_axi"),
        (TARGET_BRIDGES, BUS_KINDS[kind].target_prefix, "s_axi"),
    ):
        found = ports(bridge_verilog(bridges[kind](bus=BUS), BUS, "bridge"), "bridge")
        expected = {f"{own}_{one.name}" for one in bus_signals(BUS_KINDS[kind], BUS)}
        expected |= {f"{axi4}_{one.name}" for one in bus_signals(BUS_KINDS["axi4"], BUS)}
        assert found.keys() == expected | {"clk", "rst"}
