"""Verb schedule: what it answers, its tables, what it refuses."""

import json
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest
from helpers.gf2 import images
from helpers.ring import Ring, RingRouting
from helpers.tables import rows_of
from knotwork import CubeConnectedCycles, Network
from knotwork.designs import Design
from knotwork.routing.scheduling.schedule import Schedule, SchedulingRouting, Transfer

# Section 8 of the specification: T with d3 and s3 first, C = 0110, and where the packets go.
WORKED = "1010\n0011\n1000\n0100\n"
DESTINATIONS = [6, 2, 10, 14, 7, 3, 11, 15, 12, 8, 0, 4, 13, 9, 1, 5]

FIELDS = {
    *("permutation", "steps", "conflict_free", "rounds", "jump", "buddy", "matrix", "complement"),
    *("flags", "linear_complement", "bit_permutation", "closed_form"),
    *("naive_ascending", "naive_descending"),
}


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


@pytest.mark.parametrize("keys", ["", "routing=lc2 data_width=8 words=3"])
def test_worked_vector_on_cube_connected_cycles(answer, worked, keys):
    got = answer(f"schedule ccc n=4 {keys} {worked}")
    assert set(got) == FIELDS
    assert check_ways(got, DESTINATIONS, CubeConnectedCycles(n=4)) == DESTINATIONS
    assert (got["permutation"], got["steps"], got["conflict_free"]) == ("lc", 20, True)
    assert (got["jump"], got["buddy"]) == ([1, 1, 0, 0], [4, 4, 4, 1])
    assert (got["matrix"], got["complement"]) == (WORKED.split(), "0110")
    assert got["flags"] == {"wrong": 0, "F1": 0, "F2": 0, "F3": 0}


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


@pytest.mark.parametrize(("network", "steps"), [("ccc n=4", 20), ("hypercube n=4", 7)])
@pytest.mark.parametrize(
    ("name", "definition", "jump", "order"),
    [
        # jump[k] = 1 where k is the least of its cycle: section 3.
        ("identity", lambda bits: bits, [1] * 4, [0, 1, 2, 3]),
        ("complement", lambda bits: bits.translate({48: "1", 49: "0"}), [1] * 4, [0, 1, 2, 3]),
        ("reversal", lambda bits: bits[::-1], [1, 1, 0, 0], [3, 2, 1, 0]),
        ("transpose", lambda bits: bits[2:] + bits[:2], [1, 1, 0, 0], [2, 3, 0, 1]),
        ("shuffle", lambda bits: bits[1:] + bits[:1], [1, 0, 0, 0], [3, 0, 1, 2]),
        ("bit_rotation", lambda bits: bits[-1:] + bits[:-1], [1, 0, 0, 0], [1, 2, 3, 0]),
    ],
)
def test_named_permutations_are_free_of_conflicts_and_have_a_closed_form(
    answer, network, steps, name, definition, jump, order
):
    """Sections 3 and 8 of the specification; no dimension has a buddy."""
    got = answer(f"schedule {network} --permutation {name}")
    destinations = [int(definition(f"{i:04b}"), 2) for i in range(16)]
    topology = Network.from_words(network.split()).topology
    assert check_ways(got, destinations, topology) == destinations
    assert (got["conflict_free"], got["steps"]) == (True, steps)
    assert (got["jump"], got["buddy"]) == (jump, [4] * 4)
    assert got["linear_complement"]
    assert got["bit_permutation"] == order
    assert got["closed_form"] == {"jump": jump, "buddy": [4] * 4}


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


@pytest.mark.parametrize("bits", ["011", "01100", "01x0"])
def test_a_complement_that_does_not_fit_is_refused(refusal, worked, bits):
    line = refusal("schedule ccc n=4 " + worked.replace("0110", bits))
    assert line == f"schedule: --complement must be 4 characters 0 and 1, not '{bits}'"


def test_files_of_destinations_and_complements(answer, tmp_path, worked):
    (tmp_path / "p.json").write_text(json.dumps(DESTINATIONS))
    got = answer(f"schedule ccc n=4 --permutation {tmp_path}/p.json")
    assert check_ways(got, DESTINATIONS, CubeConnectedCycles(n=4)) == DESTINATIONS
    assert (got["conflict_free"], got["jump"]) == (True, [1, 1, 0, 0])  # known for what it is
    assert got["permutation"] == f"{tmp_path}/p.json"
    plain, _, _ = worked.partition(" --complement")
    got = answer(f"schedule ccc n=4 {plain}")
    check_ways(got, [d ^ 0b0110 for d in DESTINATIONS], CubeConnectedCycles(n=4))
    assert got["complement"] == "0000"


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


