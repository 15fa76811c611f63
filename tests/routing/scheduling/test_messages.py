"""Message sets in files, and drawn ones."""

import math
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.errors import ConfigurationError
from knotwork.routing.scheduling.linear_complement import random_matrix
from knotwork.routing.scheduling.messages import (
    NAMES,
    named_permutation,
    random_routing,
    read_complement,
    read_matrix,
    read_messages,
    read_permutation,
    worst_permutation,
)
from knotwork.topology import FatTree, Lcan

PAIRS = [(3, 1), (3, 0), (0, 3), (3, 1)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.json", "[[3, 1], [3, 0], [0, 3], [3, 1]]"),
        ("m", "[[3, 1], [3, 0], [0, 3], [3, 1]]"),
        ("m.csv", "3,1\n3, 0\n\n0,3\n3,1\n"),
        ("M.CSV", "\ufeffsource,destination\n3,1\n3,0\n0,3\n3,1\n"),
        ("m.csv", "cycle,destination,length,source\n0,1,4,3\n0,0,4,3\n5,3,1,0\n9,1,1,3"),
    ],
)
def test_all_forms_of_a_file_read_alike(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = read_messages(tmp_path / name, 4)
    assert list(zip(*(part.tolist() for part in found), strict=True)) == PAIRS


INDEX = "must be an index in 0..3, not"


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("m.json", "[]", "there must be a message, not none at all"),
        ("m.csv", "source,destination\n", "there must be a message, not none at all"),
        ("m.json", "{}", "messages must be a list of [source, destination], not {}"),
        ("m.json", "[[0, 1], 3]", "message 1 must be [source, destination], not 3"),
        ("m.json", "[[0, 1, 2]]", "message 0 must be [source, destination], not [0, 1, 2]"),
        ("m.json", "[[0, 4]]", f"message 0: the destination {INDEX} 4"),
        ("m.json", "[[0, 1], [-1, 2]]", f"message 1: the source {INDEX} -1"),
        ("m.json", '[["0", 1]]', f"message 0: the source {INDEX} '0'"),
        ("m.json", "[[1.0, 1]]", f"message 0: the source {INDEX} 1.0"),
        ("m.json", "[[true, 1]]", f"message 0: the source {INDEX} True"),
        ("m.csv", "0,1\n\n0,4\n", f"line 3: the destination {INDEX} 4"),
        ("m.csv", "0,1\n0,+2\n", f"line 2: the destination {INDEX} '+2'"),
        ("m.csv", "0,1\n2\n", "line 2 must have a source and a destination, not 2"),
        ("m.csv", "from,to\n2,3\n", "the columns must be source and destination, not from,to"),
    ],
)
def test_what_is_no_message_is_refused_with_its_place(refused, tmp_path, name, text, complaint):
    (tmp_path / name).write_text(text)
    assert refused(lambda: read_messages(tmp_path / name, 4)) == f"{tmp_path / name}: {complaint}"


@pytest.mark.parametrize("name", ["m.json", "m.csv"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"\xff\xfe\x00")
    kind = name.rpartition(".")[2].upper()
    with pytest.raises(ConfigurationError, match=f"must be a readable {kind} file"):
        read_messages(tmp_path / name, 4)
    with pytest.raises(ConfigurationError, match=f"must be a readable {kind} file"):
        read_messages(tmp_path / f"no_{name}", 4)


def test_random_routing_draws_every_destination_alike():
    counts = Counter()
    for seed in range(400):
        sources, destinations = random_routing(4, np.random.default_rng(seed))
        assert sources.tolist() == [0, 1, 2, 3]
        counts.update(zip(sources.tolist(), destinations.tolist(), strict=True))
    assert set(counts) == {(s, t) for s in range(4) for t in range(4)}
    assert all(60 < count < 140 for count in counts.values())


def named(nodes, name, seed=1):
    return named_permutation(nodes, name, np.random.default_rng(seed), owner="here").tolist()


def as_bits(index, bits):
    return format(index, f"0{bits}b")


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("complement", lambda bits: bits.translate({48: "1", 49: "0"})),
        ("reversal", lambda bits: bits[::-1]),
        ("transpose", lambda bits: bits[len(bits) // 2 :] + bits[: len(bits) // 2]),
        ("shuffle", lambda bits: bits[1:] + bits[:1]),
        ("bit_rotation", lambda bits: bits[-1:] + bits[:-1]),  # d_i = s_(i+1), as bit 0 comes last
    ],
)
def test_bit_permutations_are_those_of_their_definitions(n, name, definition):
    assert named(2**n, name) == [int(definition(as_bits(i, n)), 2) for i in range(2**n)]


def test_lists_and_what_is_defined_for_any_number_of_nodes():
    assert named(6, "complement") == [5, 4, 3, 2, 1, 0]
    assert named(6, "identity") == [0, 1, 2, 3, 4, 5]
    assert named(6, "3,1,0,5,4,2") == [3, 1, 0, 5, 4, 2]
    assert [named(1, name) for name in NAMES] == [[0]] * len(NAMES)
    assert sorted(named(40, "random")) == list(range(40))
    assert named(40, "random") == named(40, "random") != named(40, "random", seed=2)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        *(
            (name, f"{name} must have a power of two nodes, not 6")
            for name in ("reversal", "transpose", "shuffle", "bit_rotation")
        ),
        *(
            (listed, f"permutation must name each node 0..5 once, not {listed!r}")
            for listed in ("0,1,2,3,4", "0,1,2,3,4,4", "1,2,3,4,5,6")
        ),
        (
            "butterfly",
            "permutation must be one of identity, complement, random, reversal, transpose, "
            "shuffle, bit_rotation, or destinations a,b,..., not 'butterfly'",
        ),
    ],
)
def test_what_is_no_permutation_is_refused(refused, text, complaint):
    assert refused(lambda: named(6, text)) == f"here: {complaint}"


