"""Errata of the thesis on Möbius cubes, by their numbers on the page.

`route` is the pseudocode of figures 2.3 and 2.9, as printed or mended; its counts of detours are
compared with breadth-first search.
"""

from functools import cache
from itertools import combinations, pairwise, permutations, product
from math import ceil

import numpy as np
import pytest
from helpers.thesis_tables import printed
from knotwork import Moebius, Network
from knotwork.routing.deadlock import check_deadlock
from knotwork.routing.moebius import Term, minimal_expansion, with_other_top
from knotwork.routing.multicast import Send, contention
from knotwork.topology import metrics


def bit(x, i, n, twist):
    return (x | twist << n) >> i & 1


def route(n, twist, x, y, *, offset=-1, stays=True):
    """Nodes of the path; `offset` of the index in case 1, and whether cases 1 and 2 stay in spr."""
    terms, head, tail, swaps = minimal_expansion(x ^ y), [x], [], True

    def is_edge(term):
        return term[0] == 0 or term[1] == bit(x, term[0] + 1, n, twist)

    while x != y:
        top = terms[0]
        if not is_edge(top):
            swapped = with_other_top(terms) if swaps else None
            below = Term(top[0] - 1, True)
            terms = swapped or [Term(top[0], not top[1]), below, *terms[1:]]
            continue
        used = top
        if top[1] and top[0]:
            used = next((term for term in terms[1:] if is_edge(term)), top)
        terms.remove(used)
        if (
            used is top
            and not top[1]
            and terms
            and terms[0][0] == top[0] + offset
            and is_edge(terms[0])
        ):
            tail.append(y)
            y ^= top.mask
        else:
            x ^= used.mask
            head.append(x)
        swaps = swaps and stays
    return head + tail[::-1]


def detours(n, twist, **reading):
    """Pairs whose path is longer than a shortest one; every hop of all paths is a link."""
    near = Moebius(n=n, twist=twist).neighbours
    hops, longer = metrics.distances(near), []
    for x, y in product(range(2**n), repeat=2):
        path = route(n, twist, x, y, **reading)
        assert all(b in near[a, 1:] for a, b in pairwise(path))
        if len(path) - 1 != hops[x, y]:
            longer.append((x, y))
    return longer


def counts(n, **reading):
    return tuple(len(detours(n, twist, **reading)) for twist in (0, 1))


@pytest.mark.parametrize(("n", "pairs"), [(3, (8, 0)), (4, (36, 8)), (5, (172, 44))])
def test_m1_case_1_asks_for_the_index_below(n, pairs):
    assert counts(n, offset=1) == pairs


@pytest.mark.parametrize(
    ("twist", "ends", "hops", "as_printed"),
    [(0, ("1110", "0001"), 2, 4), (0, ("1000", "0101"), 3, 5), (0, ("0000", "1100"), 2, 3)],
)
def test_m1_examples_of_the_thesis_as_printed(twist, ends, hops, as_printed):
    x, y = (int(end, 2) for end in ends)
    assert len(route(4, twist, x, y)) - 1 == hops
    assert len(route(4, twist, x, y, offset=1, stays=False)) - 1 == as_printed


@pytest.mark.parametrize(("n", "pairs"), [(3, (0, 0)), (4, (0, 0)), (5, (32, 0)), (6, (160, 32))])
def test_m2_cases_1_and_2_go_on_as_spr(n, pairs):
    assert counts(n, stays=False) == pairs


@pytest.mark.parametrize(("n", "pairs"), [(3, (8, 0)), (4, (36, 8)), (5, (188, 44))])
def test_m11_the_algorithm_is_not_minimal_as_printed(n, pairs):
    assert counts(n, offset=1, stays=False) == pairs
    assert counts(n) == (0, 0)


@pytest.mark.parametrize(("n", "twist"), [(3, 0), (3, 1), (4, 0), (4, 1)])
def test_m4_dfr_crosses_to_the_neighbour_in_a_dimension(n, twist):
    near = Moebius(n=n, twist=twist).neighbours
    links = [[near[x, i + 1] for i in range(n)] for x in range(2**n)]
    flips = [[x ^ 2**i for i in range(n)] for x in range(2**n)]
    assert any(flip not in near[x, 1:] for x in range(2**n) for flip in flips[x])
    for x, i in product(range(2**n), range(n)):
        assert (links[x][i] ^ x) >> i == 1  # bit i changes, and no bit above


