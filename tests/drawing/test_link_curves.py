"""Curves of links: clear of boxes, apart from each other."""

import numpy as np
import pytest
from helpers.pictures import SVG, middle_of, parsed
from knotwork import CubeConnectedCycles, Network
from knotwork.drawing.link_curves import Curve, control_points


def test_a_line_over_a_node_is_bowed_and_a_clear_one_is_straight():
    places = np.array([[0.0, 0.0], [100.0, 0.0], [200.0, 0.0], [0.0, 90.0]])
    ends = np.array([[0, 2], [0, 3]])
    room = np.array([12.0, 12.0])
    over, clear = control_points(places, ends, room)
    assert clear.tolist() == [0.0, 45.0]
    curve = Curve(places[0], over, places[2]).points(np.linspace(0, 1, 101))
    assert np.hypot(*(curve - places[1]).T).min() >= 11.9


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


@pytest.mark.parametrize("n", [2, 3])
def test_both_links_of_a_cycle_of_two_are_seen(n):
    topology = CubeConnectedCycles(n=n)
    links = {}
    for path in parsed(Network(topology)).iter(f"{SVG}path"):
        links.setdefault(path.find(f"{SVG}title").text, []).append(path)
    doubles = [paths for paths in links.values() if len(paths) == 2]
    assert len(doubles) == 2**topology.cube_bits
    for first, second in doubles:
        assert np.hypot(*(middle_of(first) - middle_of(second))) > 8  # more than three lines wide
    x = topology.cube_bits
    assert sum(map(len, links.values())) == 2**n + x * 2 ** (x - 1)


def test_a_curve_is_moved_to_the_right_of_its_direction():
    curve = Curve(np.array([0.0, 0.0]), np.array([5.0, 3.0]), np.array([10.0, 0.0]))
    assert np.array(curve.moved_aside(2.0)).tolist() == [[0.0, 2.0], [5.0, 5.0], [10.0, 2.0]]
    assert curve.points(np.array([0, 0.5, 1])).tolist() == [[0.0, 0.0], [5.0, 1.5], [10.0, 0.0]]
