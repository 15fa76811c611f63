"""Schedules that `schedule` tells."""

import json
from itertools import pairwise

import numpy as np
import pytest
from helpers.gf2 import images
from knotwork import CubeConnectedCycles, Hypercube, Network

# Section 8 of the specification: T with d3 and s3 first, C = 0110, and where the packets go.
WORKED = "1010\n0011\n1000\n0100\n"


DESTINATIONS = [6, 2, 10, 14, 7, 3, 11, 15, 12, 8, 0, 4, 13, 9, 1, 5]


FIELDS = {"permutation", "steps", "conflict_free", "rounds", "jump", "buddy", "matrix"}


FIELDS |= {"complement", "flags"}


FIELDS |= {"linear_complement", "bit_permutation", "closed_form"}


FIELDS |= {"naive_ascending", "naive_descending"}


@pytest.fixture
def worked(tmp_path):
    file = tmp_path / "matrix"
    file.write_text(WORKED)
    return f"--permutation lc --matrix {file} --complement 0110"


def check_ways(answer, destinations, topology):
    """Hold the one round of an answer to its permutation and to the links there are."""
    (ways,) = answer["rounds"]
    assert [way["source"] for way in ways] == list(range(len(destinations)))
    assert [way["destination"] for way in ways] == list(destinations)
    for way in ways:
        assert way["path"][0] == way["source"]
        assert all(after in topology.neighbours[at] for at, after in pairwise(way["path"]))
    return [way["path"][-1] for way in ways]


@pytest.mark.parametrize("keys", ["", "routing=lc2", "routing=lc2 data_width=8 words=3"])
def test_worked_vector_on_cube_connected_cycles(answer, worked, keys):
    got = answer(f"schedule ccc n=4 {keys} {worked}")
    assert set(got) == FIELDS
    assert check_ways(got, DESTINATIONS, CubeConnectedCycles(n=4)) == DESTINATIONS
    assert (got["permutation"], got["steps"], got["conflict_free"]) == ("lc", 20, True)
    assert (got["jump"], got["buddy"]) == ([1, 1, 0, 0], [4, 4, 4, 1])
    assert (got["matrix"], got["complement"]) == (WORKED.split(), "0110")
    assert got["flags"] == {"wrong": 0, "F1": 0, "F2": 0, "F3": 0}


@pytest.mark.parametrize("keys", ["", "routing=ecube multicast=yes", "routing=lc1"])
def test_worked_vector_on_a_hypercube(answer, worked, keys):
    # Whichever routing the words name, the one with schedules tells them.
    got = answer(f"schedule hypercube n=4 {keys} {worked}")
    assert check_ways(got, DESTINATIONS, Hypercube(n=4)) == DESTINATIONS
    assert (got["steps"], got["conflict_free"]) == (7, True)
    assert (got["jump"], got["buddy"]) == ([1, 1, 0, 0], [4, 4, 4, 1])


def test_paths_by_hand(answer):
    # n = 2: cycles 0, 1 and 2, 3, and the lateral link 0 - 2. All packets go back four places and
    # none crosses; the two of a cycle are exchanged by sorting; all go forward four places, and
    # change their cycle when they are at its first place, in the first two steps.
    got = answer("schedule ccc n=2 --permutation complement")
    (ways,) = got["rounds"]
    assert [way["path"] for way in ways] == [
        [0, 1, 0, 1, 0, 1, 0, 2, 3, 2, 3],
        [1, 0, 1, 0, 1, 0, 2, 3, 2, 3, 2],
        [2, 3, 2, 3, 2, 3, 2, 0, 1, 0, 1],
        [3, 2, 3, 2, 3, 2, 0, 1, 0, 1, 0],
    ]
    assert got["steps"] == 10


def test_complement_is_0_unless_given(answer, worked):
    plain, _, _ = worked.partition(" --complement")
    got = answer(f"schedule ccc n=4 {plain}")
    check_ways(got, [d ^ 0b0110 for d in DESTINATIONS], CubeConnectedCycles(n=4))
    assert got["complement"] == "0000"


