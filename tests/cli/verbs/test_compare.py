"""Verb compare: networks side by side."""

import pytest


def test_compare_puts_the_facts_side_by_side(answer, run):
    words = "moebius:n=4 moebius:n=4,twist=1 hypercube:n=4"
    described = answer(f"compare {words}")["networks"]
    assert [facts["diameter"] for facts in described] == [3, 3, 4]
    assert answer("describe moebius n=4 twist=1").items() <= described[1].items()
    _, out, _ = run(f"compare {words}")
    (row,) = [line for line in out.splitlines() if "average_distance" in line]
    assert [word for word in row.split() if "." in word] == ["1.93333", "1.86667", "2.13333"]


def cut(word):
    """Word in quotes, without its middle where it is very long."""
    word = repr(word)
    return word if len(word) < 200 else f"{word[:80]}...{word[-20:]}"


@pytest.mark.parametrize("groups", ["1", "2,", "x", "2,257", "-3", "9" * 5000])
def test_compare_refuses_sizes_of_groups_out_of_range(refusal, groups):
    assert refusal(f"compare petersen --groups {groups}") == (
        f"compare: groups must be numbers in 2..256 with commas between them, not {cut(groups)}"
    )


@pytest.mark.parametrize(
    "words",
    ["moebius n=4 hypercube n=4", "moebius:n=4 hypercube n=4", "hypercube:n=4 moebius:n=4"],
)
def test_both_forms_name_the_same_networks(answer, words):
    named = {facts["network"]: facts for facts in answer(f"compare {words}")["networks"]}
    assert list(named) == [word.partition(":")[0] for word in words.split() if word[0] != "n"]
    assert named["moebius"]["parameters"]["n"] == named["hypercube"]["parameters"]["n"] == 4


def test_tables_are_not_cut_in_a_pipe(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    _, out, _ = run("compare moebius:n=3 moebius:n=4 moebius:n=5 moebius:n=6")
    assert "…" not in out
    (head,) = [line for line in out.splitlines() if "moebius_n3_twist0" in line]
    assert "moebius_n6_twist0" in head
