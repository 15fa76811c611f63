"""Errata of the paper on torus-connected Petersen graphs, by their numbers on the page."""

from itertools import combinations, product
from math import ceil, floor, sqrt

import numpy as np
import pytest
from knotwork import Petersen, Rp, Tcpg, Torus
from knotwork.topology import metrics
from knotwork.topology.comparison import group_distances

SIZES = [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3)]


def codes(bits):
    """Johnson code: ones enter at the bottom, then leave there; definition 7 as it is meant."""
    filling = [2**k - 1 for k in range(bits)]
    return filling + [2**bits - 2 ** (k - bits) for k in range(bits, 2 * bits)]


def ring(a, b, size):
    return min((a - b) % size, (b - a) % size)


def ones(number):
    return number.bit_count()


def cut(near, side):
    """Links between a set of routers and the others."""
    return sum(1 for v in side for u in near[v, 1:].tolist() if u >= 0 and u not in side)


def test_t1_inner_links_two_apart_are_all_and_three_apart_are_the_same():
    links = {frozenset((5 + i, 5 + (i + 2) % 5)) for i in range(5)}
    assert links == {frozenset((5 + i, 5 + (i + 3) % 5)) for i in range(5)}
    near = Petersen().neighbours
    assert {
        frozenset((v, u)) for v in range(5, 10) for u in near[v, 1:].tolist() if u >= 5
    } == links


@pytest.mark.parametrize("bits", range(2, 9))
def test_t2_a_code_beyond_the_middle_has_its_ones_at_the_top(bits):
    around = codes(bits)
    assert len(set(around)) == 2 * bits
    assert all(ones(a ^ b) == 1 for a, b in zip(around, around[1:] + around[:1], strict=True))
    # "ones in m-1..k and zeros in k-1..0" has no bits left to be ones where k is m or more.
    printed = [sum(1 << b for b in range(k, bits)) for k in range(bits, 2 * bits)]
    assert printed == [0] * bits


def test_t3_only_even_rings_have_such_a_code():
    for size in range(3, 16):
        around = codes(ceil(size / 2))[:size]
        assert (ones(around[-1] ^ around[0]) == 1) == (size % 2 == 0)


@pytest.mark.parametrize(("k", "m"), SIZES)
def test_t5_distances_are_sums_over_all_positions(k, m):
    codes_of = [y << m | x for y, x in product(codes(k), codes(m))]
    hops = metrics.distances(Torus(x=2 * m, y=2 * k).neighbours) if m > 1 < k else None
    for (a, (ya, xa)), (b, (yb, xb)) in product(
        enumerate(product(range(2 * k), range(2 * m))), repeat=2
    ):
        differ = codes_of[a] ^ codes_of[b]
        right = ring(ya, yb, 2 * k) + ring(xa, xb, 2 * m)
        assert ones(differ) == right
        assert hops is None or hops[a, b] == right
    printed = [ones((a ^ b) & (2 ** (m + 1) - 1)) for a, b in product(codes_of, repeat=2)]
    assert (printed == [ones(a ^ b) for a, b in product(codes_of, repeat=2)]) == (k == 1)


WORDS = [
    *("0000aa", "00aaab", "aa0abb", "aa0bbb", "00bbab"),
    *("ab00ba", "bba0bb", "abbabb", "ababbb", "bbb0bb"),
]
"""Words of u_0..u_4, v_0..v_4, a_6 first."""


def test_t5_a_word_has_six_positions():
    def apart(a, b, positions):
        return sum({a[place], b[place]} == {"a", "b"} for place in positions)

    hops = metrics.distances(Petersen().neighbours)
    pairs = list(product(range(10), repeat=2))
    assert all(apart(WORDS[a], WORDS[b], range(6)) == hops[a, b] for a, b in pairs)
    # Indices 0..5 leave a_6 out, and there is no a_0.
    assert any(apart(WORDS[a], WORDS[b], range(1, 6)) != hops[a, b] for a, b in pairs)


@pytest.mark.parametrize("bits", range(1, 7))
def test_t6_codes_differ_in_as_many_bits_as_places_lie_between_them(bits):
    around = codes(bits)
    for a, b in combinations(range(2 * bits), 2):
        assert ones(around[a] ^ around[b]) == ring(a, b, 2 * bits)
    # That does not follow from the likeness to a hypercube: of its words most are no codes.
    assert (len(around) == 2**bits) == (bits <= 2)


