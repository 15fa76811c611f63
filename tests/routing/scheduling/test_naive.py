"""Naive routing, against section 3.1 of the paper and messages that are moved one by one."""

from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest
from helpers.gf2 import images, matrix_of, nonsingular, rank
from hypothesis import given
from hypothesis import strategies as st
from knotwork.routing.scheduling.linear_complement import LinearComplement
from knotwork.routing.scheduling.naive import ORDERS, Collision, NaiveRun

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
