"""A regulator, an event crossing and a clock watch are proven; faults of each are found."""

import pytest
from helpers.proven import changing
from knotwork.formal import PROVEN
from knotwork.formal.adapters import ADAPTER_PROOFS
from knotwork.formal.component import component_verilog

PROPERTIES = {
    "regulator": ["rate", "whole", "passes"],
    "event_crossing": ["once", "soon"],
    "clock_watch": ["rises", "falls", "runs"],
}


@pytest.mark.parametrize("part", PROPERTIES)
def test_a_part_is_proven_without_a_bound(part):
    found = {one.name: one.result for one in ADAPTER_PROOFS[part]().prove()}
    assert found == dict.fromkeys(PROPERTIES[part], PROVEN)


def test_every_part_has_its_proofs():
    assert ADAPTER_PROOFS.keys() == PROPERTIES.keys()


FAULTS = [
    # A packet begins with a bucket that is not full; a beat goes without a token.
    ("regulator", "missing == 4'b0000", "missing <= 4'b0101", "whole"),
    ("regulator", "missing <= 4'b1010", "missing <= 4'b1011", "rate"),
    # A beat is hidden that had been offered; a bucket that does not fill.
    ("regulator", "i_valid & opens", "i_valid & opens & (o_ready | ~in_packet)", "whole"),
    # A pulse that is not counted; a counter that crosses in binary; two pulses told as one.
    ("event_crossing", "count + {2'b00, i}", "count + {2'b00, i & ~(&count)}", "once"),
    ("event_crossing", "following ^ {1'b0, following[2:1]}", "following ^ 3'b000", "once"),
    ("event_crossing", "told <= told + 3'b001", "told <= told + 3'b010", "once"),
    ("event_crossing", "o <= ahead", "o <= ahead & ~o", "once"),
    # Asked again before it has answered; told a cycle early; never told; not ended.
    ("clock_watch", "cycles == 4'b1001", "cycles == 4'b0110", "runs"),
    ("clock_watch", "stopped <= 1'b1", "stopped <= 1'b0", "rises"),
    ("clock_watch", "cycles <= cycles + 4'b0001", "cycles <= cycles + {3'b000, there_cdc_there}",
     "rises"),
    ("clock_watch", "there_cdc_asked <= ~there_cdc_asked", "there_cdc_asked <= there_cdc_asked",
     "rises"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("part", "before", "after", "name"), FAULTS)
def test_with_a_fault_it_is_not_proven(part, before, after, name):
    proofs = ADAPTER_PROOFS[part]()
    verilog = changing(before, after)(component_verilog(proofs.make))
    assert {one.name: one.result for one in proofs.prove(verilog)}[name] != PROVEN
