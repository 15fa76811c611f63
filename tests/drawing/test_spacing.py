"""Distances in a layout."""

import numpy as np
from knotwork.drawing.spacing import clearances, closest, fitting


def test_boxes_of_several_sizes_fit_side_by_side_or_above_each_other():
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 2.0]])
    room = np.array([[20.0, 10.0], [30.0, 10.0], [20.0, 10.0]])
    assert fitting(places, room) == 50.0  # the first two; the third has twenty for twenty below
    assert fitting(places, room * [1, 6]) == 60.0
    assert fitting(places[:2], room[:2] * [1, 9]) == 50.0


def test_distances_of_places_and_of_straight_links():
    places = np.array([[0.0, 0.0], [100.0, 0.0], [200.0, 0.0], [0.0, 90.0]])
    assert closest(places) == 90.0
    assert closest(places[:1]) == 1.0
    assert clearances(places, np.array([[0, 2], [0, 3]])).tolist() == [0.0, 100.0]