def written(folder, text):
    file = folder / "file"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def complaint_of(read, file, size):
    """What a reader says of a file, without the file's name."""
    with pytest.raises(ConfigurationError) as refusal:
        read(file, size)
    said = str(refusal.value)
    assert said.startswith(f"{file}: ")
    assert "\n" not in said
    return said.removeprefix(f"{file}: ")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"0": 1}', "a permutation must be a list of destinations, not {'0': 1}"),
        ("[0, 1, 2]", "a permutation must have 4 destinations, not 3"),
        ("[0, 1, 2, 3, 4]", "a permutation must have 4 destinations, not 5"),
        ("[0, 1, 2, 4]", "the destination of node 3 must be an index in 0..3, not 4"),
        ("[0, -1, 2, 3]", "the destination of node 1 must be an index in 0..3, not -1"),
        ("[0, true, 2, 3]", "the destination of node 1 must be an index in 0..3, not True"),
        ("[0, 1.0, 2, 3]", "the destination of node 1 must be an index in 0..3, not 1.0"),
        ('["0", 1, 2, 3]', "the destination of node 0 must be an index in 0..3, not '0'"),
        ("[2, 1, 0, 1]", "a permutation must name each node once, not 1 for nodes 1 and 3"),
    ],
)
def test_a_file_without_a_permutation_is_refused(tmp_path, text, complaint):
    assert complaint_of(read_permutation, written(tmp_path, text), 4) == complaint


@pytest.mark.parametrize("text", ["", "[0, 1", b"\xff\xfe", "[" * 100_000, "9" * 10_000, None])
def test_a_file_that_is_not_json_is_refused(tmp_path, text):
    file = tmp_path if text is None else written(tmp_path, text)
    complaint = complaint_of(read_permutation, file, 4)
    assert complaint.startswith("must be a readable JSON file: ")  # the rest is Python's


def test_a_permutation_is_read_from_json(tmp_path):
    assert read_permutation(written(tmp_path, "[2, 0, 3,\n1]"), 4).tolist() == [2, 0, 3, 1]


def test_what_is_no_text_is_no_matrix(tmp_path):
    for file in (tmp_path, tmp_path / "nothing"):
        complaint = complaint_of(read_matrix, file, 4)
        assert complaint.startswith("must be a readable matrix: ")
    complaint = complaint_of(read_matrix, written(tmp_path, b"\xff\xfe"), 4)
    assert complaint.startswith("must be a readable matrix: 'utf-8' codec")


# T of section 8 of the specification, printed with d3 and s3 first.
WORKED = "1010\n0011\n1000\n0100\n"


@pytest.mark.parametrize(
    "text", [WORKED, WORKED[:-1], WORKED + "\n \n", WORKED.replace("\n", "\r\n")]
)
def test_a_matrix_is_read_with_its_highest_bits_first(tmp_path, text):
    matrix = read_matrix(written(tmp_path, text), 4)
    assert matrix.dtype == bool
    d3, d2, d1, d0 = (set(np.nonzero(matrix[i])[0].tolist()) for i in (3, 2, 1, 0))
    assert (d3, d2, d1, d0) == ({3, 1}, {1, 0}, {3}, {2})