def test_table_of_a_small_network(run):
    status, out, err = run("schedule hypercube n=3 --permutation reversal")
    assert (status, err) == (0, "")
    assert out.splitlines()[0].strip() == "hypercube_n3: reversal by lc1"
    ways, facts = rows_of(out)[:8], rows_of(out)[8:]
    # Dimension 2 is crossed by those whose d2 = s0 is 1; then each bit from the lowest.
    assert ways == [
        ["0", "0", "000", "0"],
        ["1", "4", "001 101 100", "2"],
        ["2", "2", "010", "0"],
        ["3", "6", "011 111 110", "2"],
        ["4", "1", "100 101 001", "2"],
        ["5", "5", "101 001 101", "2"],
        ["6", "3", "110 111 011", "2"],
        ["7", "7", "111 011 111", "2"],
    ]
    assert facts == [
        ["steps", "5"],
        ["conflict_free", "yes"],
        ["jump", "1, 1, 0"],
        ["buddy", "3, 3, 3"],
        ["matrix", "001"],
        ["", "010"],
        ["", "100"],
        ["complement", "000"],
        ["linear_complement", "yes"],
        ["bit_permutation", "2, 1, 0"],
        ["closed_form", "jump=[1, 1, 0] buddy=[3, 3, 3]"],
        ["naive_ascending", "no"],
        ["naive_descending", "no"],
        ["flags", "wrong=0 F1=0 F2=0 F3=0"],
    ]


@pytest.mark.parametrize(("n", "ways"), [(6, 64), (7, 0)])
def test_table_of_a_large_network_has_the_facts_only(run, n, ways):
    status, out, _ = run(f"schedule ccc n={n} --permutation shuffle")
    assert status == 0
    assert out.splitlines()[0].strip() == f"ccc_n{n}: shuffle by lc2"
    assert len([row for row in rows_of(out) if len(row) == 4]) == ways
    assert ["conflict_free", "yes"] in rows_of(out)
    assert ("\nPaths are listed up to 64 nodes; --json has them all.\n" in out) == (ways == 0)


class RoundRobin(RingRouting, SchedulingRouting):
    """Two rounds on a ring, each of packets to the next node or to their own."""

    name: ClassVar[str] = "rounds"

    def schedule(self, destinations):
        first = [Transfer(0, int(destinations[0]), [0, 1]), Transfer(3, 3, [3])]
        return Schedule([first, [Transfer(1, 2, [1, 2])]], 2, False, {"switches": 7})


@pytest.fixture
def ring(monkeypatch):
    """Network that every command line names: a ring with two rounds."""
    network = Network(Ring(nodes=6), routing=RoundRobin)
    monkeypatch.setattr(Design, "from_texts", lambda name, texts, **_: Design(network))
    return network


def test_a_schedule_of_several_rounds(run, answer, ring):
    assert answer("schedule loop --permutation complement") == {
        "permutation": "complement",
        "steps": 2,
        "conflict_free": False,
        "switches": 7,
        "rounds": [
            [
                {"source": 0, "destination": 5, "path": [0, 1]},
                {"source": 3, "destination": 3, "path": [3]},
            ],
            [{"source": 1, "destination": 2, "path": [1, 2]}],
        ],
    }
    _, out, _ = run("schedule loop --permutation complement")
    assert rows_of(out) == [
        ["1", "0", "5", "000 001", "1"],
        ["1", "3", "3", "011", "0"],
        ["2", "1", "2", "001 010", "1"],
        ["steps", "2"],
        ["conflict_free", "no"],
        ["switches", "7"],
    ]
    drawn = ring.routing.random_permutation(np.random.default_rng(1))
    assert sorted(drawn.tolist()) == list(range(6))


def test_what_the_ring_cannot_schedule_is_refused(refusal, ring):
    power = "must have a power of two nodes, not 6"
    assert refusal("schedule loop --permutation shuffle") == f"schedule: shuffle {power}"
    assert refusal("schedule loop --permutation lc --matrix f") == f"schedule: lc {power}"
    assert refusal("schedule loop --messages random_routing") == (
        "loop: routing=rounds must be given a permutation, not messages"
    )


