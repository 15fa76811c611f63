"""Converters are proven for all packets and pauses; a fault in each part is found."""

import re

import pytest
from knotwork.formal import FAILED, PROVEN
from knotwork.formal.adapters import ConverterProofs, converter_verilog
from knotwork.system import Payload


def proofs(*, is_injection, width, flit, keep=False, user=0):
    """Proofs of a converter between two widths."""
    return ConverterProofs(
        is_injection, width, Payload.of(flit, [width], keep=keep, user_width=user)
    )


CASES = {
    "into_narrow": proofs(is_injection=True, width=4, flit=12),
    "into_narrow_keep": proofs(is_injection=True, width=8, flit=32, keep=True, user=2),
    "into_equal": proofs(is_injection=True, width=16, flit=16, keep=True, user=1),
    "into_wide": proofs(is_injection=True, width=48, flit=16, keep=True, user=1),
    "out_narrow": proofs(is_injection=False, width=4, flit=12),
    "out_narrow_keep": proofs(is_injection=False, width=8, flit=32, keep=True, user=2),
    "out_equal": proofs(is_injection=False, width=16, flit=16, keep=True, user=1),
    "out_wide": proofs(is_injection=False, width=48, flit=16, keep=True),
    "out_wide_plain": proofs(is_injection=False, width=32, flit=16, user=1),
}
QUICK = ("into_narrow",)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in CASES],
)
def test_a_converter_is_proven_without_a_bound(name):
    found = {one.name: one.result for one in CASES[name].prove()}
    assert found == {"units": PROVEN, "rules": PROVEN}


FAULTS = [
    # A piece at the wrong place; one too many; what is behind the end left as it was.
    ("into_narrow", r"place == 2'b01\)\) kept_1", "place == 2'b00)) kept_1"),
    ("into_narrow", r"place == 2'b10\)", "place == 2'b01)"),
    ("into_narrow", r"place > 2'b01 \? kept_1", "place > 2'b00 ? kept_1"),
    # A header of a later beat; a count that does not start again; a beat that waits for `ready`.
    ("into_narrow", r"if \(moves & ~in_packet\) kept", "if (moves) kept"),
    ("out_narrow", r"place <= 2'b00;\n      end", "place <= place;\n      end"),
    ("out_equal", r"assign o_tvalid = i_tvalid", "assign o_tvalid = i_tvalid & o_tready"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pattern", "other"), FAULTS)
def test_a_fault_is_found(name, pattern, other):
    text, count = re.subn(pattern, other, converter_verilog(CASES[name]), count=1)
    assert count == 1, "no such place"
    assert FAILED in {one.result for one in CASES[name].prove(text)}
