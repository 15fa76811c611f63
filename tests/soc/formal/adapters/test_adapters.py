"""Adapters at nodes are proven for clocks, stops and resets at any time; faults are found."""

import pytest
from helpers.cases import slow
from helpers.faults import changing_module
from helpers.proven import component_outcomes
from knotwork.formal import FAILED, PROVEN
from knotwork_soc import Payload
from knotwork_soc.formal.adapters.converters import ConverterProofs, converter_verilog
from knotwork_soc.formal.adapters.crossings import clock_watch_proofs as WATCH
from knotwork_soc.formal.adapters.crossings import crossing_verilog, prove_crossing
from knotwork_soc.formal.adapters.crossings import event_crossing_proofs as EVENTS
from knotwork_soc.formal.adapters.guards import ejection_guard_proofs as EJECTION
from knotwork_soc.formal.adapters.guards import injection_guard_proofs as INJECTION
from knotwork_soc.formal.adapters.mesochronous import mesochronous_verilog, prove_mesochronous
from knotwork_soc.formal.adapters.resets import link_resets_proofs as LINK
from knotwork_soc.formal.adapters.resets import reset_release_proofs as RELEASE

PROPERTIES = {
    EVENTS: ["once", "soon"],
    INJECTION: ["beats", "packets", "cuts"],
    EJECTION: ["beats", "packets", "drops"],
    LINK: ["handshake", "at_once", "meet", "cause", "ends"],
    RELEASE: ["release"],
    WATCH: ["rises", "falls", "runs"],
}


@pytest.mark.parametrize("proofs", [slow(one) if one == LINK else one for one in PROPERTIES])
def test_an_adapter_is_proven_without_a_bound(proofs):
    assert component_outcomes(proofs()) == dict.fromkeys(PROPERTIES[proofs], (PROVEN, ""))


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize(
    ("proofs", "before", "after", "name"),
    [
        # A pulse that is not counted; a counter that crosses in binary; two pulses told as one.
        (EVENTS, "count + {2'b00, i}", "count + {2'b00, i & ~(&count)}", "once"),
        (EVENTS, "following ^ {1'b0, following[2:1]}", "following ^ 3'b000", "once"),
        (EVENTS, "emitted <= emitted + 3'b001", "emitted <= emitted + 3'b010", "once"),
        (EVENTS, "o <= ahead", "o <= ahead & ~o", "once"),
        # The rest of a packet that was cut goes on as another one.
        (INJECTION, "skips <= 1'b1", "skips <= 1'b0", "packets"),
        # A packet of a clock that stopped stays open.
        (INJECTION, "(flushed | (stopped &", "(flushed | (1'b0 & stopped &", "packets"),
        # Not told; closed with another user's bit.
        (INJECTION, "cut <= breaks", "cut <= breaks & ~flushed", "cuts"),
        (INJECTION, "2'b01, kept_data[5], 5'h10", "2'b01, 1'b0, 5'h10", "packets"),
        # The rest of a packet is a packet; after a reset the next packet is dropped.
        (INJECTION, "skips & i_valid & i_payload_last", "skips & i_valid", "packets"),
        (INJECTION, "if (flushed) skips <= 1'b0;", "", "packets"),
        # A beat is overwritten; a beat that is open after it has left is forgotten.
        (INJECTION, "~skips & ~ends & (~full | o_ready);", "~skips & ~ends;", "beats"),
        (INJECTION, "full ? ~kept_last : begun", "begun", "packets"),
        # The middle of a packet follows its end.
        (EJECTION, "rest <= drops & ~i_payload_last", "rest <= 1'b0", "packets"),
        (EJECTION, "else if (down & in_packet)", "else if (flushed & in_packet)", "packets"),
        # A closing beat has the source of the packet that waits; there is none.
        (EJECTION, "{kept_source, 1'b1", "{i_payload_source, 1'b1", "packets"),
        (EJECTION, "if (begun & drops) ends <= 1'b1;", "", "packets"),
        # The plane waits; what is dropped without its last beat is not told.
        (EJECTION, "i_ready = drops |", "i_ready = rest |", "beats"),
        (EJECTION, "dropped <= drops & i_valid", "dropped <= down & i_valid", "drops"),
        # A reset that one side does not see; one that begins at an edge.
        (LINK, "= rst | right_rst", "= right_rst", "at_once"),
        (LINK, "= rst | right_rst", "= rst", "at_once"),
        (LINK, "right_clk or posedge at_once_rst)", "right_clk)", "at_once"),
        # Sides that meet for three cycles; a request before the last answer is over; a side that
        # leaves while it waits; a count that starts half over; one that never leaves.
        (LINK, "cycles == 3'b100", "cycles == 3'b011", "handshake"),
        (LINK, "(request_cdc_request | ~answer_cdc_answered)", "1'b1", "meet"),
        (LINK, "waits | request_cdc_seen | ", "request_cdc_seen | ", "handshake"),
        (LINK, "cycles <= cycles - 3'b001", "cycles <= 3'b000", "handshake"),
        (LINK, "in_reset <= waits |", "in_reset <= 1'b1 |", "ends"),
        # A reset that ends half of a handshake, whose other side goes on.
        (LINK, "answer_cdc_answer <= met", "answer_cdc_answer <= met & ~left_rst", "handshake"),
        (RELEASE, "left_clk or posedge requested)", "left_clk)", "release"),
        (RELEASE, "stage0 <= 1'b0", "stage0 <= stage0", "release"),
        # A clock that runs is told; never told; told only after every other answer; never asked.
        (WATCH, "cycles == 4'b1001", "cycles == 4'b0110", "runs"),
        (WATCH, "stopped <= 1'b1", "stopped <= 1'b0", "rises"),
        (WATCH, "cycles <= cycles + 4'b0001", "cycles <= cycles + {3'b000, there_cdc_there}",
         "rises"),
        (WATCH, "there_cdc_requested <= ~there_cdc_requested",
         "there_cdc_requested <= there_cdc_requested", "rises"),
    ],
)  # fmt: skip
def test_a_fault_of_an_adapter_is_found(proofs, before, after, name):
    result, reason = component_outcomes(proofs(), before, after)[name]
    assert result != PROVEN
    assert proofs not in (LINK, RELEASE) or reason.startswith("counterexample")