@pytest.mark.parametrize("network", ["ccc n=6", "hypercube n=6"])
@pytest.mark.parametrize(
    ("name", "definition", "jump"),
    [
        # jump[k] = 1 where k is the least of its cycle: section 3.
        ("identity", lambda bits: bits, [1] * 6),
        ("complement", lambda bits: bits.translate({48: "1", 49: "0"}), [1] * 6),
        ("reversal", lambda bits: bits[::-1], [1, 1, 1, 0, 0, 0]),
        ("transpose", lambda bits: bits[3:] + bits[:3], [1, 1, 1, 0, 0, 0]),
        ("shuffle", lambda bits: bits[1:] + bits[:1], [1, 0, 0, 0, 0, 0]),
    ],
)
def test_named_permutations_are_free_of_conflicts(answer, network, name, definition, jump):
    got = answer(f"schedule {network} --permutation {name}")
    destinations = [int(definition(f"{i:06b}"), 2) for i in range(64)]
    topology = Network.from_words(network.split()).topology
    assert check_ways(got, destinations, topology) == destinations
    assert got["conflict_free"]
    assert got["steps"] == (20 if network == "ccc n=6" else 11)
    assert (got["jump"], got["buddy"]) == (jump, [6] * 6)


def test_random_is_linear_and_the_seed_decides_it(answer):
    one, same, default, other = (
        answer(f"schedule ccc n=5 --permutation random {seed}")
        for seed in ("--seed 1", "--seed 1", "", "--seed 2")
    )
    assert one == same == default != other
    matrix = np.array([list(row) for row in one["matrix"]])[::-1, ::-1] == "1"
    destinations = images(matrix) ^ int(one["complement"], 2)
    assert check_ways(one, destinations.tolist(), CubeConnectedCycles(n=5)) == destinations.tolist()
    assert one["conflict_free"]


def test_a_file_names_the_destinations(answer, tmp_path):
    (tmp_path / "p.json").write_text(json.dumps(DESTINATIONS))
    got = answer(f"schedule ccc n=4 --permutation {tmp_path}/p.json")
    assert check_ways(got, DESTINATIONS, CubeConnectedCycles(n=4)) == DESTINATIONS
    assert (got["conflict_free"], got["jump"]) == (True, [1, 1, 0, 0])  # known for what it is
    assert got["permutation"] == f"{tmp_path}/p.json"


def test_what_has_no_table_is_told_as_it_turns_out(answer, tmp_path):
    # Section 7: nodes 6 and 7 get each other's packet.
    (tmp_path / "p.json").write_text("[0, 1, 2, 3, 4, 6, 7, 5]")
    got = answer(f"schedule ccc n=3 --permutation {tmp_path}/p.json")
    ends = check_ways(got, [0, 1, 2, 3, 4, 6, 7, 5], CubeConnectedCycles(n=3))
    assert ends == [0, 1, 2, 3, 4, 7, 6, 5]
    assert not got["conflict_free"]
    assert (got["jump"], got["buddy"], got["matrix"]) == ([1, 1, 1], [3, 3, 3], None)
    assert got["flags"] == {"wrong": 2, "F1": 0, "F2": 2, "F3": 0}
    # Two packets that only change places on their cycle need no table.
    (tmp_path / "p.json").write_text("[1, 0, 2, 3, 4, 5, 6, 7]")
    got = answer(f"schedule ccc n=3 --permutation {tmp_path}/p.json")
    assert (got["conflict_free"], got["matrix"]) == (True, None)


def test_circuits_are_scheduled_round_by_round(answer, tmp_path):
    told = answer("schedule lcan d=4 u=2 levels=3 --permutation reversal")
    assert told["conflict_free"] is True
    assert told["steps"] == len(told["rounds"]) >= told["lower_bound"]
    pairs = [(one["source"], one["destination"]) for found in told["rounds"] for one in found]
    assert sorted(pairs) == [(s, int(f"{s:06b}"[::-1], 2)) for s in range(64)]
    for found in told["rounds"]:
        for one in found:
            level = len(one["word"])
            assert len(one["path"]) == 2 * level + 1
    # A packet crosses the cut under level c if its ends differ in a digit from c on.
    high = {cut: sum(s >> 2 * cut != t >> 2 * cut for s, t in pairs) for cut in (1, 2)}
    assert told["crossings"] == {"cut1": high[1], "cut2": high[2]}


