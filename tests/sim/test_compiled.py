import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from knotwork_sim.compiled import (
    contains,
    exclude,
    include,
    is_empty,
    loop,
    lowest_bit,
    without_lowest,
    words_for,
)


@loop
def change(words, is_in, number):
    """Put a number into a set, or take it out."""
    if is_in:
        include(words, number)
    else:
        exclude(words, number)


@loop
def has(words, number):
    return contains(words, number)


@loop
def has_none(words):
    return is_empty(words)


@loop
def bits(words, found):
    """Members of a set, rising."""
    count = 0
    for number in range(len(words)):
        left = words[number]
        while left != 0:
            found[count] = number * 64 + lowest_bit(left)
            left = without_lowest(left)
            count += 1
    return count


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 199))))
def test_a_set_in_words_is_a_set(changes):
    words, members = np.zeros(words_for(200), np.uint64), set()
    assert len(words) == 4
    for is_in, number in changes:
        change(words, is_in, number)
        (members.add if is_in else members.discard)(number)
    found = np.zeros(200, np.int64)
    assert found[: bits(words, found)].tolist() == sorted(members)
    assert [number for number in range(200) if has(words, number)] == sorted(members)
    assert has_none(words) == (not members)
