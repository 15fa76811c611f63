"""Bridges between a manager and a memory of other people's: memory is as a reference.

cocotbext-axi, cocotbext-apb and cocotbext-wishbone are the managers and memories of their buses;
the last has one request under way, and both ends of pipelined Wishbone are of the project's own.
Each test compiles its bridges with Verilator.
"""

import pytest
from helpers.buses import simulate
from helpers.faults import changing
from knotwork_soc import BusParameters

WIDTHS = {
    ("axi4", "axi_lite"): (32, 64),
    ("axi4", "wishbone"): (8, 32, 64),
    ("axi4", "apb"): (8, 32),
    ("axi_lite", "axi4"): (32,),
    ("axi_lite", "wishbone"): (64,),
    ("axi_lite", "apb"): (32,),
    ("wishbone", "axi4"): (64,),
    ("wishbone", "wishbone"): (32,),
    ("wishbone", "axi_lite"): (32,),
    ("wishbone", "apb"): (8, 16),
    ("apb", "apb"): (16,),
    ("apb", "axi4"): (32,),
    ("apb", "axi_lite"): (32,),
    ("apb", "wishbone"): (8,),
}
ALL = [(kinds, width) for kinds, widths in WIDTHS.items() for width in widths]
FAULTS = [
    # The second beat of a burst has the first one's address.
    (("axi4", "wishbone"), "o_payload_last ? 8'd0 : number + 8'd1", "8'd0"),
    # A wrapping burst does not wrap.
    (("axi4", "axi_lite"), "i_payload_burst == 2'b10 ?", "1'b0 ?"),
    # A beat that failed is forgotten.
    (("axi4", "wishbone"), "earlier <= ~answers_last & ", "earlier <= 1'b0 & "),
    # Setup lasts for ever: there is no access.
    (("axi4", "apb"), "apb_penable <= apb_psel & ~ends", "apb_penable <= 1'b0"),
    # A request that was stalled is lost.
    (("wishbone", "axi4"), "full <= taken | (full & ~goes)", "full <= taken"),
    # A write's data is given twice.
    (("apb", "axi4"), "given <= ~ends & (given |", "given <= ~ends & (1'b0 &"),
]


def bus(width):
    return BusParameters(data_width=width, address_width=16, outstanding=4)


def names(value):
    return "_to_".join(value) if isinstance(value, tuple) else str(value)


@pytest.mark.slow
@pytest.mark.parametrize("stalls", [0, 0.1, 0.6])
@pytest.mark.parametrize(("kinds", "width"), ALL, ids=names)
def test_memory_is_as_the_reference(kinds, width, stalls, tmp_path, monkeypatch):
    assert simulate(monkeypatch, tmp_path, bus(width), kinds, transfers=150, stalls=stalls) == 0


@pytest.mark.slow
@pytest.mark.parametrize("stalls", [0, 0.4])
@pytest.mark.parametrize(
    ("kinds", "width"),
    [
        *((("wishbone", "axi4"), 32), (("wishbone", "axi4"), 8), (("wishbone", "wishbone"), 32)),
        *((("axi4", "wishbone"), 32), (("axi4", "wishbone"), 64)),
    ],
    ids=names,
)
def test_wishbone_of_other_people(kinds, width, stalls, tmp_path, monkeypatch):
    traffic = {"transfers": 60, "stalls": stalls, "outside": True}
    assert simulate(monkeypatch, tmp_path, bus(width), kinds, **traffic) == 0


@pytest.mark.slow
@pytest.mark.fault
@pytest.mark.parametrize(("kinds", "before", "after"), FAULTS, ids=names)
def test_faults_are_found(kinds, before, after, tmp_path, monkeypatch):
    edit = changing(before, after, places=None)
    assert simulate(monkeypatch, tmp_path, bus(32), kinds, edit=edit) == 1
