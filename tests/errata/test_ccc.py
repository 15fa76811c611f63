"""Errata of the paper on linear-complement permutations, by their numbers on the page.

Batches move as `helpers.literal_lc` says; buddy-jump is written again here, from the paper.
"""

from itertools import product

import numpy as np
import pytest
from helpers.gf2 import images, matrix_of, nonsingular
from helpers.literal_lc import literal_lc1, literal_lc2
from knotwork.routing.scheduling.linear_complement import buddy_jump, is_naively_routable


def inverse(matrix):
    """Inverse over GF(2) by elimination; None for a singular matrix."""
    n = len(matrix)
    rows = np.concatenate([matrix.astype(int), np.eye(n, dtype=int)], axis=1)
    for k in range(n):
        pivots = [i for i in range(k, n) if rows[i, k]]
        if not pivots:
            return None
        rows[[k, pivots[0]]] = rows[[pivots[0], k]]
        for i in range(n):
            if i != k and rows[i, k]:
                rows[i] ^= rows[k]
    return rows[:, n:]


def is_regular(matrix):
    return not len(matrix) or inverse(matrix) is not None


def paper_table(matrix, *, complement=True, choose=max):
    """Jump, buddy and T' by appendix A.3: entries of R are complemented, and T is its inverse."""
    n, left = len(matrix), matrix.astype(int)
    jump, buddy = [1] * n, [n] * n
    for k in range(n - 1, 0, -1):
        if is_regular(left[:k, :k]):
            continue
        jump[k] = 0
        r = inverse(left)
        if left[k, k]:
            if not left[:k, k].any():
                return None  # where the entries are not complemented
            buddy[k] = choose(i for i in range(k) if left[i, k])
        if complement:
            r[k, k] ^= 1
            if buddy[k] < n:
                r[k, buddy[k]] ^= 1
        left = inverse(r)
        if left is None:
            return None
    return jump, buddy, left


def sent(matrix, complement):
    return [int(image) ^ complement for image in images(matrix)]


def delivers(n, matrix, complement, **more):
    jump, buddy, _ = paper_table(matrix)
    destinations = sent(matrix, complement)
    batch = literal_lc2(n, destinations, jump, buddy, **more)
    return all(destinations[packet] == node for node, packet in enumerate(batch.held))


def test_c1_sorting_takes_a_round_per_place():
    identity = np.eye(4, dtype=bool)
    for odd in (False, True):
        assert delivers(4, identity, 0b1111, rounds=4, odd_forward_first=odd)
        assert not delivers(4, identity, 0b1111, rounds=3, odd_forward_first=odd)


