"""Petersen graphs as stars."""

import numpy as np
import pytest
from knotwork.topology.layouts.stars import STAR, folded, lanes_past, star_layout, stars_layout


def test_a_pentagon_stands_around_a_pentagram():
    outer, inner = np.hypot(*star_layout().T).reshape(2, 5)
    assert 0.85 < outer.min() <= outer.max() < 1.15
    assert 0.45 < inner.min() <= inner.max() < 0.7
    angle = np.unwrap(np.arctan2(*star_layout()[:5].T[::-1]))
    assert (np.abs(np.diff(angle)) > 1.0).all()  # of 1.26 in a regular pentagon


@pytest.mark.parametrize("axis", [0, 1])
def test_no_two_nodes_share_a_lane(axis):
    lanes = np.diff(np.sort(star_layout()[:, axis]))
    assert lanes.min() == pytest.approx(0.146)


def test_stars_stand_apart_and_are_stretched_where_links_pass():
    cells = np.array([[0, 0], [1, 0], [0, 1]])
    first, right, below = stars_layout(cells, (2.0, 3.0)).reshape(3, 10, 2)
    assert right - first == pytest.approx(np.tile([2 * STAR, 0], (10, 1)))
    assert below - first == pytest.approx(np.tile([0, 3 * STAR], (10, 1)))
    assert first == pytest.approx(star_layout() * [2, 3])
    assert np.ptp(star_layout(), axis=0).max() < STAR - 0.4
    assert [lanes_past(ring) for ring in (1, 2)] == [1, 1]
    assert lanes_past(4) > 1.5


@pytest.mark.parametrize("length", range(1, 12))
def test_a_folded_ring_has_short_links_only(length):
    places = folded(length)
    assert sorted(places) == list(range(length))
    assert np.abs(places - np.roll(places, 1)).max() <= 2