@given(n=st.integers(1, 20), seed=st.integers(0, 2**32))
def test_any_nonsingular_matrix_is_read(tmp_path_factory, n, seed):
    matrix = random_matrix(n, np.random.default_rng(seed))
    lines = ["".join(str(int(matrix[i, j])) for j in reversed(range(n))) for i in range(n)]
    file = written(tmp_path_factory.getbasetemp(), "\n".join(reversed(lines)))
    assert (read_matrix(file, n) == matrix).all()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "a matrix must be 4 x 4 for 16 nodes, not 0 x 0"),
        ("100\n010\n001", "a matrix must be 4 x 4 for 16 nodes, not 3 x 3"),
        ("1010\n0011\n1000", "a matrix must be square, not 3 lines with 4 characters in line 1"),
        ("1010\n0011\n100\n0", "a matrix must be square, not 4 lines with 3 characters in line 3"),
        ("\n" + WORKED, "a matrix must be square, not 5 lines with 0 characters in line 1"),
        ("1010\n0021\n1000\n0100", "line 2 of a matrix must be characters 0 and 1, not '0021'"),
        ("1 0 x 0\n", "line 1 of a matrix must be characters 0 and 1, not '10x0'"),
        ("101²", "line 1 of a matrix must be characters 0 and 1, not '101²'"),
        ("1010\n0011\n1001\n0000", "a matrix must be nonsingular, not 1010 0011 1001 0000"),
        # The last line is the sum of the first two; over the integers it is not singular.
        ("1010\n0011\n1100\n1001", "a matrix must be nonsingular, not 1010 0011 1100 1001"),
    ],
)
def test_what_is_no_matrix_is_refused(tmp_path, text, complaint):
    assert complaint_of(read_matrix, written(tmp_path, text), 4) == complaint


def test_a_complement_has_its_highest_bit_first():
    assert [read_complement(bits, 4, what="c") for bits in ("0110", "1000", "0001")] == [6, 8, 1]


@pytest.mark.parametrize("bits", ["", "011", "01100", "01x0", "+110", "0_10", " 110", "011²"])
def test_what_is_no_complement_is_refused(refused, bits):
    assert (
        refused(lambda: read_complement(bits, 4, what="here: --complement"))
        == f"here: --complement must be 4 characters 0 and 1, not {bits!r}"
    )


WORST = [
    *(Lcan(d=2, u=2, levels=4), Lcan(d=3, u=2, levels=3), Lcan(d=16, u=1, levels=1)),
    *(Lcan(d=4, u=2, levels=3, interconnect="tree"), FatTree(r=(3, 2, 5), u=(2, 2, 2))),
]


@pytest.mark.parametrize("topology", WORST, ids=lambda topology: topology.instance_name)
def test_all_pairs_of_the_worst_case_set_meet_on_top(topology):
    pes = np.arange(topology.nodes)
    drawn = [worst_permutation(topology, np.random.default_rng(seed)) for seed in range(20)]
    for destinations in drawn:
        assert sorted(destinations) == pes.tolist()
        assert (topology.lca_level(pes, destinations) == topology.levels - 1).all()
    assert len({tuple(destinations) for destinations in drawn}) == 20
    again = worst_permutation(topology, np.random.default_rng(3))
    assert again.tolist() == drawn[3].tolist()


@pytest.mark.parametrize(("r", "u"), [((2, 2), (2, 2)), ((2, 3), (2, 2)), ((3, 2), (2, 2))])
def test_the_worst_case_set_is_drawn_evenly(r, u):
    topology = FatTree(r=r, u=u)
    pes = np.arange(topology.nodes)
    several = np.array(list(permutations(pes.tolist())))
    members = several[(several // r[0] != pes // r[0]).all(axis=1)].tolist()
    rng = np.random.default_rng(1)
    draws = 15 * len(members)
    counts = Counter(tuple(worst_permutation(topology, rng).tolist()) for _ in range(draws))
    assert set(counts) <= set(map(tuple, members))
    square = sum((counts[tuple(member)] - 15) ** 2 / 15 for member in members)
    freedom = len(members) - 1
    assert abs(square - freedom) < 4.5 * (2 * freedom) ** 0.5


def test_the_worst_case_set_is_drawn_evenly_where_it_is_large():
    # Of three subtrees of m PEs, k from the first to the second decide how many go where: m - k
    # go to the third, and C(m, k)^3 * (m!)^3 members are so.
    topology, m = Lcan(d=3, u=2, levels=4), 27
    weights = np.array([math.comb(m, k) ** 3 for k in range(m + 1)], float)
    weights /= weights.sum()
    variance = weights @ (np.arange(m + 1) - m / 2) ** 2
    rng = np.random.default_rng(2)
    counts = [np.count_nonzero(worst_permutation(topology, rng)[:m] // m == 1) for _ in range(300)]
    assert abs(np.mean(counts) - m / 2) < 4 * (variance / 300) ** 0.5
    assert abs(np.var(counts) / variance - 1) < 4 * (2 / 300) ** 0.5
