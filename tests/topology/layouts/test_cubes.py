"""Hypercubes as cubes at the corners of cubes."""

import numpy as np
import pytest
from knotwork.drawing.spacing import clearances, closest
from knotwork.topology.layouts.cubes import cube_layout, ring_cube_layout


def ends_of(dimensions):
    nodes = np.arange(1 << dimensions)
    pairs = [np.stack([nodes, nodes ^ 1 << bit], axis=1) for bit in range(dimensions)]
    return np.concatenate([pair[pair[:, 0] < pair[:, 1]] for pair in pairs])


DRAWN = [(cube_layout, n) for n in range(1, 11)] + [(ring_cube_layout, n) for n in range(1, 8)]


@pytest.mark.parametrize(("layout", "dimensions"), DRAWN)
def test_links_of_a_dimension_are_parallel_and_nodes_apart(layout, dimensions):
    places = layout(dimensions)
    assert places.shape == (1 << dimensions, 2)
    if dimensions < 9:  # larger ones take long
        assert closest(places) > 0.4 * np.hypot(*(places[1] - places[0]))
    for bit in range(dimensions):
        nodes = np.arange(len(places))
        steps = (places[nodes | 1 << bit] - places[nodes & ~(1 << bit)]).round(6)
        assert len(np.unique(steps, axis=0)) == 1


@pytest.mark.parametrize("dimensions", range(2, 8))
def test_straight_links_keep_off_nodes(dimensions):
    # A box is at most 1 wide and high from its middle, in the unit of the steps.
    assert clearances(cube_layout(dimensions), ends_of(dimensions)).min() > 0.75


def test_steps_that_were_searched_for_can_be_left_out():
    assert not np.array_equal(cube_layout(8), cube_layout(8, most=7))
    assert np.array_equal(cube_layout(7), cube_layout(7, most=7))


@pytest.mark.parametrize("dimensions", [8, 9, 10])
def test_no_node_is_in_the_rectangle_of_a_link_of_many_dimensions(dimensions):
    places = cube_layout(dimensions, most=7)
    for first, last in places[ends_of(dimensions)[:: 1 << 4]]:
        inside = (places >= np.minimum(first, last) - 1e-6) & (
            places <= np.maximum(first, last) + 1e-6
        )
        assert inside.all(axis=1).sum() == 2


def test_the_lowest_dimensions_have_the_shortest_links():
    lengths = np.hypot(*(cube_layout(10)[1 << np.arange(10)] - cube_layout(10)[0]).T)
    assert (np.diff(lengths[::2]) > 0).all()
    assert (np.diff(lengths[1::2]) > 0).all()


def test_a_cube_is_seen_from_the_front():
    first, right, down, _, behind = cube_layout(3)[:5]
    assert (right - first).tolist() == [6.3, 0.0]
    assert (down - first).tolist() == [0.0, 5.7]
    assert (behind - first).tolist() == [3.2, -2.4]


def test_rings_have_the_nearest_ones_at_a_distance_of_one():
    for dimensions in range(1, 8):
        assert closest(ring_cube_layout(dimensions)) == pytest.approx(1)