def test_section_10_counts_crossings(answer):
    told = answer("schedule lcan d=2 u=2 levels=10 --permutation shuffle")
    assert (told["crossings"]["cut4"], told["crossings"]["cut8"]) == (1008, 768)


@pytest.mark.parametrize("bits", ["011", "01100", "01x0"])
def test_a_complement_that_does_not_fit_is_refused(refusal, worked, bits):
    line = "schedule ccc n=4 " + worked.replace("0110", bits)
    assert refusal(line) == f"schedule: --complement must be 4 characters 0 and 1, not '{bits}'"


def test_cycles_on_line_stand_beside_the_schedule(answer, run):
    line = "schedule baseline levels=3 --permutation shuffle --online 400 --expected"
    told = answer(line)
    assert (told["steps"], told["lower_bound"]) == (1, 1)
    # Section 8.4: 7/4.
    assert told["expected"] == {"cycles": "7/4", "probability": {"1": "1/4", "2": "3/4"}}
    online = told["online"]
    assert (online["choice"], online["runs"], online["min"], online["max"]) == ("lfsr", 400, 1, 2)
    assert abs(online["mean"] - 7 / 4) < 4 * (3 / 16 / 400) ** 0.5
    other = answer(f"{line} --choice independent")["online"]
    assert other["choice"] == "independent"
    assert other["mean"] > online["mean"] + 0.1
    _, out, _ = run(line)
    assert "cycles=7/4 probability(1)=1/4 probability(2)=3/4" in out


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("baseline levels=3 --choice lfsr", "schedule: --choice must go with --online"),
        (
            "baseline levels=3 --online 3 --choice dice",
            "schedule: --choice must be one of lfsr, matching, round_robin, independent, "
            "not 'dice'",
        ),
        (
            "hypercube n=3 --online 3",
            "schedule: --online must have a network of circuits, not hypercube with routing=lc1",
        ),
        (
            "ccc n=3 --expected",
            "schedule: --expected must have a network of circuits, not ccc with routing=lc2",
        ),
    ],
)
def test_what_has_no_choice_is_refused(refusal, line, complaint):
    assert refusal(f"schedule {line} --permutation identity") == complaint


@pytest.mark.parametrize(
    ("name", "order", "jump"),
    [("reversal", [3, 2, 1, 0], [1, 1, 0, 0]), ("bit_rotation", [1, 2, 3, 0], [1, 0, 0, 0])],
)
@pytest.mark.parametrize("net", ["ccc n=4", "hypercube n=4"])
def test_bit_permutations_and_their_closed_form(answer, net, name, order, jump):
    """Section 8 of the specification; no dimension has a buddy."""
    got = answer(f"schedule {net} --permutation {name}")
    assert got["linear_complement"]
    assert got["bit_permutation"] == order
    assert got["closed_form"] == {"jump": jump, "buddy": [4, 4, 4, 4]}
    assert (got["jump"], got["buddy"]) == (jump, [4, 4, 4, 4])


def test_permutations_of_other_kinds(answer, worked, tmp_path):
    got = answer(f"schedule ccc n=4 {worked}")
    assert got["linear_complement"]
    assert got["bit_permutation"] is got["closed_form"] is None
    # Singular are the trailing block of size 1, whose entry is 0, and the leading 10, 00 of size 2.
    assert (got["naive_ascending"], got["naive_descending"]) == (False, False)
    (tmp_path / "cycle").write_text("[1, 2, 0, 3, 4, 5, 6, 7]")
    got = answer(f"schedule ccc n=3 --permutation {tmp_path}/cycle")
    assert not got["linear_complement"]
    assert got["bit_permutation"] is got["closed_form"] is got["matrix"] is None
