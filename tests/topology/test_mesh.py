import pytest
from knotwork import Mesh
from knotwork.errors import ConfigurationError
from knotwork.topology import metrics


@pytest.mark.parametrize(("x", "y"), [(2, 2), (4, 4), (8, 3), (5, 7)])
def test_sizes(x, y):
    mesh = Mesh(x=x, y=y)
    links = x * (y - 1) + y * (x - 1)
    assert metrics.link_counts(mesh.neighbours) == (links, links)
    assert mesh.diameter == x + y - 2
    assert mesh.nodes == x * y


def test_the_borders_have_fewer_ports():
    mesh = Mesh(x=4, y=3)
    assert mesh.neighbours[0].tolist() == [-1, -1, 1, -1, 4]
    assert mesh.neighbours[11].tolist() == [-1, 10, -1, 7, -1]
    assert mesh.neighbours[5].tolist() == [-1, 4, 6, 1, 9]
    assert metrics.degrees(mesh.neighbours) == (2, 4)
    assert mesh.label(11) == "2.3"
    assert mesh.address(11) == 0b10_11


def test_the_bisection_cuts_the_longer_rows_once():
    assert Mesh(x=8, y=5).bisection_bounds == (5, 5)
    assert Mesh(x=5, y=5).bisection_bounds[1] == 6  # the middle column's part is cut too


@pytest.mark.parametrize("value", [1, 1025])
def test_a_side_out_of_range_is_refused(value):
    with pytest.raises(ConfigurationError) as refusal:
        Mesh(x=value, y=4)
    assert str(refusal.value) == f"mesh: x must be an integer in 2..1024, not {value}"
