"""Harnesses of bridges: ports, rules of the buses, bursts."""

import pytest
from amaranth.hdl import Const, Module, Signal
from amaranth.sim import Simulator
from helpers.bridge_faults import sees
from knotwork.formal import FAILED, PROVEN
from knotwork.formal.property import Property
from knotwork.formal.prover import prove
from knotwork_soc import BusParameters
from knotwork_soc.formal.buses.bridges import SMALL
from knotwork_soc.formal.buses.harness import (
    AxiOwed,
    BusHarness,
    WishboneOwed,
    apb_transfers_have_two_phases,
    axi_answers_are_held,
    axi_requests_are_held,
    bursts_are_short,
    queued,
    total,
    wishbone_requests_are_held,
)
from knotwork_soc.gateware.buses.initiator_bridges import ApbToAxi4, WishboneToAxi4
from knotwork_soc.gateware.buses.target_bridges import Axi4ToApb, Axi4ToAxiLite, Axi4ToWishbone


def test_the_manager_drives_the_inputs():
    harness = BusHarness(ApbToAxi4(bus=SMALL), SMALL, "bridge")
    assert harness.manager["paddr"] is harness.port("apbs_paddr")
    assert harness.target["awaddr"] is harness.port("m_axi_awaddr")
    assert len(harness.target.payload("aw")) == 2 + 12 + 8 + 3 + 2 + 1 + 4 + 3 + 4
    assert len(harness.target.payload("b")) == 2 + 2
    harness.rtlil("used")


def test_what_a_bus_does_not_have_is_as_it_would_be():
    bus = BusParameters(data_width=32)
    harness = BusHarness(Axi4ToAxiLite(bus=bus), bus, "bridge")
    assert harness.target.given("wlast", 1) == 1
    assert harness.manager.given("wlast", 1) is harness.port("s_axi_wlast")
    with pytest.raises(KeyError):
        harness.target["wlast"]
    harness.rtlil("used")


OF = {"wbs": WishboneToAxi4, "wbm": Axi4ToWishbone, "apbm": Axi4ToApb}
"""Bridges that have the ports, by the prefix of their other bus."""


def outcome(prefix, claim, drives):
    """Result of a rule for a module that drives some outputs, and 0 on the others."""

    def make():
        return BusHarness(OF[prefix](bus=SMALL), SMALL, "it")

    harness = make()
    inputs = harness._inputs
    outputs = {name: len(port) for name, port in harness._ports.items() if name not in inputs}
    harness.rtlil("used")  # only its ports are read
    heads = ["input clk", "input rst"]
    heads += [f"input [{bits - 1}:0] {name}" for name, bits in inputs.items()]
    heads += [f"output [{bits - 1}:0] {name}" for name, bits in outputs.items()]
    lines = [f"assign {name} = {drives.get(name, 0)};" for name in outputs]
    verilog = "\n".join([f"module it({', '.join(heads)});", *lines, "endmodule\n"])
    (found,) = prove("it", verilog, make, [Property(name="rule", text="", claim=claim)])
    return found.result