@pytest.mark.parametrize("n", [3, 6])
def test_m5_there_is_no_dimension_n(n):
    ports = Moebius(n=n).ports
    assert f"dim{n - 1}" in ports
    assert f"dim{n}" not in ports


def test_m6_terms_add_up_in_dimensions_from_1():
    for i in range(1, 12):
        assert Term(i, False).mask ^ Term(i, True).mask == Term(i - 1, True).mask
    assert Term(0, False).mask ^ Term(0, True).mask == 0


def has_other_top(b):
    """Whether a string has an expansion of equal length with the other kind of link on top."""
    (i, twisted), *rest = minimal_expansion(b)
    return i > 0 and 1 + len(minimal_expansion(b ^ Term(i, not twisted).mask)) == 1 + len(rest)


def lemma(b, *, gap, zero_counts=True):
    """Whether lemmas 4 and 5 say so, where the rest has no index above i - 2k - `gap`."""
    terms = minimal_expansion(b)
    i = terms[0][0]
    for k, (dimension, twisted) in enumerate(terms[1:], start=1):
        if dimension != i - 2 * k:
            return False
        if twisted and (dimension or zero_counts):
            rest = terms[k + 1 :]
            return not rest or rest[0][0] <= i - 2 * k - gap
    return False


def test_m7_the_rest_of_an_expansion_may_begin_two_places_below():
    strings = range(1, 2**11)
    assert all(lemma(b, gap=2) == has_other_top(b) for b in strings)
    assert any(lemma(b, gap=4) != has_other_top(b) for b in strings)
    second = 0b10101011001  # figure 2.8
    assert has_other_top(second)
    assert not lemma(second, gap=4)


def test_m8_a_term_of_dimension_0_counts_as_twisted():
    strings = range(1, 2**11)
    missed = [b for b in strings if lemma(b, gap=2, zero_counts=False) != has_other_top(b)]
    assert missed
    assert all(b & 1 or minimal_expansion(b)[-1] == (0, True) for b in missed)


@pytest.mark.parametrize("pairs", range(4))
def test_m9_the_proofs_of_the_lemmas_mean_the_term_below(pairs):
    i = 2 * pairs + 4
    x = 0b11 << (i - 1) | sum(0b01 << place for place in range(2, i - 1, 2))
    expected = x & (1 << (i - 1)) - 1
    assert x ^ 1 << i ^ 1 << (i - 1) == expected
    assert x ^ 1 << i ^ 1 << (i + 1) != expected


def test_m10_the_proof_of_theorem_2_means_the_term_below():
    for i in range(1, 10):
        for twisted in (False, True):
            given, other = Term(i, twisted).mask, Term(i, not twisted).mask
            assert given == other ^ Term(i - 1, True).mask
            assert given != other ^ Term(i + 1, True).mask


def test_m12_example_5_prints_the_destination_last():
    assert [f"{node:04b}" for node in route(4, 0, 0b0000, 0b1100)] == ["0000", "0100", "1100"]


def test_m13_example_6_expands_1101():
    assert 0b1000 ^ 0b0101 == 0b1101
    assert minimal_expansion(0b1101) == [(3, True), (1, False)]
    assert minimal_expansion(0b1100) == [(3, True), (1, True)]


@pytest.mark.parametrize("n", range(1, 11))
def test_m15_diameter_of_the_cube_with_a_twist(n):
    diameter = metrics.distances(Moebius(n=n, twist=1).neighbours).max()
    assert diameter == ceil((n + 1) / 2)
    assert ceil((n - 1) / 2) == diameter - 1
    assert (ceil((n + 2) / 2) == diameter) == (n % 2 == 0)


def mean(near):
    hops = metrics.distances(near)
    return hops.sum() / (len(hops) * (len(hops) - 1))


