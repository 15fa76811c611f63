import numpy as np
import pytest
from knotwork import Ring
from knotwork.topology import metrics


@pytest.mark.parametrize("n", [2, 3, 7, 16])
def test_a_ring_both_ways(n):
    ring = Ring(n=n)
    assert ring.ports == ("local", "L", "R")
    assert metrics.link_counts(ring.neighbours)[0] == n
    assert ring.diameter == n // 2
    assert [ring.label(node) for node in range(n)] == [str(node) for node in range(n)]


def test_a_ring_one_way():
    ring = Ring(n=5, directions="one")
    assert ring.neighbours.tolist() == [[-1, (i + 1) % 5] for i in range(5)]
    assert ring.diameter == 4
    assert ring.average_distance == 2.5


def test_its_picture_is_a_circle():
    assert np.allclose(np.hypot(*Ring(n=9).layout().T), 1)
