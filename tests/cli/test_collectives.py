import json
from itertools import pairwise

import pytest
from helpers.ring import Ring, RingRouting
from knotwork import Moebius, Network, WkRecursive
from knotwork.routing import Hop
from knotwork.topology import TOPOLOGIES

# Section 7 of the specification, order B, and its paths by hand: dimension 3 of 0-MC_4 is plain,
# 0101 -> 1101; there dimension 1 is twisted by bit 2, 1101 -> 1110, and then dimension 0.
ROUNDS = [
    [{"from": 5, "to": 15, "path": [5, 13, 14, 15]}],
    [{"from": 5, "to": 3, "path": [5, 1, 3]}, {"from": 15, "to": 8, "path": [15, 8]}],
    [
        {"from": 5, "to": 0, "path": [5, 1, 0]},
        {"from": 3, "to": 2, "path": [3, 2]},
        {"from": 15, "to": 14, "path": [15, 14]},
        {"from": 8, "to": 11, "path": [8, 10, 11]},
    ],
]


@pytest.mark.parametrize("nodes", ["5 0 2 3 8 11 14 15", "@0101 15 @0010 0 3 @1000 14 11"])
def test_multicast_by_index_and_by_label(run, nodes):
    status, out, err = run(f"multicast moebius n=4 twist=0 {nodes} --json")
    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "chain": [0, 3, 2, 15, 14, 8, 11],
        "rounds": ROUNDS,
        "contention_free": True,
    }


def test_multicast_table(run):
    status, out, _ = run("multicast moebius n=4 5 0 2 3 8 11 14 15")
    title, *lines, last = out.splitlines()
    assert status == 0
    assert title.strip() == "moebius_n4_twist0: 5 to 7 nodes, 3 rounds"
    assert last == "No two packets of a round share a link."
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if "│" in line]
    assert rows[:3] == [
        ["1", "5", "15", "0101 1101 1110 1111", "3"],
        ["2", "5", "3", "0101 0001 0011", "2"],
        ["2", "15", "8", "1111 1000", "1"],
    ]
    assert len(rows) == 7
    _, out, _ = run("multicast hypercube n=3 0 7")
    assert out.startswith("hypercube_n3: 0 to 1 node, 1 round")


def test_a_network_of_a_toml_file(run, tmp_path):
    (tmp_path / "my.toml").write_text('network = "moebius"\nn = 4\n')
    status, out, _ = run(f"multicast {tmp_path}/my.toml 5 0 2 3 8 11 14 15 --json")
    assert (status, json.loads(out)["rounds"]) == (0, ROUNDS)