def test_m16_the_mean_of_ten_dimensions_stays_above_4():
    assert round(mean(Moebius(n=10, twist=0).neighbours), 5) == 4.00018


@pytest.mark.parametrize("n", range(2, 9))
def test_m17_mean_of_the_hypercube_and_of_dfr(n):
    ones = sum(x.bit_count() for x in range(2**n)) / (2**n - 1)
    assert ones == n * 2 ** (n - 1) / (2**n - 1) != ceil(n / 2)
    for twist in (0, 1):
        lengths = Network(Moebius(n=n, twist=twist), routing="dfr").routing.walk_lengths()
        assert lengths.sum() / (4**n - 2**n) == pytest.approx(ones)


@pytest.mark.parametrize(
    ("figure", "twist", "ends", "wrong", "right"),
    [
        ("2.11", 0, (4, 2), 5, {0}),
        ("2.12", 1, (4, 2), 5, {0}),
        ("2.13", 0, (11, 5), 2, {3, 9, 10, 12}),
        ("2.14", 1, (5, 3), 6, {1}),
        ("2.14", 1, (14, 12), 12, {13, 15}),
    ],
)
def test_m18_cells_of_the_tables(figure, twist, ends, wrong, right):
    near = Moebius(n=4, twist=twist).neighbours
    hops = metrics.distances(near)
    (source, destination), table = ends, printed(figure)
    assert table[source, destination] == wrong
    closer = {
        v for v in near[source, 1:].tolist() if hops[v, destination] < hops[source, destination]
    }
    assert closer == right


FIGURE_3_1 = ["000 100 111", "100 111 011", "111 011 001", "011 001 101", "001 101 110"]
FIGURE_3_1 += ["101 110 010", "110 010 000", "010 000 100"]
FIGURE_3_2 = ["000 111 100", "111 100 011", "100 011 001", "011 001 110", "001 110 101"]
FIGURE_3_2 += ["110 101 010", "101 010 000", "010 000 111"]


@pytest.mark.parametrize(
    ("twist", "rows", "place", "wrong"), [(0, FIGURE_3_1, 2, "100"), (1, FIGURE_3_2, 5, "011")]
)
def test_m19_rows_of_the_cycles_begin_where_their_paths_do(twist, rows, place, wrong):
    near = Moebius(n=3, twist=twist).neighbours
    hops = metrics.distances(near)
    paths = [[int(node, 2) for node in row.split()] for row in rows]
    for path, after in zip(paths, paths[1:] + paths[:1], strict=True):
        assert path[1:] == after[:2]  # they wait for each other around
        assert hops[path[0], path[2]] == 2
        between = [v for v in range(8) if hops[path[0], v] == 1 == hops[v, path[2]]]
        assert between == [path[1]]
    assert rows[place].split()[0] != wrong
    assert paths[place][1] not in near[int(wrong, 2), 1:]


@pytest.mark.parametrize(("n", "twist"), [(3, 0), (4, 1), (5, 0)])
def test_m20_virtual_channels_keep_the_paths_shortest(n, twist):
    routing = Network(Moebius(n=n, twist=twist), routing="spr").routing
    hops = metrics.distances(Moebius(n=n, twist=twist).neighbours)
    assert check_deadlock(routing).deadlock_free
    assert (routing.walk_lengths() == hops).all()
    assert routing.virtual_channels <= 3


@cache
def dfr(n, twist):
    return Network(Moebius(n=n, twist=twist), routing="dfr").routing


def dfr_links(n, twist, a, b):
    """Directed links of the path of dfr."""
    return set(pairwise(dfr(n, twist).path(a, b)))


@pytest.mark.parametrize("twist", [0, 1])
def test_m21_paths_from_one_node_may_be_disjoint(twist):
    assert not dfr_links(2, twist, 0, 1) & dfr_links(2, twist, 0, 2)
    assert dfr_links(2, twist, 0, 2) & dfr_links(2, twist, 0, 3)


