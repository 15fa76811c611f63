"""Verb broadcast: its tables, what it refuses."""

import pytest
from helpers.tables import rows_of


def test_broadcast_table(run):
    status, out, _ = run("broadcast wk w=3 levels=3 @012")
    assert status == 0
    assert out.splitlines()[0].strip() == "wk_w3_levels3: 012 to all, --rule label"
    rows = rows_of(out)
    assert rows[:6] == [
        ["steps", "6"],
        ["efficiency, 1 / steps", "0.16667"],
        ["new nodes per step", "1, 3, 4, 5, 4, 6, 4"],
        ["header bits", "4"],
        ["duplicates", "0"],
        ["nodes missed", "0"],
    ]
    # Of the listing in section 3 of the specification.
    assert len(rows) == 6 + 27
    assert rows[6] == ["0", "000", "3", "001"]
    assert rows[11] == ["5", "012", "0", "-"]
    assert rows[-1] == ["26", "222", "6", "220"]


def test_a_large_broadcast_s_table_is_short(run):
    _, out, _ = run("broadcast wk w=2 levels=8 0 --rule printed")
    rows = rows_of(out)
    # A line of 2^8 nodes: one new node a step.
    assert rows[:3] == [
        ["steps", "255"],
        ["efficiency, 1 / steps", "0.00392"],
        ["new nodes per step", "at most 1"],
    ]
    assert len(rows) == 6
    _, out, _ = run("broadcast wk w=3 levels=4 @0011 --rule printed")
    missed = [row[1] for row in rows_of(out) if row[0] == "nodes missed"]
    assert len(missed) == 1
    assert missed[0].isdigit()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", "''"),
        ("wk w=3 levels=3", "'wk w=3 levels=3'"),
        ("wk w=3 levels=3 1 2", "'wk w=3 levels=3 1 2'"),
        ("wk w=3 1 levels=3", "'wk w=3 1 levels=3'"),
    ],
)
def test_words_of_no_broadcast_are_refused(refusal, line, complaint):
    assert refusal(f"broadcast {line}") == (
        f"broadcast: the words must be NET... SRC, a network and one node, not {complaint}"
    )