@pytest.mark.parametrize("n", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("odd", [False, True])
def test_c1_all_permutations_of_small_networks(n, odd):
    pairs = list(product(nonsingular(n), range(2**n)))
    assert all(delivers(n, t, c, odd_forward_first=odd) for t, c in pairs)
    failed = sum(not delivers(n, t, c, rounds=1, odd_forward_first=odd) for t, c in pairs)
    assert failed == {(2, False): 0, (2, True): 20, (3, False): 0, (3, True): 1248}[n, odd]


def test_c2_either_parity_will_do_with_a_round_per_place():
    rng = np.random.default_rng(1)
    matrices = nonsingular(4)
    some = [(matrices[i], int(rng.integers(16))) for i in rng.integers(len(matrices), size=20)]
    for odd in (False, True):
        assert all(delivers(4, t, c, odd_forward_first=odd) for t, c in some)
    # Printed: the odd one looks forward first, in 2^y - 1 rounds.
    assert not all(delivers(4, t, c, rounds=3, odd_forward_first=True) for t, c in some)


@pytest.mark.parametrize("length", [2, 4, 8])
def test_c3_every_node_shifts_in_every_step_of_the_third_period(length):
    for q in range(2 * length):
        window = {a for a in range(length) if 0 <= q - a < length}
        moved = {(a + 1) % length if a in window else a for a in range(length)}
        assert len({(a + 1) % length for a in range(length)}) == length
        # Shifts inside the window alone give some node two packets whenever it is not whole.
        assert (len(moved) == length) == (window in (set(), set(range(length))))


@pytest.mark.parametrize("n", [2, 3])
def test_c4_the_entries_of_the_inverse_are_complemented(n):
    for matrix in nonsingular(n):
        jump, buddy, left = paper_table(matrix)
        table, ours = buddy_jump(matrix)
        assert (tuple(jump), tuple(buddy)) == (table.jump, table.buddy)
        assert (left == ours).all()
        assert all(is_regular(left[:k, :k]) for k in range(n + 1))
        if 0 in jump:  # without the overbars that the scan lost, nothing changes
            kept = paper_table(matrix, complement=False)
            assert kept is None or not all(is_regular(kept[2][:k, :k]) for k in range(n + 1))


def test_c5_any_buddy_will_do():
    several = 0
    for matrix in nonsingular(4)[::40]:
        highest, lowest = (paper_table(matrix, choose=choose) for choose in (max, min))
        several += highest[1] != lowest[1]
        for _, _, left in (highest, lowest):
            assert all(is_regular(left[:k, :k]) for k in range(5))
    assert several


@pytest.mark.parametrize("n", [2, 3])
def test_c6_bit_n_of_a_destination_is_a_constant(n):
    without = 0
    for matrix, complement in product(nonsingular(n), range(2**n)):
        jump, buddy, _ = paper_table(matrix)
        without += any(not jump[k] and buddy[k] == n for k in range(n))
        assert all(to < 2**n for to in sent(matrix, complement))  # they have no bit n
        assert delivers(n, matrix, complement)  # with 0 in its place
    assert without


@pytest.mark.parametrize("n", [2, 3, 4])
def test_c7_dimension_0_is_never_exchanged_first(n):
    for matrix in nonsingular(n)[:: 1 if n < 4 else 60]:
        jump, buddy, left = paper_table(matrix)
        assert (jump[0], buddy[0]) == (1, n)
        assert is_regular(left[:0, :0])


def test_c9_the_matrix_of_the_example_collides_as_the_list_says():
    matrix = matrix_of("001", "011", "100")
    destinations = sent(matrix, 0)
    assert " ".join(f"{to:03b}" for to in destinations) == "000 110 010 100 001 111 011 101"
    after = [to & 0b100 | node & 0b011 for node, to in enumerate(destinations)]
    assert " ".join(f"{place:03b}" for place in after) == "000 101 010 111 000 101 010 111"
    assert not is_naively_routable(matrix, ascending=False)
    jump, buddy, _ = paper_table(matrix)
    assert (jump, buddy[2]) == ([1, 1, 0], 3)


@pytest.mark.parametrize(
    ("n", "count"), [(2, 4), (3, 64), pytest.param(4, 4096, marks=pytest.mark.slow)]
)
def test_c10_some_permutations_pass_without_preparation(n, count):
    for ascending in (True, False):
        passing = sum(is_naively_routable(t, ascending=ascending) for t in nonsingular(n))
        assert passing == count == 2 ** (n * (n - 1))


@pytest.mark.parametrize(("x", "y"), [(2, 2), (4, 2), (5, 3), (8, 3)])
def test_c11_each_lateral_link_is_busy_for_as_many_steps_as_there_are_places(x, y):
    length = 2**y
    busy = {a: [t for t in range(2 * length) if length <= t + a < 2 * length] for a in range(x)}
    assert busy == {a: list(range(length - a, 2 * length - a)) for a in range(x)}
    # Printed: all of them after 2^y steps. In the last step of the period only node 1 is busy.
    assert [a for a in range(x) if 2 * length - 1 in busy[a]] == [0]


@pytest.mark.parametrize("n", [2, 3])
def test_c12_packets_arrive_after_the_last_dimension(n):
    late = 0
    for matrix in nonsingular(n):
        destinations = sent(matrix, 0)
        jump, buddy, _ = paper_table(matrix)
        *_, before_last, last = literal_lc1(n, destinations, jump, buddy).history
        assert [destinations[packet] for packet in last] == list(range(2**n))
        apart = {destinations[packet] ^ node for node, packet in enumerate(before_last)}
        assert apart <= {0, 2 ** (n - 1)}
        late += len(apart) == 2
    assert late
