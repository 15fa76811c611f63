import pytest
from knotwork import Mesh
from knotwork.topology import metrics


@pytest.mark.parametrize(("x", "y", "z"), [(2, 2, 1), (8, 3, 1), (3, 4, 2), (1, 3, 4), (6, 1, 1)])
def test_sizes(x, y, z):
    mesh = Mesh(x=x, y=y, z=z)
    links = (x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1)
    assert metrics.link_counts(mesh.neighbours) == (links, links)
    assert (mesh.nodes, mesh.diameter) == (x * y * z, x + y + z - 3)
    assert mesh.as_dict() == {"x": x, "y": y} | ({"z": z} if z > 1 else {})


def test_the_borders_have_fewer_ports():
    mesh = Mesh(x=4, y=3)
    assert mesh.neighbours[0].tolist() == [-1, -1, 1, -1, 4]
    assert mesh.neighbours[11].tolist() == [-1, 10, -1, 7, -1]
    assert mesh.neighbours[5].tolist() == [-1, 4, 6, 1, 9]
    assert metrics.degrees(mesh.neighbours) == (2, 4)
    assert (mesh.label(11), mesh.address(11)) == ("2.3", 0b10_11)


def test_the_bisection_cuts_the_longer_rows_once():
    assert Mesh(x=8, y=5).bisection_bounds == (5, 5)
    assert Mesh(x=5, y=5).bisection_bounds[1] == 6  # the middle column's part is cut too


def test_front_and_back():
    mesh = Mesh(x=2, y=2, z=3)
    assert mesh.ports == ("local", "L", "R", "U", "D", "F", "B")
    assert mesh.neighbours[5].tolist() == [-1, 4, -1, -1, 7, 1, 9]
    assert (mesh.label(5), mesh.address(11)) == ("1.0.1", 0b10_1_1)


def test_layers_are_drawn_one_behind_the_other():
    places = Mesh(x=3, y=2, z=2).layout()
    front, back = places[:6], places[6:]
    assert (back - front).tolist() == [[1.0, -1.0]] * 6  # to the right and up
    # So no level or upright link of a layer meets a node of the other.
    assert not set(front[:, 0]) & set(back[:, 0])
    assert not set(front[:, 1]) & set(back[:, 1])
