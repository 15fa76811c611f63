"""Verb schedule: its tables, what it refuses."""

from typing import ClassVar

import numpy as np
import pytest
from helpers.ring import Ring, RingRouting
from helpers.tables import rows_of
from knotwork import Network
from knotwork.routing.scheduling.schedule import Schedule, SchedulingRouting, Transfer
from knotwork.system import System


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


def test_a_schedule_of_several_rounds(run, answer, monkeypatch):
    network = Network(Ring(nodes=6), routing=RoundRobin)
    monkeypatch.setattr(System, "from_words", lambda words, **_: System(network))
    got = answer("schedule loop --permutation complement")
    rounds = got.pop("rounds")
    assert got == {
        "permutation": "complement",
        "steps": 2,
        "conflict_free": False,
        "switches": 7,
    }
    assert rounds == [
        [
            {"source": 0, "destination": 5, "path": [0, 1]},
            {"source": 3, "destination": 3, "path": [3]},
        ],
        [{"source": 1, "destination": 2, "path": [1, 2]}],
    ]
    _, out, _ = run("schedule loop --permutation complement")
    assert rows_of(out) == [
        ["1", "0", "5", "000 001", "1"],
        ["1", "3", "3", "011", "0"],
        ["2", "1", "2", "001 010", "1"],
        ["steps", "2"],
        ["conflict_free", "no"],
        ["switches", "7"],
    ]
    drawn = network.routing.random_permutation(np.random.default_rng(1))
    assert sorted(drawn.tolist()) == list(range(6))


def test_what_the_ring_has_no_permutation_for_is_refused(refusal, monkeypatch):
    network = Network(Ring(nodes=6), routing=RoundRobin)
    monkeypatch.setattr(System, "from_words", lambda words, **_: System(network))
    power = "must have a power of two nodes, not 6"
    assert refusal("schedule loop --permutation shuffle") == f"schedule: shuffle {power}"
    assert refusal("schedule loop --permutation lc --matrix f") == f"schedule: lc {power}"


def test_a_routing_of_permutations_alone_refuses_messages(refusal, monkeypatch):
    network = Network(Ring(nodes=6), routing=RoundRobin)
    monkeypatch.setattr(System, "from_words", lambda words, **_: System(network))
    assert refusal("schedule loop --messages random_routing") == (
        "loop: routing=rounds must be given a permutation, not messages"
    )


def test_messages_are_told_up_to_64_of_them(run, tmp_path):
    (tmp_path / "m.csv").write_text("\n".join(["3,9"] * 65))
    status, out, _ = run(f"schedule lcan d=4 u=2 levels=2 --messages {tmp_path}/m.csv")
    assert status == 0
    assert "Paths are listed up to 64 messages; --json has them all." in out
    assert ["steps", "65"] in rows_of(out)


def test_a_network_of_a_toml_file(answer, tmp_path):
    (tmp_path / "my.toml").write_text('network = "ccc"\nn = 4\n')
    assert answer(f"schedule {tmp_path}/my.toml --permutation reversal")["steps"] == 20


NAMES = "identity, complement, random, reversal, transpose, shuffle, bit_rotation, lc"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (
            "moebius n=4 --permutation reversal",
            "schedule: a network must be one of hypercube, ccc, lcan, fattree, cm5, baseline, "
            "sw_banyan, trac, not moebius",
        ),
        (
            "ccc n=4 --permutation butterfly",
            f"schedule: --permutation must be one of {NAMES}, or a JSON file, not 'butterfly'",
        ),
        ("ccc n=4 --permutation lc", "schedule: --permutation lc must have a --matrix FILE"),
        (
            "ccc n=4 --permutation reversal --matrix f",
            "schedule: --matrix and --complement must come with --permutation lc, not 'reversal'",
        ),
        (
            "ccc n=4 --permutation complement --complement 0110",
            "schedule: --matrix and --complement must come with --permutation lc, not 'complement'",
        ),
        (
            "ccc n=4 --messages random_routing --complement 0110",
            "schedule: --matrix and --complement must come with --permutation lc",
        ),
        (
            "lcan d=2 u=2 levels=3 --messages random_ruting",
            "schedule: --messages must be random_routing or a file .json or .csv, not "
            "'random_ruting'; did you mean random_routing?",
        ),
        ("ccc n=1 --permutation identity", "ccc: n must be an integer in 2..20, not 1"),
    ],
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


def test_a_file_without_a_permutation_is_refused(refusal, tmp_path):
    (tmp_path / "p").write_text("[0, 1, 2, 2]")
    assert refusal(f"schedule ccc n=2 --permutation {tmp_path}/p") == (
        f"{tmp_path}/p: a permutation must name each node once, not 2 for nodes 2 and 3"
    )


def test_usage_errors_are_one_line(refusal):
    must = "schedule: there must be --permutation or --messages"
    assert refusal("schedule ccc n=4") == must
    both = "schedule ccc n=4 --permutation random --messages random_routing"
    assert refusal(both) == "schedule: --messages must not go with --permutation"
    assert refusal("schedule ccc n=4 --permutation random --seed -1").startswith("Invalid value")
