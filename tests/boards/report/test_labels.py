import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork_boards.report.labels import spread_labels


def meet(middles, sizes):
    """Pairs of boxes that overlap by more than a hundredth of their size."""
    return [
        (one, other)
        for one, other in itertools.combinations(range(len(middles)), 2)
        if (abs(middles[one] - middles[other]) < 0.99 * (sizes[one] + sizes[other]) / 2).all()
    ]


def test_labels_with_room_stay():
    middles = np.array([(0.0, 0.0), (3.0, 0.0), (0.0, 1.5)])
    sizes = np.full((3, 2), (2.0, 1.0))
    assert np.allclose(spread_labels(middles, sizes), middles, atol=1e-5)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(0, 4), st.floats(0, 4)), min_size=1, max_size=12))
def test_labels_part(places):
    sizes = np.full((len(places), 2), (1.5, 0.5))
    assert meet(spread_labels(np.array(places), sizes), sizes) == []


def test_two_labels_in_one_place_part_evenly():
    sizes = np.full((2, 2), (2.0, 1.0))
    one, other = spread_labels(np.zeros((2, 2)), sizes)
    assert np.allclose(abs(one - other), (0, 1), atol=1e-2)
    assert np.allclose((one + other) / 2, 0, atol=1e-2)
