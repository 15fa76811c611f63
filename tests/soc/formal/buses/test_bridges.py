"""Every bridge is proven, for all time; faults are found by the properties that they break."""

from dataclasses import replace
from itertools import starmap

import pytest
from helpers.bridge_faults import sees
from helpers.cases import slow
from knotwork.formal import PROVEN
from knotwork_soc import BusParameters
from knotwork_soc.formal.buses.bridges import BRIDGES, SMALL, prove_bridge
from knotwork_soc.gateware.buses.initiator_bridges import INITIATOR_BRIDGES
from knotwork_soc.gateware.buses.target_bridges import TARGET_BRIDGES

# AXI4-Lite has no data of 8 bits.
WIDE = replace(SMALL, data_width=32)


def widths(name):
    return WIDE if "axi_lite" in name else SMALL


def test_every_bridge_has_proofs():
    assert len(BRIDGES) == len(INITIATOR_BRIDGES) + len(TARGET_BRIDGES)
    assert all(proof.properties for proof in BRIDGES.values())


@pytest.mark.parametrize(
    "name", [name if name == "axi4_to_apb" else slow(name) for name in sorted(BRIDGES)]
)
def test_a_bridge_is_proven(name):
    found = {one.name: (one.result, one.reason) for one in prove_bridge(name, widths(name))}
    assert found == {one.name: (PROVEN, "") for one in BRIDGES[name].properties}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "bus"),
    [
        ("wishbone_to_axi4", BusParameters(data_width=16, id_width=1, outstanding=1)),
        ("wishbone_to_axi4", BusParameters(data_width=64, outstanding=8)),
        ("apb_to_axi4", BusParameters(data_width=32, address_width=40)),
        ("axi4_to_wishbone", BusParameters(data_width=32, burst=16, id_width=3)),
        ("axi4_to_apb", BusParameters(data_width=16, burst=8)),
        ("axi4_to_axi_lite", BusParameters(data_width=64, burst=16)),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.data_width),
)
def test_a_bridge_of_other_widths_is_proven(name, bus):
    assert {one.result for one in prove_bridge(name, bus)} == {PROVEN}


FROM_OTHERS = [
    # The next cycle of Wishbone gets answers of the one that ended early.
    ("wishbone_to_axi4", "(stale | ~wbs_cyc) & (full | |count)", "1'b0", "late"),
    # A request is offered, and withdrawn when an answer comes.
    ("apb_to_axi4", "apbs_psel & apbs_pwrite & ~given", "apbs_penable & ~m_axi_bvalid", "rules"),
    # A read passes the writes before it.
    ("wishbone_to_axi4", "(~|count | (kind == request_we))", "1'b1", "rules"),
    # Both ack and err.
    ("wishbone_to_axi4", "answered & ~failed & wbs_cyc", "answered & wbs_cyc", "rules"),
    # A stalled request is lost.
    ("wishbone_to_axi4", "taken | (full & ~goes)", "taken", "rules"),
    # An address is offered twice.
    ("wishbone_to_axi4", "may_go & request_we & ~addressed", "may_go & request_we", "rules"),
    # A request taken while another one waits is written over it.
    ("wishbone_to_axi4", "(full & ~goes) | stale", "stale", "data"),
    ("wishbone_to_axi4", "assign address = request_adr", "assign address = wbs_adr", "data"),
    ("apb_to_axi4", "apbs_psel & ~apbs_pwrite & ~addressed", "apbs_psel & ~addressed", "once"),
    ("apb_to_axi4", "apbs_pwrite ? m_axi_bvalid : m_axi_rvalid", "1'b1", "once"),
    (
        "apb_to_axi4",
        "apbs_pwrite ? axi4_b_payload_response[1] : axi4_r_payload_response[1]",
        "axi4_b_payload_response[1]",
        "once",
    ),
    ("axi_lite_to_axi4", "8'd0,  // length", "8'd1,  // length", "transfers"),
    ("axi_lite_to_axi4", "_wvalid = s_axil_wvalid", "_wvalid = s_axil_bready", "transfers"),
]  # fmt: skip
"""Faults of the bridges from managers of other buses."""

TO_OTHERS = [
    # A read is offered though nobody takes the last answer.
    ("axi4_to_apb", "~axi4_r_valid | s_axi_rready", "1'b1", "rules"),
    # Reads are sent without room for what they read.
    ("axi4_to_wishbone", "reads != 2'b10", "1'b1", "rules"),
    # The access comes without setup.
    (
        "axi4_to_apb",
        "apb_penable <= beats_o_valid & ~ends",
        "apb_penable <= beats_o_valid",
        "rules",
    ),
    # The kind of an offered beat changes.
    ("axi4_to_apb", "held ? wrote : ", "", "rules"),
    # Data of a write shows in a read, and comes while that is offered.
    ("axi4_to_apb", "writing ? w_payload_data : 8'd0", "w_payload_data", "rules"),
    # A burst is not over with its last beat.
    ("axi4_to_apb", "assign i_ready = ~full | o_ready", "assign i_ready = ~full", "rules"),
    # A failed beat is forgotten.
    ("axi4_to_apb", "earlier <= failed & ~beats_o_payload_last", "earlier <= 1'b0", "answers"),
    # The last beat is marked one too early.
    ("axi4_to_apb", "number} == i_payload_length", "number} + 8'd1 == i_payload_length", "rules"),
    # A cycle ends before its answers.
    ("axi4_to_wishbone", "wishbone_stb | order_o_valid", "wishbone_stb", "rules"),
    # A stalled request goes.
    ("axi4_to_wishbone", "order_i_ready & ~wbm_stall", "order_i_ready", "rules"),
    # An answer in the cycle of its request is counted as one that comes later, too.
    ("axi4_to_wishbone", "sent & ~(answered & ~order_o_valid)", "sent", "rules"),
    ("axi4_to_wishbone", "writing ? w_payload_strobe : reads_o_payload_lanes", "1'b1", "requests"),
    # A beat goes though as many wait as may.
    ("axi4_to_axi_lite", "m_axil_arready & read_order_i_ready", "m_axil_arready", "rules"),
    ("axi4_to_axi_lite", "earlier | m_axil_bresp", "m_axil_bresp", "answers"),
    ("axi4_to_axi_lite", "s_axi_bready | ~write_order_o_payload_last", "1'b1", "answers"),
]  # fmt: skip
"""Faults of the bridges to peripherals."""


@pytest.mark.fault
@pytest.mark.parametrize(
    ("bridge", "before", "after", "name"),
    [
        FROM_OTHERS[0],
        TO_OTHERS[0],
        *starmap(slow, FROM_OTHERS[1:]),
        *starmap(slow, TO_OTHERS[1:]),
    ],
)
def test_a_fault_is_found(bridge, before, after, name):
    assert sees(bridge, before, after, name)