@pytest.mark.parametrize(("n", "converging"), [(3, 4), (4, 80)])
@pytest.mark.parametrize("twist", [0, 1])
def test_m22_sends_may_collide_where_they_converge(n, converging, twist):
    """Lemma 6 and theorem 8: rules 1, 2 and 3 hold for every four nodes."""
    paths = {(a, b): dfr_links(n, twist, a, b) for a, b in permutations(range(2**n), 2)}
    shared = [0, 0, 0, 0]
    for u, v, w, z in combinations(range(2**n), 4):
        pairs = product(((u, v), (v, u)), ((w, z), (z, w)))
        for place, (left, right) in enumerate(pairs):
            shared[place] += bool(paths[left] & paths[right])
    assert shared == [0, converging, 0, 0]


def test_m22_the_smallest_multicast_that_collides():
    assert dfr_links(3, 0, 0, 2) & dfr_links(3, 0, 4, 3) == {(0, 2)}
    rounds = [[Send(0, 2, ()), Send(4, 3, ())]]
    assert contention(Network(Moebius(n=3)).routing, rounds) == (0, 2)


@pytest.mark.parametrize("half", range(1, 6))
def test_m23_a_source_in_the_middle_keeps_the_larger_part(half):
    chain = list(range(2 * half + 1))
    cuts = [(chain[:size], chain[size:]) for size in (half, half + 1)]
    for parts in cuts:
        (own,) = [part for part in parts if half in part]
        assert len(own) == half + 1
    assert np.ptp([len(part) for part in cuts[0]]) == 1


@pytest.mark.parametrize("twist", [0, 1])
def test_m24_the_mean_is_over_pairs_of_nodes(twist):
    cube = Moebius(n=4, twist=twist)
    nodes, edges = 16, (cube.neighbours[:, 1:] >= 0).sum() // 2
    total = metrics.distances(cube.neighbours).sum()
    assert edges == 32
    assert total / (nodes * (nodes - 1)) == pytest.approx(float(cube.average_distance))
    assert total / (edges * (edges - 1)) < 1  # less than a hop


@pytest.mark.parametrize("n", range(1, 7))
def test_m25_a_hypercube_is_a_product_with_one_link(n):
    def cube(dims):
        return {(v, v ^ 1 << i) for v in range(2**dims) for i in range(dims)}

    def product_of(a, b):
        links = {((v << b) + u, (w << b) + u) for v, w in cube(a) for u in range(2**b)}
        return links | {((v << b) + u, (v << b) + w) for u, w in cube(b) for v in range(2**a)}

    assert product_of(1, n - 1) == cube(n)
    # Printed: two of dimension n - 1 make one of dimension 2n - 2.
    assert product_of(n - 1, n - 1) == cube(2 * n - 2)
    assert (2 * n - 2 == n) == (n == 2)


def literal_me(x, i):
    """The terms of figure 2.1 as masks, for the string x."""

    def term(index, twisted):
        return 2 ** (index + 1) - 1 if twisted else 2**index

    if x == "":
        return []
    if x == "1":
        return [term(0, twisted=True)]
    if x[0] == "0":
        return literal_me(x[1:], i - 1)
    rest = x[2:]
    if x[1] == "0":
        return [term(i, twisted=False), *literal_me(rest, i - 2)]
    return [term(i, twisted=True), *literal_me("".join("10"[int(b)] for b in rest), i - 2)]


@pytest.mark.parametrize("length", range(1, 8))
def test_m26_the_second_argument_is_the_top_index(length):
    for value in range(2**length):
        x = f"{value:0{length}b}"
        assert sum_of(literal_me(x, length - 1)) == value
        # With its length in its place, all terms but that of the last bit are one too high.
        assert (sum_of(literal_me(x, length)) == value) == (value in (0, 1))


def sum_of(masks):
    """Sum of terms, which is that of their bits modulo 2."""
    value = 0
    for mask in masks:
        value ^= mask
    return value


@pytest.mark.parametrize("twist", [0, 1])
def test_m28_a_path_inside_another_pair_may_be_disjoint(twist):
    chains = list(combinations(range(8), 4))
    shared = [dfr_links(3, twist, u, z) & dfr_links(3, twist, v, w) for u, v, w, z in chains]
    assert 0 < sum(map(bool, shared)) < len(chains)
    assert not dfr_links(2, twist, 0, 3) & dfr_links(2, twist, 1, 2)
