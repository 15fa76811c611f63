"""Verb compare: what it answers, its tables, what it refuses."""

import pytest
from helpers.tables import rows_of

# Section 6 of the specification of the torus-connected Petersen graphs, by k and m.
RIVALS = {
    "tcpg:k=1,m=1 torus:x=5,y=8 rp:k=4": ([4, 6, 4], [2.564, 3.282], [140, 80, 100]),
    "tcpg:k=2,m=3 torus:x=15,y=16 rp:k=24 hypercube:n=8": (
        *([7, 15, 14, 8], [4.017, 7.766]),
        [840, 480, 600, 1024],
    ),
    "tcpg:k=5,m=5 torus:x=25,y=40 rp:k=100": ([12, 32, 52], [6.507, 16.256], [3500, 2000, 2500]),
}


@pytest.mark.parametrize("nets", RIVALS)
def test_compare_with_the_rivals_of_the_paper(answer, nets):
    diameters, means, links = RIVALS[nets]
    found = answer(f"compare {nets} --groups 2,6")["networks"]
    assert [facts["diameter"] for facts in found] == diameters
    assert [round(facts["average_distance"], 3) for facts in found[:2]] == means
    assert [facts["links"] for facts in found] == links
    assert [facts["degree"]["max"] for facts in found] == [7, 4, 5, 8][: len(found)]
    costs = [a * b for a, b in zip(links, diameters, strict=True)]
    assert [facts["links_x_diameter"] for facts in found] == costs
    groups = [[group["distance"] for group in facts["group_distances"]] for facts in found]
    assert groups == [[1, 2], [1, 3], [1, 2], [1, 2]][: len(found)]


def test_compare_says_how_a_measure_was_found(answer, run):
    nets = "tcpg:k=2,m=3 torus:x=15,y=16 rp:k=24 hypercube:n=8 ccc:n=8 lcan:d=2,u=2,levels=3"
    found = answer(f"compare {nets} --groups 40,11")["networks"]
    cuts = [(facts["bisection"], facts["bisection_by"]) for facts in found]
    assert [cuts[i] for i in (0, 3, 5)] == [(80, "formula"), (128, "formula"), (None, None)]
    assert found[2]["bisection_bounds"][1] <= 20
    assert cuts[4] == (None, "bounds")
    low, high = found[4]["bisection_bounds"]
    assert 1 < low < high <= 64
    assert found[5]["bisection_bounds"] is None
    groups = [facts["group_distances"] for facts in found[:3]]
    assert [[group["nodes"] for group in known] for known in groups] == [[11, 40]] * 3
    # Section 6; of the torus it tells no distance of forty.
    assert [known[0]["distance"] for known in groups] == [3, 4, 3]
    assert [known[1]["distance"] for known in groups] == [4, groups[1][1]["distance"], 5]
    assert groups[0][0]["distance_by"] == "search"
    assert groups[0][0]["distance_bounds"] == [3, 3]
    _, out, _ = run(f"compare {nets} --groups 40,11")
    rows = {row[0]: row[1:] for row in rows_of(out)}
    assert rows["bisection"][0] == "80 (formula)"
    assert rows["bisection"][4:] == [f"unknown: {low}..{high}", "unknown: routers are not nodes"]
    assert rows["group of 11"][:3] == ["3 (search)", "4 (search)", "3 (search)"]
    assert rows["group of 40"][5] == "-"


def test_codes_of_even_rings_are_shown(answer, run):
    nets = "torus:x=8,y=4 torus:x=15,y=16"
    even, odd = answer(f"compare {nets}")["networks"]
    assert odd["ring_codes"] is None
    assert even["ring_codes"]["johnson"] == {
        "bits": 6, "isometric": True, "one_bit_neighbours": 4,
    }  # fmt: skip
    rows = {row[0]: row[1:] for row in rows_of(run(f"compare {nets}")[1])}
    near = "words at a distance of one bit"
    assert rows["johnson code of the rings"] == [
        f"6 bits, differing bits are the distance, 4 {near}", "",
    ]  # fmt: skip
    assert rows["gray code of the rings"][0] == f"5 bits, not isometric, 5 {near}"


