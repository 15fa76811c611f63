import numpy as np
import pytest
from knotwork.drawing.curves import (
    badge_places,
    clearances,
    closest,
    control_points,
    curve_points,
    fitting,
)


def test_a_line_over_a_node_is_bowed_and_a_clear_one_is_straight():
    places = np.array([[0.0, 0.0], [100.0, 0.0], [200.0, 0.0], [0.0, 90.0]])
    ends = np.array([[0, 2], [0, 3]])
    room = np.array([12.0, 12.0])
    over, clear = control_points(places, ends, room)
    assert clear.tolist() == [0.0, 45.0]
    curve = curve_points(places[0], over, places[2], np.linspace(0, 1, 101))
    assert np.hypot(*(curve - places[1]).T).min() >= 11.9
    assert clearances(places, ends).tolist() == [0.0, 100.0]
    assert closest(places) == 90.0


def test_a_badge_keeps_off_nodes_badges_and_curves_where_it_can():
    line = np.linspace((0.0, 0.0), (200.0, 0.0), 201)
    crossing = np.linspace((100.0, -60.0), (100.0, 60.0), 201)
    half, badge = np.array([12.0, 12.0]), np.array([8.0, 9.0])
    shares = (0.5, 0.4, 0.6)

    def places(curves, nodes):
        many = len(curves)
        return badge_places(
            curves, np.tile(badge, (many, 1)), np.array(nodes), half, [shares] * many
        )

    far = [[500.0, 500.0]]
    assert [list(place) for place in places([line], far)] == [[100.0, 0.0]]
    assert list(places([line], [[105.0, 20.0]])[0]) == [80.0, 0.0]
    assert list(places([line, crossing], far)[0]) == [80.0, 0.0]
    assert [list(place) for place in places([line, line], far)] == [[100.0, 0.0], [80.0, 0.0]]
    everywhere = [[80.0, 0.0], [100.0, 0.0], [120.0, 0.0]]
    assert list(places([line], everywhere)[0]) == [100.0, 0.0]


def test_double_links_are_drawn_apart():
    places = np.array([[0.0, 0.0], [100.0, 0.0]])
    first, second = control_points(places, np.array([[0, 1], [1, 0]]), np.array([9.0, 9.0]))
    assert first.tolist() == [50.0, -10.0]
    assert second.tolist() == [50.0, 10.0]


def test_links_of_a_bundle_are_drawn_apart_but_not_as_a_circle():
    places = np.array([[0.0, 0.0], [100.0, 0.0]])
    for many in (3, 5, 9):
        bows = control_points(places, np.array([[0, 1]] * many), np.array([1.0, 1.0]))[:, 1]
        assert bows == pytest.approx(np.linspace(-20, 20, many))


def test_boxes_of_several_sizes_fit_side_by_side_or_above_each_other():
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 2.0]])
    room = np.array([[20.0, 10.0], [30.0, 10.0], [20.0, 10.0]])
    assert fitting(places, room) == 50.0  # the first two; the third has twenty for twenty below
    assert fitting(places, room * [1, 6]) == 60.0
    assert fitting(places[:2], room[:2] * [1, 9]) == 50.0
