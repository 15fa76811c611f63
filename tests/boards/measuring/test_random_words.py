import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from knotwork_boards.measuring.random_words import (
    CREATION,
    DESTINATION,
    first_state,
    random_words,
    salt,
)


def literal_words(state, count):
    """Words bit by bit, by the law of the sequence."""
    bits = [state >> place & 1 for place in range(32)]
    while len(bits) < 16 * count:
        bits.append(bits[-32] ^ bits[-30] ^ bits[-26] ^ bits[-25])
    return [sum(bits[16 * word + k] << k for k in range(16)) for word in range(count)]


@given(
    seed=st.integers(0, 2**31 - 1),
    nodes=st.integers(1, 5),
    stream=st.sampled_from([CREATION, DESTINATION]),
    count=st.integers(0, 200),
)
def test_words_are_those_of_the_register_stepped_bit_by_bit(seed, nodes, stream, count):
    words = random_words(seed, nodes, stream, count)
    assert words.shape == (nodes, count)
    for node in range(nodes):
        assert words[node].tolist() == literal_words(first_state(seed, node, stream), count)


def test_the_period_is_the_longest():
    """The step has the order 2^32 - 1: it divides that, and no share of it by a prime."""
    step = np.zeros((32, 32), bool)  # of a state, bit 0 first
    step[np.arange(31), np.arange(1, 32)] = True
    step[31, [0, 2, 6, 7]] = True

    def power(exponent):
        result, square = np.eye(32, dtype=bool), step
        while exponent:
            if exponent & 1:
                result = result.astype(int) @ square % 2 == 1
            square, exponent = square.astype(int) @ square % 2 == 1, exponent >> 1
        return result

    order = 2**32 - 1
    assert (power(order) == np.eye(32)).all()
    for prime in (3, 5, 17, 257, 65537):
        assert not (power(order // prime) == np.eye(32)).all()


def test_nodes_and_streams_begin_apart():
    salts = {salt(node, stream) for node in range(1000) for stream in (CREATION, DESTINATION)}
    assert len(salts) == 2000


def test_words_below_a_threshold_are_as_many_as_it_says_and_do_not_come_in_runs():
    words = random_words(7, 8, CREATION, 100_000)
    for threshold in (655, 6554, 32768):
        hits, share = words < threshold, threshold / 65536
        deviation = np.sqrt(share * (1 - share) / hits.size)
        assert abs(hits.mean() - share) < 5 * deviation
        for lag in (1, 2, 3):
            both = (hits[:, lag:] & hits[:, :-lag]).mean()
            assert abs(both - share**2) < 0.1 * share**2 + 5 * share / np.sqrt(hits.size)
