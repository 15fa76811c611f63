from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from knotwork.routing.scheduling.splitting import halves, split


@st.composite
def nested_keys(draw):
    """Messages with keys on up to three levels, a key of one level in one key of the next."""
    count, levels = draw(st.integers(0, 60)), draw(st.integers(1, 3))
    low = draw(st.lists(st.integers(0, 11), min_size=count, max_size=count))
    return [np.array(low, np.int64) // 2**level for level in range(levels)]


@st.composite
def both_sides(draw):
    sources, destinations = draw(nested_keys()), draw(nested_keys())
    count = min(len(sources[0]), len(destinations[0]))
    return [[key[:count] for key in side] for side in (sources, destinations)]


def is_even(sides, classes, count):
    for side in sides:
        for key in side:
            loads = Counter(zip(key.tolist(), classes.tolist(), strict=True))
            for node, load in Counter(key.tolist()).items():
                shares = [loads[node, one] for one in range(count)]
                assert sum(shares) == load
                if max(shares) - min(shares) > 1:
                    return False
    return True


@given(sides=both_sides())
def test_halves_are_even_at_every_node(sides):
    classes = halves(*sides)
    assert set(classes.tolist()) <= {0, 1}
    assert is_even(sides, classes, 2)


@given(sides=both_sides(), count=st.integers(1, 13))
def test_classes_are_even_at_every_node(sides, count):
    classes = split(*sides, count)
    assert set(classes.tolist()) <= set(range(count))
    assert is_even(sides, classes, count)


def test_what_is_not_even_is_seen():
    sides = [[np.array([0, 0])], [np.array([0, 1])]]
    assert is_even(sides, split(*sides, 2), 2)
    assert not is_even(sides, np.array([1, 1]), 2)


@given(
    order=st.permutations(range(24)),
    count=st.sampled_from([2, 3, 4, 6, 8]),
)
def test_a_regular_multigraph_is_coloured(order, count):
    # 24 edges, `count` at each node of both sides: each colour is a perfect matching.
    left, right = np.arange(24) // count, np.array(order) // count
    colours = split([left], [right], count)
    for colour in range(count):
        own = colours == colour
        assert sorted(left[own].tolist()) == sorted(right[own].tolist()) == list(range(24 // count))


def test_a_long_cycle_alternates():
    # Edges i: node i // 2 on the left, (i + 1) // 2 modulo n on the right: one ring of 4,096.
    edges = np.arange(4096)
    colours = halves([edges // 2], [(edges + 1) // 2 % 2048])
    assert (colours[1:] != colours[:-1]).all()