@pytest.mark.parametrize(("k", "m"), [(2, 2), (2, 3), (3, 2), (3, 3), (4, 3)])
def test_t7_codes_of_neighbours(k, m):
    n = m + k
    places = list(product(range(2 * k), range(2 * m)))

    def code(y, x):
        word = codes(k)[y % (2 * k)] << m | codes(m)[x % (2 * m)]
        return [word >> b & 1 for b in range(n)]  # S_0 first

    wrong = dict.fromkeys("LRUD", 0)
    for y, x in places:
        s = code(y, x)
        low, high = s[:m], s[m:]
        right = {
            "L": ([*low[1:], 1 - low[0], *high], code(y, x - 1)),
            "R": ([1 - low[-1], *low[:-1], *high], code(y, x + 1)),
            "U": (low + high[1:] + [1 - high[0]], code(y - 1, x)),
            "D": ([*low, 1 - high[-1], *high[:-1]], code(y + 1, x)),
        }
        assert all(made == expected for made, expected in right.values())
        printed = {
            "L": [*s[1:k], 1 - s[0], *s[k:]],
            "R": [1 - s[k - 1], *s[: k - 1], *s[k:]],
            "U": [*s[:-1], 1 - s[-1]],
            "D": [s[k - 1], *s[1 : k - 1], 1 - s[-1], *s[k:-1]],
        }
        for port, made in printed.items():
            wrong[port] += made != right[port][1]
    assert (wrong["L"] == 0) == (wrong["R"] == 0) == (k == m)
    assert wrong["U"] > 0 < wrong["D"]


@pytest.mark.parametrize(("k", "m"), SIZES)
def test_t8_a_node_has_seven_neighbours_only_where_rings_are_longer_than_two(k, m):
    near = Tcpg(k=k, m=m).neighbours
    neighbours = {len({u for u in row if u >= 0}) for row in near[:, 1:].tolist()}
    assert neighbours == {3 + min(k, 2) + min(m, 2)}
    assert (neighbours == {7}) == (min(k, m) >= 2)


@pytest.mark.parametrize(("k", "m"), SIZES)
def test_t9_rings_have_twice_as_many_nodes(k, m):
    network = Tcpg(k=k, m=m)
    right = network.neighbours[:, network.ports.index("R")]
    around = [0]
    while right[around[-1]] != 0:
        around.append(int(right[around[-1]]))
    assert len(around) == 2 * m != m


@pytest.mark.parametrize(("k", "m"), SIZES)
def test_t10_links_are_fewer_where_two_of_them_lie_side_by_side(k, m):
    links, simple = metrics.link_counts(Tcpg(k=k, m=m).neighbours)
    assert links == 140 * k * m
    expected = 60 * k * m + 20 * m * (1 if k == 1 else 2 * k) + 20 * k * (1 if m == 1 else 2 * m)
    assert simple == expected
    assert (simple == 140 * k * m) == (min(k, m) >= 2)