def test_the_equivalent_fat_tree_stands_beside_its_network(answer, run, tmp_path):
    (tmp_path / "m.csv").write_text("0,3\n12,4\n9,0\n10,18\n1,19\n18,6\n19,7\n")
    line = f"compare lcan d=3 u=2 levels=3 --fat-tree --messages {tmp_path}/m.csv"
    network, tree = answer(line)["networks"]
    # Definition 10: node i has d u^i downers and u^(i+1) uppers, and there are d^(2-i).
    assert (tree["network"], tree["level_sizes"]) == ("fattree", [9, 3, 1])
    assert (tree["downers"], tree["uppers"]) == ([3, 6, 12], [2, 4, 8])
    assert tree["links_a_level"] == network["links_a_level"] == [27, 18, 12]
    assert [net["crosspoints"]["full"] for net in (network, tree)] == [
        19 * 5**2,
        9 * 5**2 + 3 * 10**2 + 20**2,
    ]
    # Section 9.5: two cycles and one.
    assert network["delivery"] == {"rounds": 2, "steps": 2, "lower_bound": 1, "minimum": 2}
    assert tree["delivery"] == {"rounds": 1, "steps": 1, "lower_bound": 1, "minimum": 1}
    _, out, _ = run(line)
    assert "delivery: minimum" in out


def test_deliveries_and_facts_side_by_side(answer, run, monkeypatch):
    line = "compare hypercube n=4 ccc n=4 baseline levels=4 --permutation reversal"
    found = [network["delivery"] for network in answer(line)["networks"]]
    assert found == [
        {"rounds": 1, "steps": 7},
        {"rounds": 1, "steps": 20},
        {"rounds": 1, "steps": 1, "lower_bound": 1, "minimum": 1},
    ]
    assert "delivery" not in answer("compare hypercube n=4")["networks"][0]
    words = "moebius:n=4 moebius:n=4,twist=1 hypercube:n=4"
    described = answer(f"compare {words}")["networks"]
    assert [facts["diameter"] for facts in described] == [3, 3, 4]
    assert answer("describe moebius n=4 twist=1").items() <= described[1].items()
    _, out, _ = run(f"compare {words}")
    (row,) = [line for line in out.splitlines() if "average_distance  " in line]
    assert [word for word in row.split() if "." in word] == ["1.93333", "1.86667", "2.13333"]
    monkeypatch.setenv("COLUMNS", "20")
    _, out, _ = run("compare moebius:n=3 moebius:n=4 moebius:n=5 moebius:n=6")
    assert "…" not in out
    (head,) = [line for line in out.splitlines() if "┃ moebius_n3_twist0" in line]
    assert "moebius_n6_twist0" in head


@pytest.mark.parametrize(
    ("line", "complaint"),
    {
        "hypercube n=3 --fat-tree": "compare: --fat-tree must be used with least-common-ancestor "
        "networks, not hypercube",
        "kyklos k=2 levels=3 --fat-tree": "compare: --fat-tree must be used with networks of one "
        "copy of their levels, not 2",
        "baseline levels=7 --fat-tree": "compare: baseline_levels7 must have an equivalent "
        "fat-tree: fattree: u must be integers in 1..64 separated by commas, not (2, 4, 8, 16, 32, "
        "64, 128)",
        "hypercube n=3 --permutation random --messages m.json": "compare: --messages must not be "
        "used with --permutation",
    }.items(),
)
def test_what_has_no_fat_tree_or_two_deliveries_is_refused(refusal, line, complaint):
    assert refusal(f"compare {line}") == complaint


def cut(word):
    """Word in quotes, without its middle where it is very long."""
    word = repr(word)
    return word if len(word) < 200 else f"{word[:80]}...{word[-20:]}"


@pytest.mark.parametrize("groups", ["1", "2,", "x", "2,257", "-3", "9" * 5000])
def test_compare_refuses_sizes_of_groups_out_of_range(refusal, groups):
    assert refusal(f"compare petersen --groups {groups}") == (
        f"compare: groups must be numbers in 2..256 with commas between them, not {cut(groups)}"
    )
