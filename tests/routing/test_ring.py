import pytest
from knotwork import Network, Ring


@pytest.mark.parametrize(("n", "classes"), [(2, 1), (3, 1), (4, 1), (5, 2), (8, 2), (9, 2)])
def test_the_shorter_way_round(n, classes):
    network = Network(Ring(n=n))
    assert network.virtual_channels == classes
    assert network.deadlock_report.deadlock_free
    for a in range(n):
        for b in range(n):
            assert len(network.routing.path(a, b)) - 1 == min((a - b) % n, (b - a) % n)


def test_the_only_way_round():
    network = Network(Ring(n=6, directions="one"))
    assert network.routing.path(4, 1) == [4, 5, 0, 1]
    assert network.deadlock_report.deadlock_free
