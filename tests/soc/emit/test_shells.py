"""Components of systems as Verilog of their own: equal to Amaranth's."""

import re

import pytest
from helpers.cases import slow
from helpers.reference import prove_equal, prove_same_clocks, reference
from knotwork_soc import BusParameters, Payload
from knotwork_soc.emit.shells import bridge_verilog, stream_shell, stream_verilog
from knotwork_soc.gateware.adapters import (
    ClockWatch,
    Crossing,
    Ejection,
    EjectionGuard,
    EventCrossing,
    Injection,
    InjectionGuard,
    LinkResets,
)
from knotwork_soc.gateware.buses.bus_kinds import BUS_KINDS, bus_signals
from knotwork_soc.gateware.buses.initiator_bridges import INITIATOR_BRIDGES, ApbToAxi4
from knotwork_soc.gateware.buses.target_bridges import TARGET_BRIDGES, Axi4ToWishbone

PAYLOAD = Payload.of(16, [8, 16, 32], keep=True, user_width=2)
INTO, OUT = {"destination": 3, "broadcast": 1}, {"source": 3, "flags": 1}

MADE = {
    "injection": lambda: Injection(width=8, payload=PAYLOAD, header=INTO),
    "wide_injection": lambda: Injection(width=32, payload=PAYLOAD, header=INTO),
    "ejection": lambda: Ejection(width=8, payload=PAYLOAD, header=OUT),
    "wide_ejection": lambda: Ejection(width=32, payload=PAYLOAD, header=OUT),
    "injection_guard": lambda: InjectionGuard(payload=PAYLOAD, header=INTO),
    "ejection_guard": lambda: EjectionGuard(payload=PAYLOAD, header=OUT),
    "crossing": lambda: Crossing(shape=5, depth=4, i_domain="sync", o_domain="node"),
    "events": lambda: EventCrossing(width=3, i_domain="node", o_domain="sync"),
    "watch": lambda: ClockWatch(timeout=20),
    "resets": LinkResets,
}


QUICK = ("crossing", "events", "resets")


@pytest.mark.parametrize("name", [name if name in QUICK else slow(name) for name in MADE])
def test_an_adapter_is_written_as_amaranth_has_it(name):
    make = MADE[name]
    text, netlist = stream_verilog(make(), "gate"), reference(stream_shell(make()))
    if name != "resets":  # a register that resets others at once has no name behind async2sync
        prove_equal(netlist, text)
    clocks = prove_same_clocks(netlist, text)
    if name == "crossing":
        assert {clock for clock, _ in clocks} == {"clk", "node_clk"}
        assert clocks["node_clk", "rst"] == 2


def test_a_wrong_clock_is_found():
    text = stream_verilog(MADE["crossing"](), "gate")
    pattern = r"(always @\(posedge )clk(\) begin\n    stage0)"
    broken, count = re.subn(pattern, r"\1rst\2", text)
    assert count == 1
    with pytest.raises(AssertionError):
        prove_same_clocks(reference(stream_shell(MADE["crossing"]())), broken)


def test_registers_that_synchronise_are_marked():
    text = stream_verilog(MADE["crossing"](), "gate")
    marked = re.findall(r'\(\* ASYNC_REG = "TRUE" \*\) reg (?:\[.*\] )?(\w+) =', text)
    assert marked == ["stage0", "stage1"] * 3


def test_ports_have_the_standards_names():
    text = stream_verilog(MADE["injection"](), "gate")
    body = text[text.index("module gate (") :]
    ports = re.findall(
        r"^  (?:input|output) (?:reg )?(?:\[.*\] )?(\w+)(?: = .*)?,?$", body, re.MULTILINE
    )
    assert ports == [
        *("clk", "rst", "i_tvalid", "i_tready", "i_tdata", "i_tkeep", "i_tlast", "i_tuser"),
        *("i_tdest", "i_tuser_broadcast", "o_tvalid", "o_tready", "o_tdata", "o_tlast", "o_tdest"),
        *("o_tuser", "sparse"),
    ]


def test_a_payload_without_fields_is_data():
    text = stream_verilog(MADE["crossing"](), "gate")
    assert "input [4:0] i_tdata," in text
    assert "input node_clk," in text


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