CASES = [
    (
        "wbm",
        lambda harness: wishbone_requests_are_held(harness, harness.target),
        {"wbm_cyc": "1", "wbm_stb": "1"},
        [
            {"wbm_cyc": "1", "wbm_stb": "wbm_ack"},
            {"wbm_stb": "1"},
            {"wbm_cyc": "1", "wbm_stb": "1", "wbm_we": "wbm_ack"},
        ],
    ),
    (
        "wbs",
        lambda harness: axi_requests_are_held(harness, harness.target),
        {"m_axi_awvalid": "1", "m_axi_araddr": "wbs_adr"},
        [
            {"m_axi_awvalid": "1", "m_axi_awaddr": "wbs_adr"},
            {"m_axi_arvalid": "wbs_stb"},
            {"m_axi_wvalid": "1", "m_axi_wlast": "wbs_stb"},
        ],
    ),
    (
        "wbm",
        lambda harness: axi_answers_are_held(harness, harness.manager),
        {"s_axi_rvalid": "1"},
        [{"s_axi_rvalid": "wbm_ack"}, {"s_axi_bvalid": "1", "s_axi_bid": "wbm_dat_r"}],
    ),
    (
        "wbm",
        lambda harness: AxiOwed(harness, harness.manager).data_is_not_early(harness),
        {"s_axi_arready": "1"},
        [{"s_axi_rvalid": "s_axi_arvalid", "s_axi_arready": "1"}],
    ),
    (
        "wbm",
        lambda harness: AxiOwed(harness, harness.manager).outcome_is_not_early(harness),
        {"s_axi_wready": "1"},
        [{"s_axi_bvalid": "s_axi_awvalid", "s_axi_awready": "1"}],
    ),
    (
        "wbs",
        lambda harness: bursts_are_short(harness, harness.target),
        {"m_axi_arlen": "3"},
        [{"m_axi_arlen": "4"}, {"m_axi_awlen": "4"}],
    ),
    (
        "wbs",
        lambda harness: WishboneOwed(harness, harness.manager).answers_have_requests(
            harness, at_once=True
        ),
        {"wbs_ack": "wbs_stb & wbs_cyc"},
        [{"wbs_ack": "wbs_stb & wbs_cyc", "wbs_err": "wbs_stb & wbs_cyc"}, {"wbs_ack": "wbs_cyc"}],
    ),
    (
        "wbs",
        lambda harness: WishboneOwed(harness, harness.manager).answers_have_requests(
            harness, at_once=False
        ),
        {},
        [{"wbs_ack": "wbs_stb & wbs_cyc"}],
    ),
    (
        "wbm",
        lambda harness: WishboneOwed(harness, harness.target).cycle_lasts(harness),
        {"wbm_cyc": "1", "wbm_stb": "1"},
        [{"wbm_cyc": "s_axi_arvalid", "wbm_stb": "s_axi_arvalid"}],
    ),
    (
        "apbm",
        lambda harness: apb_transfers_have_two_phases(harness, harness.target),
        {},
        [{"apbm_psel": "1", "apbm_penable": "1"}, {"apbm_psel": "1"}],
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("prefix", "claim", "keeps", "breaks"), CASES)
def test_a_rule_is_kept_or_broken(prefix, claim, keeps, breaks):
    assert outcome(prefix, claim, keeps) == PROVEN
    for drives in breaks:
        assert outcome(prefix, claim, drives) == FAILED


def test_a_rule_of_wishbone_is_kept_or_broken():
    prefix, claim, keeps, (broken, *_) = CASES[0]
    assert outcome(prefix, claim, keeps) == PROVEN
    assert outcome(prefix, claim, broken) == FAILED


def test_a_sum():
    m, found = Module(), Signal(4)
    m.d.comb += found.eq(total([Const(1), Const(3), Const(5)]))

    async def testbench(ctx):
        assert ctx.get(found) == 9

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()


def test_entries_of_a_queue():
    harness = BusHarness(Axi4ToWishbone(bus=SMALL, pending=2), SMALL, "bridge")
    entries = queued(harness, harness.component("", Axi4ToWishbone).order)
    assert {*harness.wires} == {"order.o_valid", "order.o_payload", "order.full", "order.back"}
    assert [there.name for there, _ in entries] == ["order_o_valid", "order_full"]
    assert all({*entry.shape().members} == {"write", "id", "last"} for _, entry in entries)
    harness.rtlil("used")


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize("bridge", ["axi4_to_apb", "axi4_to_wishbone"])
def test_beats_that_are_not_counted_are_seen(bridge):
    counting = "number <= o_payload_last ? 2'b00 : number + 2'b01"
    assert sees(bridge, counting, "number <= 2'b00", "rules")
