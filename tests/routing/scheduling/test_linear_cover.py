"""Batches that carry out messages."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.routing.scheduling.linear_complement import LinearComplement, is_nonsingular
from knotwork.routing.scheduling.linear_cover import batches_of


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
