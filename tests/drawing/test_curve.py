"""Curves: straight, bowed, moved, cut."""

import numpy as np
import pytest
from knotwork.drawing.curve import Curve

FIRST, LAST = np.array([0.0, 0.0]), np.array([10.0, 0.0])
BENT = Curve(FIRST, np.array([2.0, 6.0]), np.array([7.0, -3.0]), LAST)


def test_a_line_is_straight_and_a_bow_reaches_half_of_its_share():
    assert Curve.bowed(FIRST, LAST).is_straight
    bow = Curve.bowed(FIRST, LAST, 0.4)
    assert not bow.is_straight
    assert bow.points(np.array([0, 0.5, 1])) == pytest.approx(np.array([FIRST, [5, 2], LAST]))


def test_a_curve_is_moved_to_the_right_of_its_direction():
    assert np.array(BENT.moved_aside(2.0)).tolist() == (np.array(BENT) + np.array([0, 2])).tolist()
    assert np.array(BENT.moved(FIRST + 3)).tolist() == (np.array(BENT) + 3).tolist()


def test_a_part_follows_the_curve():
    share = np.linspace(0, 1, 11)
    assert BENT.until(0.7).points(share) == pytest.approx(BENT.points(share * 0.7))
    assert BENT.reversed().points(share) == pytest.approx(BENT.points(1 - share))


def test_the_path_of_a_line_is_short():
    assert Curve.bowed(FIRST, LAST).path() == "M0.0 0.0L10.0 0.0"
    assert BENT.path() == "M0.0 0.0C2.0 6.0 7.0 -3.0 10.0 0.0"
