"""Batches that carry out messages."""

from collections import Counter, defaultdict
from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from helpers.gf2 import all_matrices, images, matrix_of, nonsingular, rank
from hypothesis import given
from hypothesis import strategies as st
from knotwork.routing.scheduling.linear_complement import (
    ORDERS,
    Collision,
    JumpTable,
    LinearComplement,
    NaiveRun,
    batches_of,
    bit_permutation_table,
    buddy_jump,
    is_naively_routable,
    is_nonsingular,
    random_matrix,
)


def slow(*row):
    return pytest.param(*row, marks=pytest.mark.slow)


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 6), (3, 168), slow(4, 20160)])
def test_nonsingular_matrices_are_those_that_part_all_numbers(n, count):
    # 2, 24, 1344 and 322,560 linear-complement permutations: 2^n complements of each.
    assert count == prod(2**n - 2**i for i in range(n))
    assert count * 2**n == [2, 24, 1344, 322_560][n - 1]
    found = all_matrices(n)[is_nonsingular(all_matrices(n))]
    assert len(found) == count
    assert (found == nonsingular(n)).all()


@given(n=st.integers(1, 20), seed=st.integers(0, 2**32))
def test_large_matrices_are_judged_as_elimination_does(n, seed):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 2, (n, n)).astype(bool)
    assert is_nonsingular(matrix) == (rank(matrix) == n)
    lower, upper = (
        np.tril(matrix, -1) | np.eye(n, dtype=bool),
        np.triu(matrix) | np.eye(n, dtype=bool),
    )
    made = (lower.astype(int) @ upper & 1)[rng.permutation(n)]
    assert is_nonsingular(made)
    if n > 1:
        first, *others = rng.permutation(n)[: rng.integers(2, n + 1)]
        made[first] = made[others].sum(axis=0) & 1
        assert not is_nonsingular(made)


def test_largest_determinants_are_judged_rightly():
    # Quadratic residues modulo 19 make the matrix of zeros and ones with the largest determinant of
    # its order, 2 * 5^10. Every entry of its inverse is +-1/10, so that one entry changed makes it
    # 2 * 5^10 +- 5^9: odd.
    squares = {i * i % 19 for i in range(1, 19)}
    core = np.array([[(j - i) % 19 not in squares for j in range(19)] for i in range(19)])
    assert round(abs(np.linalg.det(core.astype(float)))) == 2 * 5**10
    assert not is_nonsingular(core)
    for i, j in product(range(19), repeat=2):
        core[i, j] ^= True
        assert is_nonsingular(core)
        assert rank(core) == 19
        core[i, j] ^= True


def test_random_matrices_are_all_met_evenly():
    rng = np.random.default_rng(1)
    drawn = Counter(random_matrix(3, rng).tobytes() for _ in range(168 * 60))
    assert set(drawn) == {matrix.tobytes() for matrix in nonsingular(3)}
    assert 30 < min(drawn.values()) <= max(drawn.values()) < 95  # 60 +- 4.5 standard deviations


@given(n=st.integers(1, 8), seed=st.integers(0, 2**32))
def test_destinations_are_the_bits_of_the_definition(n, seed):
    linear = LinearComplement.random(n, np.random.default_rng(seed))
    for source, destination in enumerate(linear.destinations.tolist()):
        for i in range(n):
            bit = linear.complement >> i & 1
            for j in range(n):
                bit ^= int(linear.matrix[i, j]) & source >> j
            assert destination >> i & 1 == bit
    found = LinearComplement.of(linear.destinations)
    assert found is not None
    assert (found.matrix == linear.matrix).all()
    assert found.complement == linear.complement
    assert (matrix_of(*linear.rows) == linear.matrix).all()


@pytest.mark.parametrize(("n", "count"), [(1, 2), (2, 24), slow(3, 1344)])
def test_so_many_permutations_are_linear_complement(n, count):
    found = [LinearComplement.of(np.array(listed)) for listed in permutations(range(2**n))]
    known = [linear for linear in found if linear]
    assert len(known) == count
    assert is_nonsingular(np.array([linear.matrix for linear in known])).all()


def test_no_number_of_nodes_but_a_power_of_two_has_linear_permutations():
    assert LinearComplement.of(np.array([0, 1, 2])) is None
    single = LinearComplement.of(np.array([0]))
    assert single is not None
    assert single.n == 0


def bit_rows(matrix):
    return [sum(int(entry) << j for j, entry in enumerate(row)) for row in matrix]


def reference_table(matrix):
    """Table by section 3 of the specification, (jump, buddy), with its T'; on rows as integers.

    Of the buddies that may be taken it is the highest; erratum C5 takes others.
    """
    n, rows = len(matrix), bit_rows(matrix)
    jump, buddy = [1] * n, [n] * n
    for k in range(n - 1, 0, -1):
        low = (1 << k) - 1
        if rank([list(format(row & low, f"0{k}b")) for row in rows[:k]]) == k:
            continue
        jump[k] = 0
        if rows[k] >> k & 1:
            buddy[k] = max(b for b in range(k) if rows[b] >> k & 1)
        moved = rows[k] ^ (rows[buddy[k]] if buddy[k] < n else 0)
        rows = [row ^ moved if row >> k & 1 else row for row in rows]
    return (tuple(jump), tuple(buddy)), rows


