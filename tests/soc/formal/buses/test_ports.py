"""Parts of initiators and targets: that they are proven, and faults that the proofs find."""

from dataclasses import replace
from itertools import starmap

import pytest
from helpers.cases import slow
from helpers.proven import component_outcomes
from knotwork.formal import BOUNDED, PROVEN
from knotwork_soc import BusParameters
from knotwork_soc.formal.buses import PORT_PROOFS

BUS = BusParameters(address_width=12, data_width=8, id_width=1, burst=2, outstanding=2, timeout=16)
BUSES = {"read_initiator": replace(BUS, burst=8, outstanding=4)}
"""Where more is needed: here more reads than the store has room for."""
PROPERTIES = {
    "transactions": ["order", "numbers"],
    "read_initiator": ["space", "held", "own"],
    "write_initiator": ["space", "complete", "held"],
    "sender": ["packets", "turns"],
    "receiver": ["packets"],
    "decoder": ["burst", "node", "error"],
    "store": ["queue"],
    "block_store": ["queue"],
    "burst_store": ["complete"],
    "read_guard": ["known", "answers", "held", "silence"],
    "write_guard": ["known", "bursts", "answers", "held", "silence"],
}


def outcomes(part, before="", after=""):
    """Result and reason of each property of a part, in whose Verilog `before` became `after`."""
    return component_outcomes(PORT_PROOFS[part](BUSES.get(part, BUS)), before, after)


@pytest.mark.parametrize("part", ["transactions", *(slow(part) for part in [*PROPERTIES][1:])])
def test_a_part_is_proven(part):
    assert outcomes(part) == dict.fromkeys(PROPERTIES[part], (PROVEN, ""))


def test_every_part_has_its_proofs():
    assert {
        part: [one.name for one in PORT_PROOFS[part](BUS).properties] for part in PORT_PROOFS
    } == PROPERTIES


FAULTS = [
    # An identifier goes two ways.
    ("transactions", "free = ~&used & ~|conflicts", "free = ~&used", "order"),
    # A read of two beats begins with room for one.
    ("read_initiator", "{3'b000, space} > ", "{3'b000, space} >= ", "space"),
    # An error overtakes the answers before it.
    ("read_initiator", "& transactions_free;", ";", "own"),
    # An error takes its turn within another burst.
    ("read_initiator", "refuses & (burst_ends |", "refuses & (beat_taken |", "own"),
    # A write is sent before its last beat is there.
    ("write_initiator", "store_level} > ", "store_level} >= ", "complete"),
    # An own answer takes the place of one from the network.
    ("write_initiator", "answers_valid ? answers_payload : {", "answers_valid & ~answers ? "
     "answers_payload : {", "space"),
    # A packet changes while its first flit waits; one kind comes first always.
    ("sender", "bursts = keeps ? chosen : ", "bursts = ", "packets"),
    ("sender", "burst_turn <= ~bursts", "burst_turn <= 1'b1", "turns"),
    # A packet's second header begins within its beats; a flit of a header is lost.
    ("receiver", "in_beats <= ~beats_payload_last", "in_beats <= 1'b0", "packets"),
    ("receiver", "ends = place == 2'b10", "ends = place != 2'b00", "packets"),
    # The first byte alone is in its region; a burst that wraps begins where it is asked for.
    ("decoder", "end_[11:0]} < 14'h1a23", "first} < 14'h1a23", "node"),
    ("decoder", "i_payload_burst != 2'b10 ? i_payload_address[11:0] :",
     "1'b1 ? i_payload_address[11:0] :", "node"),
    # Beats that do not move belong to the burst's end; a beat too many; over a boundary.
    ("decoder", "i_payload_burst != 2'b00 ? {7'd0, i_payload_length}",
     "1'b1 ? {7'd0, i_payload_length}", "error"),
    ("decoder", "i_payload_length > 8'h1f", "i_payload_length > 8'h20", "error"),
    ("decoder", "|end_[16:12] |", "1'b0 |", "node"),
    # A burst that wraps begins within a beat.
    ("decoder", "| |(i_payload_address[1:0] & within_beat[1:0])", "", "error"),
    # An entry too many; one that is shown twice; one that overtakes; a level that is too high.
    ("store", "w_rdy = level != 3'b100", "w_rdy = 1'b1", "queue"),
    ("store", "consume <= consume + 2'b01", "consume <= consume", "queue"),
    ("block_store", "i_ready = after != consume", "i_ready = 1'b1", "queue"),
    ("block_store", "& (~valid | o_ready)", "& 1'b1", "queue"),
    ("block_store", "valid <= memory_read_enable | (valid & ~o_ready)",
     "valid <= memory_read_enable", "queue"),
    ("block_store", "- {2'b00, taken}", "- {2'b00, o_ready}", "queue"),
    # A burst that has no last beat.
    ("burst_store", "i_valid & i_ready & i_payload_last", "i_valid & i_ready", "complete"),
    # An address changes while it waits.
    ("decoder", "i_ready = ~o_valid | o_ready", "i_ready = 1'b1", "burst"),
    # The last beat is marked by the memory alone.
    ("read_guard", "r_valid = lengths_o_valid & (silent | memory_r_valid)",
     "r_valid = silent | memory_r_valid", "answers"),
    # The memory is heard again before its last late answer.
    ("read_guard", "timer_over = none_due & ~lengths_o_valid", "timer_over = ~lengths_o_valid",
     "known"),
    # Late beats are not taken.
    ("read_guard", "memory_r_ready = silent | (", "memory_r_ready = (", "silence"),
    # Beats that were swallowed are not made up for.
    ("write_guard", "swallows = silent & known &", "swallows = 1'b0 & known &", "known"),
    # Those that are made up for write.
    ("write_guard", "~silent & w_payload_strobe", "w_payload_strobe", "bursts"),
    # A write is answered before its last beat.
    ("write_guard", "ended = w_valid & w_ready & w_payload_last", "ended = w_valid & w_ready",
     "known"),
]  # fmt: skip


@pytest.mark.fault
@pytest.mark.parametrize(
    ("part", "before", "after", "name"), [FAULTS[0], *starmap(slow, FAULTS[1:])]
)
def test_with_a_fault_it_is_not_proven(part, before, after, name):
    """The induction fails, or a counterexample is found; some need longer than is searched."""
    result, reason = outcomes(part, before, after)[name]
    assert result != PROVEN
    assert result == BOUNDED or reason
