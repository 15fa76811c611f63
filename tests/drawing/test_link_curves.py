"""Curves of links: clear of boxes, apart from each other."""

import numpy as np
import pytest
from helpers.pictures import SVG, middle_of, parsed
from knotwork import CubeConnectedCycles, Network
from knotwork.drawing.link_curves import link_curves


def test_a_line_over_a_node_is_bowed_and_a_clear_one_is_straight():
    places = np.array([[0.0, 0.0], [100.0, 0.0], [200.0, 0.0], [0.0, 90.0]])
    ends = np.array([[0, 2], [0, 3]])
    (over, clear), blocked = link_curves(places, ends, np.array([12.0, 12.0]))
    assert blocked == 0
    assert clear.is_straight
    assert np.abs(over.points(np.linspace(0, 1, 101)) - places[1]).max(axis=1).min() >= 12


def test_a_link_along_a_long_row_leaves_it_at_once():
    # A bow that passes above the second node would meet the next row.
    row = np.stack([np.arange(32) * 80.0, np.zeros(32)], axis=1)
    places = np.concatenate([row, row + np.array([0, 84])])
    room = np.array([20.0, 16.0])
    (wrap,), blocked = link_curves(places, np.array([[0, 31]]), room)
    assert blocked == 0
    foreign = np.delete(places, [0, 31], axis=0)
    apart = np.abs(wrap.points(np.linspace(0, 1, 3001))[:, None] - foreign) / room
    assert apart.max(axis=2).min() >= 0.95


def test_a_link_that_cannot_pass_is_counted():
    around = [[x * 20.0, y * 20.0] for x in (-1, 0, 1) for y in (-1, 0, 1)]
    places = np.array([*around, [300.0, 0.0]])
    _, blocked = link_curves(places, np.array([[4, 9]]), np.array([12.0, 12.0]))
    assert blocked == 1


def test_double_links_are_drawn_apart():
    places = np.array([[0.0, 0.0], [100.0, 0.0]])
    curves, _ = link_curves(places, np.array([[0, 1], [1, 0]]), np.array([9.0, 9.0]))
    middles = [curve.points(np.array([0.5]))[0].tolist() for curve in curves]
    assert middles == [[50.0, -5.0], [50.0, 5.0]]


def test_links_of_a_bundle_are_drawn_apart_but_not_as_a_circle():
    places = np.array([[0.0, 0.0], [100.0, 0.0]])
    for many in (3, 5, 9):
        curves, _ = link_curves(places, np.array([[0, 1]] * many), np.array([1.0, 1.0]))
        bows = [curve.points(np.array([0.5]))[0, 1] for curve in curves]
        assert bows == pytest.approx(np.linspace(-10, 10, many))


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
