"""Faults in Verilog's text: each is put into exactly one place, or its test fails."""

import pytest
from helpers.proven import changing, changing_module

TEXT = """module net_one (
  assign a = b &
      c;
endmodule
module net_two (
  assign a = b & c;
  net_one first (
    .a(a)
  );
  net_one second (
    .a(a)
  );
endmodule
"""


def test_lines_may_break_where_a_fault_has_a_space():
    assert changing("= b & c;", "= b;", "one")(TEXT) == TEXT.replace("= b &\n      c;", "= b;")
    assert changing("= b & c;", "= b;", "two")(TEXT) == TEXT.replace("= b & c;", "= b;")


def test_a_fault_of_a_place_is_put_into_its_module():
    there = TEXT.replace("= b &\n      c;", "= b;")
    assert changing("= b & c;", "= b;", "two.first")(TEXT) == there
    assert changing("= b & c;", "= b;", "two.second")(TEXT) == there


@pytest.mark.parametrize(
    ("module", "pattern", "replacement", "said"),
    [
        ("two", "b & d", "b", "0 places b & d"),
        ("", "b & c", "b", "2 places b & c"),
        ("three", "b & c", "b", "0 modules three"),
        ("two.third", "b & c", "b", "0 places third of two.third"),
        ("one", "assign a", "assign a", "must change the text"),
    ],
)
def test_a_fault_that_would_change_nothing_or_more_fails(module, pattern, replacement, said):
    with pytest.raises(AssertionError, match=said):
        changing_module(module, pattern, replacement)(TEXT)
