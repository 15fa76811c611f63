"""Trees that `broadcast` tells."""

import pytest
from knotwork import WkRecursive

# Section 3 of the specification of the WK-recursive networks: new nodes per step in WK(4,3).
NEW = {"201": [1, 4, 6, 10, 7, 15, 12, 9], "011": [1, 4, 6, 12, 11, 6, 6, 18]}


NEW["000"] = [1, 3, 3, 9, 3, 9, 9, 27]


@pytest.mark.parametrize("rule", ["", "--rule label", "--rule stack", "--rule mask"])
@pytest.mark.parametrize("source", NEW)
def test_broadcast_by_label_and_by_rule(answer, source, rule):
    found = answer(f"broadcast wk w=4 levels=3 @{source} {rule}")
    index = int(source, 4)
    assert list(found) == [
        *("rule", "header_bits", "steps", "efficiency", "arrival", "parent", "duplicates", "missed")
    ]
    assert found["rule"] == (rule.split()[-1] if rule else "label")
    assert [found["arrival"].count(step) for step in range(8)] == NEW[source]
    assert (found["steps"], found["duplicates"], found["missed"]) == (7, 0, [])
    assert (found["arrival"][index], found["parent"][index]) == (0, None)
    neighbours = WkRecursive(w=4, levels=3).neighbours
    for node in set(range(64)) - {index}:
        parent = found["parent"][node]
        assert node in neighbours[parent]
        assert found["arrival"][node] == found["arrival"][parent] + 1
    assert found == answer(f"broadcast wk w=4 levels=3 {index} {rule}")


@pytest.mark.parametrize(
    ("keys", "rule", "bits"),
    [("", "label", 4), ("broadcast=mask", "mask", 2), ("broadcast=address", "address", 0)],
)
def test_the_rule_of_a_broadcast_is_the_network_s_own(answer, keys, rule, bits):
    found = answer(f"broadcast wk w=3 levels=3 {keys} 5")
    assert (found["rule"], found["header_bits"]) == (rule, bits)
    assert answer(f"broadcast wk w=3 levels=3 broadcast=no 5 --rule {rule}") == found


def test_the_printed_rule_names_the_nodes_that_it_misses(answer, run):
    missed = [int(node, 3) for node in ("110", "111", "112", "120", "121", "122")]  # erratum E1
    found = answer("broadcast wk w=3 levels=3 @011 --rule printed")
    assert (found["missed"], found["duplicates"]) == (missed, 0)
    assert [found["arrival"][node] for node in missed] == [None] * 6
    assert [found["parent"][node] for node in missed] == [None] * 6
    status, out, _ = run("broadcast wk w=3 levels=3 @011 --rule printed")
    assert status == 0
    assert "6: 110 111 112 120 121 122" in out


# Section 5 of the specification of the torus-connected Petersen graphs.
TCPG_PROFILES = {
    (1, 1): [1, 5, 13, 15, 6],
    (2, 2): [1, 7, 24, 46, 49, 27, 6],
    (2, 3): [1, 7, 25, 52, 67, 55, 27, 6],
    (3, 3): [1, 7, 26, 58, 86, 88, 61, 27, 6],
}


@pytest.mark.parametrize(("rule", "bits"), [("ttl", (1, 1, 2, 2)), ("address", (0, 0, 0, 0))])
def test_broadcasts_of_tori_of_petersen_graphs(answer, rule, bits):
    for ((k, m), new), header in zip(TCPG_PROFILES.items(), bits, strict=True):
        found = answer(f"broadcast tcpg k={k} m={m} {10 * k + 7} --rule {rule}")
        arrival = found["arrival"]
        assert (found["rule"], found["header_bits"]) == (rule, header)
        assert found["steps"] == k + m + 2
        assert found["efficiency"] == 1 / (k + m + 2)  # section 3.2
        assert [arrival.count(step) for step in range(k + m + 3)] == new
        assert (found["duplicates"], found["missed"]) == (0, [])


def test_both_rules_of_tori_of_petersen_graphs_make_one_tree(answer):
    source = "@11.000.aa0bbb"
    trees = [
        answer(f"broadcast tcpg k=2 m=3 {source} --rule {rule}") for rule in ("ttl", "address")
    ]
    own = answer(f"broadcast tcpg k=2 m=3 {source}")
    assert own == trees[0]
    assert trees[1]["parent"] == own["parent"]
    assert trees[1]["arrival"] == own["arrival"]
