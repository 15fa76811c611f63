"""Faults of the bridges to peripherals, and the properties that find them."""

from itertools import starmap

import pytest
from helpers.bridge_faults import sees
from helpers.cases import slow

FAULTS = [
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


@pytest.mark.fault
@pytest.mark.parametrize(
    ("bridge", "before", "after", "name"), [FAULTS[0], *starmap(slow, FAULTS[1:])]
)
def test_a_fault_is_found(bridge, before, after, name):
    assert sees(bridge, before, after, name)