@pytest.mark.parametrize(("n", "count"), [(1, 0), (2, 0), (3, 0), (4, 100), (6, 40), slow(4, 0),
                                          *(slow(n, 60) for n in range(5, 13))])  # fmt: skip
def test_buddy_jump(n, count):
    """Of `count` random matrices, or all."""
    rng = np.random.default_rng(n)
    matrices = [random_matrix(n, rng) for _ in range(count)] if count else nonsingular(n)
    lefts = []
    for matrix in matrices:
        table, left = buddy_jump(matrix)
        expected, rows = reference_table(matrix)
        assert (table.jump, table.buddy) == expected
        assert bit_rows(left) == rows
        lefts.append(left)
    for order in range(1, n + 1):
        assert is_nonsingular(np.array(lefts)[:, :order, :order]).all()


def test_the_tables_of_small_networks_are_few():
    tables = {buddy_jump(matrix)[0] for matrix in nonsingular(3)}
    assert len(tables) == 12


@pytest.mark.parametrize("dtype", [bool, int, np.uint8])
def test_worked_table(dtype):
    # Section 8 of the specification.
    matrix = matrix_of("1010", "0011", "1000", "0100").astype(dtype)
    before = matrix.copy()
    table, left = buddy_jump(matrix)
    assert (table.jump, table.buddy) == ((1, 1, 0, 0), (4, 4, 4, 1))
    assert (left == matrix_of("1000", "0011", "1010", "0111")).all()
    assert (matrix == before).all()


def test_a_singular_matrix_has_no_table():
    with pytest.raises(ValueError, match="a matrix must be nonsingular to have a jump table"):
        buddy_jump(matrix_of("11", "11"))


@pytest.mark.parametrize("n", [1, 2, 3, 4, slow(5), slow(6)])
def test_bit_permutations_have_their_table_in_closed_form(n):
    for order in permutations(range(n)):
        matrix = np.zeros((n, n), bool)
        matrix[np.arange(n), order] = True
        assert buddy_jump(matrix)[0] == bit_permutation_table(list(order))


def test_known_tables_of_bit_permutations():
    # Section 8: bit reversal, and d_i = s_(i+1).
    assert bit_permutation_table([3, 2, 1, 0]) == JumpTable((1, 1, 0, 0), (4,) * 4)
    assert bit_permutation_table([1, 2, 3, 0]) == JumpTable((1, 0, 0, 0), (4,) * 4)
    assert bit_permutation_table([0, 1, 2]) == JumpTable.naive(3)


def meets(destinations, order, n):
    """Nodes whose packets have all come to one place with others, after each dimension."""
    place = np.arange(2**n)
    found = []
    for k in order:
        place = place & ~(1 << k) | destinations & 1 << k
        found.append(2**n - len(set(place.tolist())))
    return found


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 4), (3, 64), slow(4, 4096)])
def test_naive_routing_succeeds_for_the_matrices_of_nonsingular_blocks(n, count):
    assert count == 2 ** (n * (n - 1))
    matrices = nonsingular(n)
    for ascending in (True, False):
        order = range(n) if ascending else range(n)[::-1]
        told = [is_naively_routable(matrix, ascending=ascending) for matrix in matrices]
        succeed = [not any(meets(way, order, n)) for way in images(matrices)]
        assert told == succeed
        assert sum(told) == count


def test_who_asks():
    table = JumpTable((1, 0, 0), (3, 3, 0))
    destinations = np.arange(8)
    assert not table.requests(0, destinations).any()
    assert table.requests(1, destinations).tolist() == [d >> 1 & 1 == 1 for d in range(8)]
    assert table.requests(2, destinations).tolist() == [d >> 2 & 1 != d & 1 for d in range(8)]
    dimensions = np.arange(8) % 3
    together = table.requests(dimensions, np.stack([destinations, destinations[::-1]]))
    for row, way in zip(together, (destinations, destinations[::-1]), strict=True):
        expected = [table.requests(int(k), way)[node] for node, k in enumerate(dimensions)]
        assert row.tolist() == expected


def held(pairs, n):
    """Batches of messages; each held to its permutation."""
    sources, destinations = np.array(pairs, np.int64).reshape(-1, 2).T
    batches = batches_of(sources, destinations, n)
    assert Counter(m for batch in batches for m in batch.messages) == Counter(range(len(pairs)))
    for batch in batches:
        own = [pairs[number] for number in batch.messages]
        assert len({s for s, _ in own}) == len({t for _, t in own}) == len(own) > 0
        linear = batch.permutation
        assert linear.n == n
        assert is_nonsingular(linear.matrix)
        assert all(linear.destinations[s] == t for s, t in own)
    return batches


