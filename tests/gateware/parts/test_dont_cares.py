"""Entries that nothing asks for: what is asked stays, and few bits of the index matter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.gateware.parts.dont_cares import merged


def bits_that_matter(row):
    """Bits of the index on which some entry depends."""
    places = np.arange(len(row))
    return {
        bit
        for bit in range((len(row) - 1).bit_length())
        if any(row[p] != row[p ^ 1 << bit] for p in places if p ^ 1 << bit < len(row))
    }


@given(row=st.lists(st.integers(-1, 5), min_size=1, max_size=70))
def test_what_is_asked_stays(row):
    row = np.array(row)
    filled = merged(row)
    assert (filled[row >= 0] == row[row >= 0]).all()
    assert filled.min() >= 0
    assert filled.max() <= 7
    assert (merged(filled) == filled).all()


@pytest.mark.parametrize(
    ("row", "bits"),
    [
        ([3, -1, -1, -1, -1, -1, -1, -1], set()),
        ([0, -1, 0, 1, -1, 1, -1, -1], {0}),  # as its lowest bit
        ([0, 1, -1, -1, -1, -1, 0, 1], {0}),
        ([0, -1, -1, 1], {1}),  # either of two bits would do: the other one is merged first
        ([0, 1, 2, 3], {0, 1}),
    ],
)
def test_bits_that_need_not_matter_do_not(row, bits):
    assert bits_that_matter(merged(np.array(row))) == bits


@given(table=st.lists(st.integers(0, 3), min_size=4, max_size=4), data=st.data())
def test_a_row_of_two_bits_is_found_again_from_a_few_of_its_entries(table, data):
    """Of 32 entries that depend on two bits, all pairs that differ there are known."""
    row = np.array([table[place & 3] for place in range(32)])
    kept = {0, 1, 2, 3} | data.draw(st.sets(st.integers(0, 31)))
    asked = np.where(np.isin(np.arange(32), sorted(kept)), row, -1)
    assert bits_that_matter(merged(asked)) <= {0, 1}