WORDS = "multicast: the words must be NET... SRC DST..., a network and two nodes or more, not "


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", f"{WORDS}''"),
        ("moebius n=4", f"{WORDS}'moebius n=4'"),
        ("moebius n=4 3", f"{WORDS}'moebius n=4 3'"),
        ("moebius n=4 3 5 twist=1", f"{WORDS}'moebius n=4 3 5 twist=1'"),
        ("3 5 6", f"a network must be one of {', '.join(TOPOLOGIES)}, not '3'"),
        (
            "moebius n=4 3 16",
            "moebius_n4_twist0: a node must be an index in 0..15 or @label, not '16'",
        ),
        (
            "moebius n=4 3 @0011",
            "moebius_n4_twist0: a destination must be another node than the source, not 3",
        ),
        (
            "moebius n=4 3 5 @0101",
            "moebius_n4_twist0: destinations must be distinct, not 5 twice",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(refusal, line, complaint):
    assert refusal(f"multicast {line}") == complaint


def test_a_routing_that_cannot_is_refused(refusal, monkeypatch):
    network = Network(Ring(nodes=6), routing=RingRouting)
    monkeypatch.setattr(Network, "from_words", lambda words: network)
    assert refusal("multicast ring 0 1") == (
        "ring: routing must be one that crosses dimensions in falling order for a multicast, "
        "not shortest"
    )


def test_packets_that_meet_are_told(run, monkeypatch):
    network = Network(Moebius(n=3))
    assert_free(run, True)

    def hops(_, source, destination):
        """Detours by which 1 -> 5 and 4 -> 7, of one round, both cross from 4 to 5."""
        path = {(1, 5): [1, 0, 4, 5], (4, 7): [4, 5, 6, 7]}.get((source, destination), [1, 0, 4])
        ports = [list(network.topology.neighbours[a]).index(b) for a, b in pairwise(path)]
        return [Hop(router, port, 0) for router, port in zip(path, [*ports, 0], strict=True)]

    monkeypatch.setattr(type(network.routing), "hops", hops)
    assert_free(run, False)


def assert_free(run, expected):
    status, out, _ = run("multicast moebius n=3 1 4 5 7 --json")
    assert (status, json.loads(out)["contention_free"]) == (0, expected)
    _, out, _ = run("multicast moebius n=3 1 4 5 7")
    assert ("\nTwo packets of a round share a link." in out) != expected


# Section 3 of the specification of the WK-recursive networks: new nodes per step in WK(4,3).
NEW = {"201": [1, 4, 6, 10, 7, 15, 12, 9], "011": [1, 4, 6, 12, 11, 6, 6, 18]}
NEW["000"] = [1, 3, 3, 9, 3, 9, 9, 27]


@pytest.mark.parametrize("rule", ["", "--rule label", "--rule stack", "--rule mask"])
@pytest.mark.parametrize("source", NEW)
def test_broadcast_by_label_and_by_rule(answer, source, rule):
    found = answer(f"broadcast wk w=4 levels=3 @{source} {rule}")
    index = int(source, 4)
    assert list(found) == [
        *("rule", "header_bits", "steps", "arrival", "parent", "duplicates", "missed")
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


def test_the_printed_rule_tells_whom_it_misses(answer, run):
    missed = [int(node, 3) for node in ("110", "111", "112", "120", "121", "122")]  # erratum E1
    found = answer("broadcast wk w=3 levels=3 @011 --rule printed")
    assert (found["missed"], found["duplicates"]) == (missed, 0)
    assert [found["arrival"][node] for node in missed] == [None] * 6
    assert [found["parent"][node] for node in missed] == [None] * 6
    status, out, _ = run("broadcast wk w=3 levels=3 @011 --rule printed")
    assert status == 0
    assert "6: 110 111 112 120 121 122" in out


def cells(out):
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]


def test_broadcast_table(run):
    status, out, _ = run("broadcast wk w=3 levels=3 @012")
    assert status == 0
    assert out.splitlines()[0].strip() == "wk_w3_levels3: 012 to all, --rule label"
    rows = [row for row in cells(out) if row]
    assert rows[:5] == [
        ["steps", "6"],
        ["new nodes per step", "1, 3, 4, 5, 4, 6, 4"],
        ["header bits", "4"],
        ["duplicates", "0"],
        ["nodes missed", "0"],
    ]
    # Of the listing in section 3 of the specification.
    assert len(rows) == 5 + 27
    assert rows[5] == ["0", "000", "3", "001"]
    assert rows[10] == ["5", "012", "0", "-"]
    assert rows[-1] == ["26", "222", "6", "220"]


def test_a_large_broadcast_s_table_is_short(run):
    _, out, _ = run("broadcast wk w=2 levels=8 0 --rule printed")
    rows = [row for row in cells(out) if row]
    # A line of 2^8 nodes: one new node a step.
    assert rows[:2] == [["steps", "255"], ["new nodes per step", "at most 1"]]
    assert len(rows) == 5
    _, out, _ = run("broadcast wk w=3 levels=4 @0011 --rule printed")
    missed = [row[1] for row in cells(out) if row and row[0] == "nodes missed"]
    assert len(missed) == 1
    assert missed[0].isdigit()


RULES = "label, address, mask, corner, printed, stack"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", "''"),
        ("wk w=3 levels=3", "'wk w=3 levels=3'"),
        ("wk w=3 levels=3 1 2", "'wk w=3 levels=3 1 2'"),
        ("wk w=3 1 levels=3", "'wk w=3 1 levels=3'"),
    ],
)
def test_words_that_are_no_broadcast_are_refused(refusal, line, complaint):
    assert refusal(f"broadcast {line}") == (
        f"broadcast: the words must be NET... SRC, a network and one node, not {complaint}"
    )


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("27", "a node must be an index in 0..26 or @label, not '27'"),
        ("@013", "a label must be one of @000..@222, not '@013'"),
        ("1 --rule corner", "the source must be one of 0, 13, 26 for --rule corner, not 1"),
        ("1 --rule no", f"a rule must be one of {RULES}, not 'no'"),
        (
            "broadcast=no 1",
            f"a rule must be named with broadcast=no: --rule {RULES.replace(', ', '|')}, not none",
        ),
    ],
)
def test_a_broadcast_that_cannot_be_is_refused(refusal, line, complaint):
    assert refusal(f"broadcast wk w=3 levels=3 {line}") == f"wk_w3_levels3: {complaint}"


def test_a_network_without_broadcasts_is_refused(refusal, monkeypatch):
    line = refusal("broadcast hypercube n=3 1 --rule label")
    assert line.startswith("broadcast: a network must be one of ")
    assert "wk" in line.removesuffix(", not hypercube").split(" one of ")[1].split(", ")
    network = Network(WkRecursive(w=3, levels=2), routing=Plain)
    monkeypatch.setattr(Network, "from_words", lambda words: network)
    line = refusal("broadcast wk 1")
    assert line.startswith("wk: routing must be one of unicast")
    assert line.endswith(" for a broadcast, not shortest")


class Plain(RingRouting):
    """Routing of any network, without broadcasts."""


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
