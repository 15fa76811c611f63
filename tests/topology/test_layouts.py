"""Places in drawings: cubes, stars, walks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.drawing.curves import clearances, closest
from knotwork.topology.layouts import (
    STAR,
    closed_walk,
    cube_layout,
    folded,
    lanes_past,
    ring_cube_layout,
    star_layout,
    stars_layout,
)


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


@pytest.mark.parametrize("dimensions", [8, 9, 10])
def test_no_node_is_in_the_rectangle_of_a_link_of_many_dimensions(dimensions):
    places = cube_layout(dimensions, most=7)
    for first, last in places[ends_of(dimensions)[:: 1 << 4]]:
        inside = (places >= np.minimum(first, last) - 1e-6) & (
            places <= np.maximum(first, last) + 1e-6
        )
        assert inside.all(axis=1).sum() == 2


def test_cubes_are_seen_from_the_front_and_the_lowest_dimensions_are_shortest():
    assert closest(ring_cube_layout(5)) == pytest.approx(1)
    first, right, down, _, behind = cube_layout(3)[:5]
    assert (right - first).tolist() == [6.3, 0.0]
    assert (down - first).tolist() == [0.0, 5.7]
    assert (behind - first).tolist() == [3.2, -2.4]
    lengths = np.hypot(*(cube_layout(10)[1 << np.arange(10)] - cube_layout(10)[0]).T)
    assert (np.diff(lengths[::2]) > 0).all()
    assert (np.diff(lengths[1::2]) > 0).all()
    assert not np.array_equal(cube_layout(8), cube_layout(8, most=7))
    assert np.array_equal(cube_layout(7), cube_layout(7, most=7))


def test_stars_walks_and_pentagons():
    outer, inner = np.hypot(*star_layout().T).reshape(2, 5)
    assert 0.85 < outer.min() <= outer.max() < 1.15
    assert 0.45 < inner.min() <= inner.max() < 0.7
    angle = np.unwrap(np.arctan2(*star_layout()[:5].T[::-1]))
    assert (np.abs(np.diff(angle)) > 1.0).all()  # of 1.26 in a regular pentagon
    cells = np.array([[0, 0], [1, 0], [0, 1]])
    first, right, below = stars_layout(cells, (2.0, 3.0)).reshape(3, 10, 2)
    assert right - first == pytest.approx(np.tile([2 * STAR, 0], (10, 1)))
    assert below - first == pytest.approx(np.tile([0, 3 * STAR], (10, 1)))
    assert first == pytest.approx(star_layout() * [2, 3])
    assert np.ptp(star_layout(), axis=0).max() < STAR - 0.4
    assert [lanes_past(ring) for ring in (1, 2)] == [1, 1]
    assert lanes_past(4) > 1.5
    assert (np.ptp(closed_walk(144), axis=0) + 1).tolist() == [12, 12]
    assert (np.ptp(closed_walk(144, 4), axis=0) + 1).tolist() == [24, 6]


@pytest.mark.parametrize("axis", [0, 1])
def test_no_two_nodes_share_a_lane(axis):
    lanes = np.diff(np.sort(star_layout()[:, axis]))
    assert lanes.min() == pytest.approx(0.146)


@pytest.mark.parametrize("length", range(1, 12))
def test_a_folded_ring_has_short_links_only(length):
    places = folded(length)
    assert sorted(places) == list(range(length))
    assert np.abs(places - np.roll(places, 1)).max() <= 2


@given(places=st.integers(1, 600), aspect=st.floats(0.5, 4))
def test_all_places_have_cells_of_their_own_beside_each_other(places, aspect):
    cells = closed_walk(places, aspect)
    assert len(set(map(tuple, cells.tolist()))) == len(cells) == places
    steps = np.abs(cells - np.roll(cells, -1, axis=0))
    is_far = steps.sum(axis=1) != 1
    # A grid's cells are black and white by turns, so a ring of an odd number cannot be closed.
    assert is_far[:-1].sum() == 0
    assert not is_far[-1] or (places % 2 and steps[-1].max() <= 2)