@given(n=st.integers(1, 5), data=st.data())
def test_every_message_is_in_one_batch_that_sends_it_there(n, data):
    node = st.integers(0, 2**n - 1)
    pairs = data.draw(st.lists(st.tuples(node, node), max_size=40))
    held(pairs, n)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_a_linear_complement_permutation_is_one_batch(n):
    drawn = LinearComplement.random(n, np.random.default_rng(n)).destinations
    order = np.random.default_rng(2).permutation(2**n)
    (batch,) = held([(int(s), int(drawn[s])) for s in order], n)
    assert (batch.permutation.destinations == drawn).all()


def test_n_plus_1_messages_between_independent_nodes_are_one_batch():
    # 0 and the four unit vectors, to 5 and what differs from it in independent words.
    pairs = [(0, 5), (1, 5 ^ 3), (2, 5 ^ 1), (4, 5 ^ 12), (8, 5 ^ 4)]
    assert len(held(pairs, 4)) == 1


def test_a_node_with_several_messages_is_in_as_many_batches():
    assert len(held([(3, 1), (3, 2), (3, 1)], 3)) == 3
    assert len(held([(1, 3), (2, 3), (5, 3)], 3)) == 3


# Section 3.1: where nodes 0..7 send, and where the messages are after dimension 2.
EXAMPLE = [0b000, 0b110, 0b010, 0b100, 0b001, 0b111, 0b011, 0b101]
AFTER_ONE = [0b000, 0b101, 0b010, 0b111, 0b000, 0b101, 0b010, 0b111]


def moved_one_by_one(destinations, order):
    """Nodes with their messages after each step: the sources, those that stayed first."""
    bits = range(len(destinations).bit_length() - 1)
    at = {node: [node] for node in range(len(destinations))}
    for k in bits if order == "ascending" else reversed(bits):
        after = defaultdict(list)
        for stays in (True, False):
            for node, sources in at.items():
                for source in sources:
                    crosses = (destinations[source] >> k & 1) != (node >> k & 1)
                    if crosses != stays:
                        after[node ^ crosses << k].append(source)
        at = dict(after)
        yield k, at


def test_the_example_of_the_paper():
    run = NaiveRun(np.array(EXAMPLE), "descending")
    assert list(run.dimensions) == [2, 1, 0]
    assert next(run.positions()).tolist() == AFTER_ONE
    step, collisions = run.first_collisions()
    assert step == 0
    assert collisions == [
        Collision(0b000, 0b100, 0b000, 0b100),
        Collision(0b010, 0b110, 0b010, 0b110),
        Collision(0b101, 0b001, 0b101, 0b001),
        Collision(0b111, 0b011, 0b111, 0b011),
    ]
    assert run.collided()[0] == 4
    assert not run.is_free
    example = LinearComplement(matrix_of("001", "011", "100"))
    assert example.destinations.tolist() == EXAMPLE


@given(destinations=st.integers(0, 5).flatmap(lambda n: st.permutations(range(1 << n))))
@pytest.mark.parametrize("order", ORDERS)
def test_every_message_is_where_its_bits_take_it(order, destinations):
    run = NaiveRun(np.array(destinations), order)
    first = None
    steps = zip(moved_one_by_one(destinations, order), run.positions(), strict=True)
    for number, ((dimension, at), held) in enumerate(steps):
        assert run.dimensions[number] == dimension
        assert all(held[source] == node for node, sources in at.items() for source in sources)
        assert run.collided()[number] == len(destinations) - len(at)
        pairs = [(node, *at[node]) for node in sorted(at) if len(at[node]) > 1]
        if pairs and first is None:
            first = number, [Collision(a, a ^ 1 << dimension, *ends) for a, *ends in pairs]
    assert run.first_collisions() == (first or (len(run.dimensions), []))
    assert run.is_free == (first is None)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("n", "count"), [(2, 16), pytest.param(3, 4096, marks=pytest.mark.slow)])
def test_as_many_permutations_are_free_as_the_switches_have_settings(n, count, order):
    """A switch, straight or crossed, for each pair of nodes and step (section 7 for n = 3)."""
    free = [NaiveRun(np.array(sent), order).is_free for sent in permutations(range(1 << n))]
    assert sum(free) == count


@pytest.mark.parametrize(
    ("n", "free", "of"),
    [(2, 4, 6), (3, 64, 168), pytest.param(4, 4096, 20160, marks=pytest.mark.slow)],
)
def test_the_first_collision_is_in_the_step_of_the_first_singular_block(n, free, of):
    matrices = nonsingular(n)
    assert len(matrices) == of
    for order in ORDERS:
        steps = [NaiveRun(sent, order).first_collisions()[0] for sent in images(matrices)]
        assert steps.count(n) == free
        for matrix, step in list(zip(matrices, steps, strict=True))[:: 1 if n < 4 else 40]:
            sizes = range(1, n + 1)
            blocks = [matrix[:s, :s] if order == "ascending" else matrix[-s:, -s:] for s in sizes]
            whole = [rank(block) == size for size, block in zip(sizes, blocks, strict=True)]
            assert step == (n if all(whole) else whole.index(False))
