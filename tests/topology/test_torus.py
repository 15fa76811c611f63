import numpy as np
import pytest
from knotwork import Torus
from knotwork.topology import metrics
from knotwork.topology.comparison import wire_lengths

# Section 6 of the specification: sides, diameter, mean distance.
TABLE = [
    (5, 8, 6, 3.282),
    (10, 16, 13, 6.541),
    (15, 16, 15, 7.766),
    (18, 20, 19, 9.526),
    (20, 32, 26, 13.020),
    (25, 40, 32, 16.256),
]


@pytest.mark.parametrize(("x", "y", "diameter", "mean"), TABLE)
def test_the_table_of_the_specification(x, y, diameter, mean):
    torus = Torus(x=x, y=y)
    assert torus.diameter == diameter == x // 2 + y // 2
    assert torus.average_distance == pytest.approx(mean, abs=5e-4)
    assert metrics.link_counts(torus.neighbours) == (2 * x * y, 2 * x * y)
    assert metrics.degrees(torus.neighbours) == (4, 4)


def test_rows_and_columns():
    torus = Torus(x=5, y=3)
    assert torus.neighbours[1 * 5 + 4].tolist() == [-1, 1 * 5 + 3, 1 * 5 + 0, 4, 2 * 5 + 4]
    assert torus.ports == ("local", "L", "R", "U", "D")
    assert torus.address(1 * 5 + 4) == 0b01_100
    assert torus.node_at(0b01_101) is None
    assert torus.label(1 * 5 + 4) == "1.4"


def test_a_side_of_two_has_double_links():
    torus = Torus(x=2, y=4)
    assert (torus.neighbours[:, 1] == torus.neighbours[:, 2]).all()
    assert metrics.link_counts(torus.neighbours) == (16, 12)


@pytest.mark.parametrize(("x", "y"), [(4, 4), (8, 5), (16, 2)])
def test_the_bisection_cuts_the_longer_rings_twice(x, y):
    assert Torus(x=x, y=y).bisection_bounds == (2 * min(x, y), 2 * min(x, y))


def test_johnson_codes_of_even_sides():
    torus = Torus(x=6, y=4, ring_code="johnson")
    assert torus.address(2 * 6 + 4) == 0b11_110


def test_a_million_nodes_are_described_by_formulas():
    torus = Torus(x=1024, y=1024)
    assert torus.diameter == 1024
    assert torus.average_distance == pytest.approx(2 * 256 * 1024**2 / (1024**2 - 1))
    assert torus.distance(0, 512 * 1024 + 512) == 1024
    assert np.ptp(torus.layout(), axis=0).tolist() == [1023, 1023]


@pytest.mark.parametrize(("x", "y"), [(4, 4), (2, 3), (5, 2)])
def test_links_one_way(x, y):
    torus = Torus(x=x, y=y, directions="one")
    assert torus.ports == ("local", "R", "D")
    assert torus.instance_name == f"torus_x{x}_y{y}_directionsone"
    for node in range(x * y):
        row, column = divmod(node, x)
        before = row * x + (column - 1) % x, (row - 1) % y * x + column
        after = row * x + (column + 1) % x, (row + 1) % y * x + column
        assert torus.neighbours[node].tolist() == [-1, *after]
        routers, ports = (table[node].tolist() for table in torus.senders)
        assert (routers, ports) == ([-1, *before], [-1, 1, 2])
    assert torus.diameter == x - 1 + y - 1
    assert metrics.link_counts(torus.neighbours, one_way=True) == (2 * x * y, 2 * x * y)


def test_a_torus_has_the_same_wires_whichever_way_they_lead():
    one, two = (Torus(x=4, y=6, directions=ways) for ways in ("one", "two"))
    assert one.bisection_bounds == two.bisection_bounds
    assert wire_lengths(one) == wire_lengths(two)


@pytest.mark.parametrize("directions", ["one", "two"])
def test_layers_are_rings_too(directions):
    torus = Torus(x=4, y=3, z=2, directions=directions)
    assert torus.nodes == 24
    assert torus.diameter == (3 + 2 + 1 if directions == "one" else 2 + 1 + 1)
    assert torus.label(2 * 12 - 1) == "1.2.3"
    assert torus.ports[-1] == "B"
    behind = torus.neighbours[:, -1]
    assert (behind == (np.arange(24) + 12) % 24).all()
    links = {"one": 3, "two": 6}[directions] * 24 // (1 if directions == "one" else 2)
    assert metrics.link_counts(torus.neighbours, one_way=directions == "one")[0] == links


def test_a_side_of_one_has_no_links():
    assert Torus(x=1, y=6).ports == ("local", "U", "D")
    assert Torus(x=6, y=1).dimensions == (6,)
