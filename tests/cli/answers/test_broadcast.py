"""Verb broadcast: what it answers, its tables, what it refuses."""

import pytest
from helpers.tables import rows_of
from knotwork import WkRecursive

FIELDS = [
    *("rule", "header_bits", "steps", "efficiency", "arrival", "parent", "duplicates", "missed"),
    "carried",
]


@pytest.mark.parametrize("rule", ["", "--rule label", "--rule stack", "--rule mask"])
def test_broadcast_by_label_and_by_rule(answer, rule):
    found = answer(f"broadcast wk w=4 levels=3 @201 {rule}")
    assert list(found) == FIELDS
    assert found["rule"] == (rule.split()[-1] if rule else "label")
    # Section 3 of the specification of the WK-recursive networks: new nodes per step.
    assert [found["arrival"].count(step) for step in range(8)] == [1, 4, 6, 10, 7, 15, 12, 9]
    assert (found["steps"], found["duplicates"], found["missed"]) == (7, 0, [])
    source = int("201", 4)
    assert (found["arrival"][source], found["parent"][source]) == (0, None)
    neighbours = WkRecursive(w=4, levels=3).neighbours
    for node in set(range(64)) - {source}:
        parent = found["parent"][node]
        assert node in neighbours[parent]
        assert found["arrival"][node] == found["arrival"][parent] + 1
    assert found == answer(f"broadcast wk w=4 levels=3 {source} {rule}")


@pytest.mark.parametrize(
    ("network", "key", "rule", "bits"),
    [
        ("wk w=3 levels=3", "", "label", 4),
        ("wk w=3 levels=3", "broadcast=mask", "mask", 2),
        ("wk w=3 levels=3", "broadcast=address", "address", 0),
        ("tcpg k=1 m=1", "", "ttl", 1),
        ("tcpg k=1 m=1", "broadcast=address", "address", 0),
    ],
)
def test_the_rule_of_a_broadcast_is_the_network_s_own(answer, network, key, rule, bits):
    found = answer(f"broadcast {network} {key} 5")
    assert (found["rule"], found["header_bits"]) == (rule, bits)
    assert answer(f"broadcast {network} broadcast=no 5 --rule {rule}") == found


def test_the_printed_rule_names_the_nodes_that_it_misses(answer, run):
    missed = [int(node, 3) for node in ("110", "111", "112", "120", "121", "122")]  # erratum W1
    found = answer("broadcast wk w=3 levels=3 @011 --rule printed")
    assert (found["missed"], found["duplicates"]) == (missed, 0)
    assert [found["arrival"][node] for node in missed] == [None] * 6
    assert [found["parent"][node] for node in missed] == [None] * 6
    assert "6: 110 111 112 120 121 122" in run("broadcast wk w=3 levels=3 @011 --rule printed")[1]


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
    # What copies carry, by section 3.2: m, the highest level crossed, and t, a digit of the
    # source's corner: that of the cluster that the copy has left.
    assert rows[6] == ["0", "000", "3", "001", "(1,1)"]
    assert rows[11] == ["5", "012", "0", "-", "-"]
    assert rows[-1] == ["26", "222", "6", "220", "(2,0)"]


# The example of section 3.2, with figure 3: the labels that nodes receive from 201.
LABELS = {
    "(0,1)": ("200", "202", "203"),
    "(1,0)": ("210", "220", "230", "211", "212", "213", "222", "233"),
    "(2,2)": ("022", "122", "322", "020", "002", "012", "032", "000", "111", "333"),
}


def test_copies_carry_the_labels_of_the_paper_s_example(answer, run):
    carried = answer("broadcast wk w=4 levels=3 @201")["carried"]
    for label, nodes in LABELS.items():
        assert {carried[int(node, 4)] for node in nodes} == {label}
    assert carried[int("201", 4)] is None
    assert set(answer("broadcast wk w=4 levels=3 @201 --rule mask")["carried"]) == {None}
    heads = run("broadcast wk w=3 levels=2 0 --rule mask")[1], run("broadcast wk w=3 levels=2 0")[1]
    assert [" with " in head for head in heads] == [False, True]


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
        ("wk w=3 levels=3 1 2", "'wk w=3 levels=3 1 2'"),
        ("wk w=3 1 levels=3", "'wk w=3 1 levels=3'"),
    ],
)
def test_words_of_no_broadcast_are_refused(refusal, line, complaint):
    assert refusal(f"broadcast {line}") == (
        f"broadcast: the arguments must be NET... SRC, a network and one node, not {complaint}"
    )