def test_files_without_a_permutation_and_long_lists_of_messages(run, tmp_path, refusal):
    (tmp_path / "m.csv").write_text("\n".join(["3,9"] * 65))
    status, out, _ = run(f"schedule lcan d=4 u=2 levels=2 --messages {tmp_path}/m.csv")
    assert status == 0
    assert "Paths are listed up to 64 messages; --json has them all." in out
    assert ["steps", "65"] in rows_of(out)
    (tmp_path / "p").write_text("[0, 1, 2, 2]")
    assert refusal(f"schedule ccc n=2 --permutation {tmp_path}/p") == (
        f"{tmp_path}/p: a permutation must name each node once, not 2 for nodes 2 and 3"
    )


NAMES = "identity, complement, random, reversal, transpose, shuffle, bit_rotation, lc"


@pytest.mark.parametrize(
    ("line", "complaint"),
    {
        "baseline levels=3 --choice lfsr --permutation identity": "schedule: --choice must be "
        "used with --online",
        "baseline levels=3 --online 3 --choice dice --permutation identity": "schedule: --choice "
        "must be one of lfsr, "
        "matching, round_robin, independent, not 'dice'",
        "hypercube n=3 --online 3 --permutation identity": "schedule: --online must be used with "
        "a network of circuits, not hypercube with routing=lc1",
        "ccc n=4 --complement 011 --permutation identity": "schedule: --matrix and --complement "
        "must be used with --permutation lc, not 'identity'",
        "ccc n=3 --expected --permutation identity": "schedule: --expected must be used with a "
        "network of circuits, not ccc with routing=lc2",
        "lcan d=2 u=2 levels=3 --permutation reversal --naive ascending": "schedule: --naive must "
        "be used with hypercube or ccc, which route one dimension after the other, not lcan",
        "ccc n=4 --messages random_routing --naive ascending": "schedule: --naive must be used "
        "with --permutation, not --messages",
        "ccc n=4 --permutation identity --naive ascending --expected": "schedule: --naive must "
        "not be used with --online or --expected",
        "moebius n=4 --permutation reversal": "schedule: a network must be one of hypercube, ccc, "
        "lcan, fattree, cm5, baseline, sw_banyan, trac, not moebius",
        "ccc n=4 --permutation butterfly": f"schedule: --permutation must be one of {NAMES}, "
        "destinations a,b,..., or a JSON file, not 'butterfly'",
        "ccc n=4 --permutation .": f"schedule: --permutation must be one of {NAMES}, "
        "destinations a,b,..., or a JSON file, not '.'",
        "lcan d=2 u=2 levels=2 --permutation 1,0,2": "schedule: permutation must name each node "
        "0..3 once, not '1,0,2'",
        "ccc n=4 --permutation lc": "schedule: --permutation lc must have a --matrix FILE",
        "ccc n=4 --permutation reversal --matrix f": "schedule: --matrix and --complement must be "
        "used with --permutation lc, not 'reversal'",
        "ccc n=4 --permutation complement --complement 0110": "schedule: --matrix and "
        "--complement must be used with --permutation lc, not 'complement'",
        "ccc n=4 --messages random_routing --complement 0110": "schedule: --matrix and "
        "--complement must be used with --permutation lc",
        "lcan d=2 u=2 levels=3 --messages random_ruting": "schedule: --messages must be "
        "random_routing or a file .json or .csv, not 'random_ruting'; did you mean random_routing?",
        "ccc n=4": "schedule: --permutation or --messages must be given",
        "ccc n=4 --permutation random --messages random_routing": "schedule: --messages must not "
        "be used with --permutation",
    }.items(),
)
def test_bad_input_is_refused_in_one_line(refusal, line, complaint):
    assert refusal(f"schedule {line}") == complaint


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("101\n011\n100\n", "a matrix must be 4 x 4 for 16 nodes, not 3 x 3"),
        ("1010\n0011\n", "a matrix must be square, not 2 lines with 4 characters in line 1"),
        ("1010\n" * 4, "a matrix must be nonsingular, not 1010 1010 1010 1010"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(refusal, tmp_path, text, complaint):
    (tmp_path / "m").write_text(text)
    line = f"schedule ccc n=4 --permutation lc --matrix {tmp_path}/m"
    assert refusal(line) == f"{tmp_path}/m: {complaint}"
