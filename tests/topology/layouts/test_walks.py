"""Closed walks over the cells of a grid."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from knotwork.topology.layouts.walks import closed_walk


@given(places=st.integers(1, 600), aspect=st.floats(0.5, 4))
def test_all_places_have_cells_of_their_own_beside_each_other(places, aspect):
    cells = closed_walk(places, aspect)
    assert len(set(map(tuple, cells.tolist()))) == len(cells) == places
    steps = np.abs(cells - np.roll(cells, -1, axis=0))
    is_far = steps.sum(axis=1) != 1
    # A grid's cells are black and white by turns, so a ring of an odd number cannot be closed.
    assert is_far[:-1].sum() == 0
    assert not is_far[-1] or (places % 2 and steps[-1].max() <= 2)


def test_a_walk_fills_a_square_or_is_wider():
    assert (np.ptp(closed_walk(144), axis=0) + 1).tolist() == [12, 12]
    assert (np.ptp(closed_walk(144, 4), axis=0) + 1).tolist() == [24, 6]
