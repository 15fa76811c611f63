"""Faults of the bridges from managers, and the properties that find them."""

from itertools import starmap

import pytest
from helpers.bridge_faults import sees
from helpers.cases import slow

FAULTS = [
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


@pytest.mark.fault
@pytest.mark.parametrize(
    ("bridge", "before", "after", "name"), [FAULTS[0], *starmap(slow, FAULTS[1:])]
)
def test_a_fault_is_found(bridge, before, after, name):
    assert sees(bridge, before, after, name)