@pytest.mark.parametrize(
    ("k", "m", "width"), [(1, 2, 40), (2, 2, 80), (1, 3, 40), (2, 3, 80), (3, 3, 120)]
)
def test_t11_the_bisection_grows_with_the_shorter_ring_alone(k, m, width):
    near = Tcpg(k=k, m=m).neighbours
    half = {v for v in range(40 * k * m) if v // 10 % (2 * m) < m}
    assert cut(near, half) == 40 * k
    assert width == 40 * k * m // max(k, m, 2)
    assert Tcpg(k=k, m=m).bisected[:2] == (width, width)
    assert (width == 20 * k * m) == (max(k, m) <= 2)


@pytest.mark.parametrize(
    ("k", "m", "size", "diameter"),
    [(1, 1, (5, 8), 6), (2, 2, (10, 16), 13), (2, 3, (15, 16), 15), (3, 3, (18, 20), 19)],
)
def test_t12_a_torus_that_is_nearly_square_has_a_diameter_near_the_root(k, m, size, diameter):
    x, y = size
    assert x * y == 40 * k * m
    assert metrics.distances(Torus(x=x, y=y).neighbours).max() == diameter
    assert abs(diameter - sqrt(40 * k * m)) < 1
    assert diameter != 10 * k * m


@pytest.mark.parametrize("rings", [4, 8, 12])
def test_t13_a_ring_of_petersen_graphs_is_cut_in_two_places(rings):
    near = Rp(k=rings).neighbours
    assert cut(near, set(range(5 * rings))) == 20
    assert (5 * rings == 20) == (rings == 4)  # 20 k m, where the ring has 4 k m graphs


def least_distances(topology, groups):
    """Least d of sets of nodes within d of each other; the tests have them typed from proofs."""
    bounds = group_distances(topology, list(groups))
    return {size: each.exact for size, each in zip(groups, bounds, strict=True)}


def test_t14_groups_of_the_torus():
    groups = {2: 1, 3: 2, 6: 3, 8: 3, 16: 5, 18: 5}
    assert least_distances(Torus(x=15, y=16), groups) == groups
    printed = {nodes: 2 * floor(sqrt(nodes) - 1) for nodes in groups}
    assert list(printed.values()) == [0, 0, 2, 2, 6, 6]
    assert all(printed[nodes] != d for nodes, d in groups.items())


def test_t15_groups_of_torus_connected_petersen_graphs():
    groups = {2: 1, 3: 2, 10: 2, 11: 3, 20: 3, 50: 4}
    assert least_distances(Tcpg(k=3, m=3), groups) == groups
    printed = {nodes: 2 + 2 * (sqrt(nodes / 10 + 1) - 1) for nodes in groups} | {2: 1}
    assert [round(printed[nodes], 2) for nodes in (3, 11, 50)] == [2.28, 2.9, 4.9]
    for rounded in (floor, ceil):
        assert any(rounded(printed[nodes]) != d for nodes, d in groups.items())


def test_t16_groups_of_rings_of_petersen_graphs():
    groups = {2: 1, 3: 2, 10: 2, 11: 3, 20: 3, 21: 4}
    assert least_distances(Rp(k=12), groups) == groups
    assert all(d == (1 if n == 2 else 2 + (n - 1) // 10) for n, d in groups.items())


@pytest.mark.parametrize(("k", "m"), [(2, 2), (2, 3), (3, 3)])
def test_t17_only_adjacent_graphs_have_codes_that_differ_in_one_bit(k, m):
    places = list(product(range(2 * k), range(2 * m)))
    adjacent = {
        (a, b): ring(a[0], b[0], 2 * k) + ring(a[1], b[1], 2 * m) == 1
        for a, b in combinations(places, 2)
    }
    for (a, b), near in adjacent.items():
        differ = ones(codes(k)[a[0]] ^ codes(k)[b[0]]) + ones(codes(m)[a[1]] ^ codes(m)[b[1]])
        assert (differ == 1) == near
    assert not all(adjacent.values())


def test_t19_a_petersen_graph_takes_four_rounds_with_one_port():
    near = [set(row[1:]) for row in Petersen().neighbours.tolist()]

    def calls(informed):
        """Sets of informed nodes after a round in which each informed node sends at most once."""
        sets = {informed}
        for node in informed:
            sets |= {has | {other} for has in sets for other in near[node]}
        return sets

    sets, rounds = {frozenset([0])}, 0
    while frozenset(range(10)) not in sets:
        most = max(map(len, sets))
        sets = {after for before in sets if 2 * len(before) >= most for after in calls(before)}
        rounds += 1
    assert rounds == 4
    # All ports at once: everyone is within two hops.
    assert metrics.distances(Petersen().neighbours).max() == 2


def test_t20_a_gray_code_of_two_dimensions_has_more_neighbours_than_four():
    words = [y << 3 | x for y, x in product((0, 1, 3, 2), (0, 1, 3, 2, 6, 7, 5, 4))]
    near = {sum(ones(a ^ b) == 1 for b in words) for a in words}
    assert near == {5}
    johnson = [y << 3 | x for y, x in product(codes(2), codes(3))]
    assert {sum(ones(a ^ b) == 1 for b in johnson) for a in johnson} == {4}
    assert np.unique(johnson).size == 24


@pytest.mark.parametrize("bits", range(1, 7))
def test_t21_a_code_has_two_neighbours_not_one_per_bit(bits):
    around = set(codes(bits))
    kept = [sum(code ^ 1 << bit in around for bit in range(bits)) for code in around]
    assert set(kept) == {min(bits, 2)}
    # A hypercube's doubling flips every bit, and reaches 2^bits words in as many rounds.
    assert (len(around) == 2**bits) == (bits <= 2)
