"""Verb multicast: what it answers, its tables, what it refuses."""

import json
from itertools import pairwise

import pytest
from helpers.ring import Ring, RingRouting
from knotwork import Moebius, Network
from knotwork.designs import Design
from knotwork.routing import Hop
from knotwork.topology import TOPOLOGIES


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
        "order": "xor",
        "chain": [0, 3, 2, 15, 14, 8, 11],
        "hops": 12,
        "rounds": ROUNDS,
        "contention_free": True,
    }


def test_multicast_table(run):
    status, out, _ = run("multicast moebius n=4 5 0 2 3 8 11 14 15")
    title, *lines, last = out.splitlines()
    assert status == 0
    assert title.strip() == "moebius_n4_twist0: 5 to 7 nodes, 3 rounds, 12 hops"
    assert last == "No two packets of a round share a link."
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if "│" in line]
    assert rows[:3] == [
        ["1", "5", "15", "0101 1101 1110 1111", "3"],
        ["2", "5", "3", "0101 0001 0011", "2"],
        ["2", "15", "8", "1111 1000", "1"],
    ]
    assert len(rows) == 7
    _, out, _ = run("multicast hypercube n=3 0 7")
    assert out.startswith("hypercube_n3: 0 to 1 node, 1 round, 3 hops")


def test_multicast_in_address_order(answer):
    """Section 7 of the specification, order A."""
    line = "multicast moebius n=4 5 0 2 3 8 11 14 15"
    found = answer(f"{line} --order address")
    assert (found["order"], found["chain"]) == ("address", [0, 2, 3, 8, 11, 14, 15])
    assert (found["hops"], found["contention_free"]) == (14, True)
    # By hand: E_2 leads from 1101 to 1010, and from there dimension 1 to 1000.
    assert found["rounds"][0] == [{"from": 5, "to": 8, "path": [5, 13, 10, 8]}]
    assert [len(packets) for packets in found["rounds"]] == [1, 2, 4]
    assert answer(f"{line} --order xor")["rounds"] == ROUNDS


def test_orders_are_compared_by_rounds_and_hops(answer, run):
    line = "multicast moebius n=4 5 0 2 3 8 11 14 15 --compare"
    same = {"rounds": 3, "longest_path": 3, "contention_free": True}
    # The longest paths of the rounds: 3, 2 and 2 links by XOR, 3, 3 and 2 by address.
    assert answer(line) == {
        "orders": [
            {"order": "xor", "hops": 12, "critical_hops": 7, **same},
            {"order": "address", "hops": 14, "critical_hops": 8, **same},
        ]
    }
    status, out, _ = run(line)
    rows = [[cell.strip() for cell in row.split("│")[1:-1]] for row in out.splitlines()]
    assert status == 0
    assert [row for row in rows if row] == [
        ["xor", "3", "12", "3", "7", "yes"],
        ["address", "3", "14", "3", "8", "yes"],
    ]


WORDS = "multicast: the arguments must be NET... SRC DST..., a network and two nodes or more, not "


@pytest.mark.parametrize(
    ("line", "complaint"),
    {
        "": f"{WORDS}''",
        "moebius n=4 3": f"{WORDS}'moebius n=4 3'",
        "moebius n=4 3 5 twist=1": f"{WORDS}'moebius n=4 3 5 twist=1'",
        "3 5 6": f"a network must be one of {', '.join(TOPOLOGIES)}, not '3'",
        "moebius n=4 3 16": "moebius_n4_twist0: a node must be an index in 0..15 or @label, not "
        "'16'",
        "moebius n=4 3 @0011": "moebius_n4_twist0: a destination must be another node than the "
        "source, not 3",
        "moebius n=4 3 5 @0101": "moebius_n4_twist0: destinations must be distinct, not 5 twice",
        "moebius n=4 3 5 --order lexicographic": "multicast: --order must be one of xor, address, "
        "not 'lexicographic'",
        "moebius n=4 3 5 --compare --order xor": "multicast: --compare must be used without "
        "--order: it compares all orders",
    }.items(),
)
def test_bad_input_is_refused_in_one_line(refusal, line, complaint):
    assert refusal(f"multicast {line}") == complaint


def test_a_routing_that_cannot_is_refused(refusal, monkeypatch):
    network = Network(Ring(nodes=6), routing=RingRouting)
    monkeypatch.setattr(Design, "from_texts", lambda name, texts, **_: Design(network))
    assert refusal("multicast loop 0 1") == (
        "loop: routing must be one that crosses dimensions in falling order for a multicast, "
        "not shortest"
    )