def converter(width, flit, *, is_injection, keep=False, user=0):
    """Proofs of a converter between two widths."""
    return ConverterProofs(
        is_injection, width, Payload.of(flit, [width], keep=keep, user_width=user)
    )


CONVERTERS = {
    "into_narrow": converter(4, 12, is_injection=True),
    "into_narrow_keep": converter(8, 32, is_injection=True, keep=True, user=2),
    "into_equal": converter(16, 16, is_injection=True, keep=True, user=1),
    "into_wide": converter(48, 16, is_injection=True, keep=True, user=1),
    "out_narrow": converter(4, 12, is_injection=False),
    "out_narrow_keep": converter(8, 32, is_injection=False, keep=True, user=2),
    "out_equal": converter(16, 16, is_injection=False, keep=True, user=1),
    "out_wide": converter(48, 16, is_injection=False, keep=True),
    "out_wide_plain": converter(32, 16, is_injection=False, user=1),
}


@pytest.mark.parametrize("name", ["into_narrow", *map(slow, [*CONVERTERS][1:])])
def test_a_converter_is_proven_without_a_bound(name):
    found = {one.name: one.result for one in CONVERTERS[name].prove()}
    assert found == {"units": PROVEN, "rules": PROVEN}


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "pattern", "other"),
    [
        # A piece at the wrong place; one too many; what is behind the end left as it was.
        ("into_narrow", r"place == 2'b01\)\) kept_1", "place == 2'b00)) kept_1"),
        ("into_narrow", r"place == 2'b10\)", "place == 2'b01)"),
        ("into_narrow", r"place > 2'b01 \? kept_1", "place > 2'b00 ? kept_1"),
        # A header of a later beat; a count that does not start again; a beat that waits for
        # `ready`.
        ("into_narrow", r"if \(moves & ~in_packet\) kept", "if (moves) kept"),
        ("out_narrow", r"place <= 2'b00;\n      end", "place <= place;\n      end"),
        ("out_equal", r"assign o_tvalid = i_tvalid", "assign o_tvalid = i_tvalid & o_tready"),
    ],
)
def test_a_fault_of_a_converter_is_found(name, pattern, other):
    change = changing_module("", pattern, other)
    text = change(converter_verilog(CONVERTERS[name]))
    assert FAILED in {one.result for one in CONVERTERS[name].prove(text)}


CROSSINGS = {
    "crossing": (prove_crossing, crossing_verilog, ["pointers", "words"]),
    "mesochronous": (prove_mesochronous, mesochronous_verilog, ["rings", "counts", "words"]),
}


@pytest.mark.parametrize("kind", ["crossing", slow("mesochronous")])
def test_a_crossing_is_proven_without_a_bound(kind):
    """For any order of its clocks' edges, or all phases and wander."""
    prove, _, names = CROSSINGS[kind]
    assert {one.name: one.result for one in prove()} == dict.fromkeys(names, PROVEN)


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "pattern", "other", "where"),
    [
        # Full one word late; a pointer that crosses in binary; a word read at the wrong place.
        ("crossing", r"assign w_rdy = ~w_full", "assign w_rdy = 1'b1", None),
        ("crossing", r"\^ \{1'b0, produce_w_nxt\[2:1\]\}", "^ 3'b000", None),
        ("crossing", r"assign storage_read_address = consume_r_nxt",
         "assign storage_read_address = consume_r_bin", None),
        # Read a cycle later or two sooner; a place too many; a word read where one is written.
        ("mesochronous", r"place <= 3'b101", "place <= 3'b110", "rings"),
        ("mesochronous", r"place <= 3'b101", "place <= 3'b011", "rings"),
        ("mesochronous", r"owed <= 3'b100", "owed <= 3'b101", "counts"),
        ("mesochronous", r"words\[taken\]", "words[put]", "words"),
    ],
)  # fmt: skip
def test_a_fault_of_a_crossing_is_found(kind, pattern, other, where):
    prove, verilog, _ = CROSSINGS[kind]
    text = changing_module("", pattern, other, places=None)(verilog())
    failed = [one.name for one in prove(text) if one.result == FAILED]
    assert failed
    assert where in (None, failed[0])
