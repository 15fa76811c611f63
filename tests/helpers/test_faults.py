"""Faults in Verilog's text: each is put into exactly one place, or its test fails."""

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.faults import changing, changing_module

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


CASES = """
import pytest
from helpers.faults import changing
@pytest.mark.slow
@pytest.mark.fault
@pytest.mark.parametrize("before", ["there", "gone"])
def test_text(before):
    changing(before, "another")("it is there")
    raise RuntimeError("too far")
@pytest.mark.slow
@pytest.mark.fault
def test_nothing(): pass
@pytest.mark.slow
def test_slow(): raise RuntimeError("too far")
"""


def test_a_slow_test_of_a_fault_goes_as_far_as_its_text_where_slow_tests_are_left_out(tmp_path):
    tests = Path(__file__).parents[1]
    (tmp_path / "conftest.py").write_text((tests / "conftest.py").read_text())
    (tmp_path / "pytest.ini").write_text(
        f"[pytest]\nmarkers =\n  slow: long\n  fault: text\npythonpath = {tests}\n"
    )
    (tmp_path / "test_cases.py").write_text(CASES)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "2 failed, 1 passed, 1 deselected" in done.stdout, done.stdout + done.stderr
    assert "AssertionError: 0 places gone" in done.stdout
    assert "a test that is marked `fault` must change a text, and did not" in done.stdout
    assert "too far" not in done.stdout.partition("summary info")[2]
