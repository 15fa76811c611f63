"""Tori, meshes and rings, and what all products of factors have."""

from itertools import combinations, product

import numpy as np
import pytest
from knotwork import Mesh, Petersen, Ring, Rp, Tcpg, Torus
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


def test_rows_columns_and_codes_of_a_torus():
    torus = Torus(x=5, y=3)
    assert torus.neighbours[1 * 5 + 4].tolist() == [-1, 1 * 5 + 3, 1 * 5 + 0, 4, 2 * 5 + 4]
    assert torus.ports == ("local", "L", "R", "U", "D")
    assert torus.address(1 * 5 + 4) == 0b01_100
    assert torus.node_at(0b01_101) is None
    assert torus.label(1 * 5 + 4) == "1.4"
    torus = Torus(x=6, y=4, ring_code="johnson")
    assert torus.address(2 * 6 + 4) == 0b11_110
    assert Torus(x=1, y=6).ports == ("local", "U", "D")
    assert Torus(x=6, y=1).dimensions == (6,)
    one, two = (Torus(x=4, y=6, directions=ways) for ways in ("one", "two"))
    assert one.bisection_bounds == two.bisection_bounds
    assert wire_lengths(one) == wire_lengths(two)


@pytest.mark.parametrize(("x", "y"), [(4, 4), (8, 5), (16, 2)])
def test_the_bisection_cuts_the_longer_rings_twice(x, y):
    assert Torus(x=x, y=y).bisection_bounds == (2 * min(x, y), 2 * min(x, y))


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


@pytest.mark.parametrize(("x", "y", "z"), [(2, 2, 1), (8, 3, 1), (3, 4, 2), (1, 3, 4), (6, 1, 1)])
def test_sizes(x, y, z):
    mesh = Mesh(x=x, y=y, z=z)
    links = (x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1)
    assert metrics.link_counts(mesh.neighbours) == (links, links)
    assert (mesh.nodes, mesh.diameter) == (x * y * z, x + y + z - 3)
    assert mesh.as_dict() == {"x": x, "y": y} | ({"z": z} if z > 1 else {})


def test_borders_front_and_back_of_a_mesh():
    mesh = Mesh(x=4, y=3)
    assert mesh.neighbours[0].tolist() == [-1, -1, 1, -1, 4]
    assert mesh.neighbours[11].tolist() == [-1, 10, -1, 7, -1]
    assert mesh.neighbours[5].tolist() == [-1, 4, 6, 1, 9]
    assert metrics.degrees(mesh.neighbours) == (2, 4)
    assert (mesh.label(11), mesh.address(11)) == ("2.3", 0b10_11)
    mesh = Mesh(x=2, y=2, z=3)
    assert mesh.ports == ("local", "L", "R", "U", "D", "F", "B")
    assert mesh.neighbours[5].tolist() == [-1, 4, -1, -1, 7, 1, 9]
    assert (mesh.label(5), mesh.address(11)) == ("1.0.1", 0b10_1_1)
    assert Mesh(x=8, y=5).bisection_bounds == (5, 5)
    assert Mesh(x=5, y=5).bisection_bounds[1] == 6  # the middle column's part is cut too


@pytest.mark.parametrize("n", [2, 3, 7, 16])
def test_a_ring_both_ways(n):
    ring = Ring(n=n)
    assert ring.ports == ("local", "L", "R")
    assert metrics.link_counts(ring.neighbours)[0] == n
    assert ring.diameter == n // 2
    assert np.allclose(np.hypot(*ring.layout().T), 1)  # a circle
    assert [ring.label(node) for node in range(n)] == [str(node) for node in range(n)]


def test_rings_one_way_and_large_networks():
    ring = Ring(n=5, directions="one")
    assert ring.neighbours.tolist() == [[-1, (i + 1) % 5] for i in range(5)]
    assert ring.diameter == 4
    assert ring.average_distance == 2.5
    torus = Torus(x=1024, y=1024)
    assert torus.diameter == 1024
    assert torus.average_distance == pytest.approx(2 * 256 * 1024**2 / (1024**2 - 1))
    assert torus.distance(0, 512 * 1024 + 512) == 1024
    assert np.ptp(torus.layout(), axis=0).tolist() == [1023, 1023]
    places = Mesh(x=3, y=2, z=2).layout()
    front, back = places[:6], places[6:]
    assert (back - front).tolist() == [[1.0, -1.0]] * 6  # to the right and up
    # So no level or upright link of a layer meets a node of the other.
    assert not set(front[:, 0]) & set(back[:, 0])
    assert not set(front[:, 1]) & set(back[:, 1])


NETWORKS = [
    *(Torus(x=x, y=y) for x, y in product(range(2, 10), repeat=2)),
    *(Mesh(x=x, y=y) for x, y in product(range(2, 10), repeat=2)),
    *(Torus(x=6, y=4, ring_code="johnson"), Torus(x=3, y=2, z=4), Mesh(x=2, y=3, z=4)),
    *(Rp(k=k, petersen_code="word") for k in range(1, 10)),
    *(Petersen(), Petersen(petersen_code="word")),
    *(Tcpg(k=k, m=m) for k, m in product(range(1, 4), repeat=2)),
]


def test_links_are_of_the_kind_of_their_port_and_distances_have_the_same_sum_everywhere():
    for network in NETWORKS:
        for router, port in np.argwhere(network.neighbours[:20] >= 0).tolist():
            kind = network.link_kinds[network.link_kind(router, port)]
            assert network.ports[port] in kind.split(" - ")
        facts = network.extra_facts()
        assert ("distance_sum" in facts) == (network.name != "mesh")
        if network.name != "mesh":
            sums = metrics.distances(network.neighbours).sum(axis=1)
            assert (sums == facts["distance_sum"]).all()


@pytest.mark.parametrize(
    "network",
    [network for network in NETWORKS if network.nodes <= 16],
    ids=lambda network: network.instance_name,
)
def test_the_bisection_is_within_its_bounds(network):
    """Every balanced cut of a small network."""
    near, nodes = network.neighbours[:, 1:], network.nodes
    halves = list(combinations(range(nodes), nodes // 2))
    inside = np.zeros((len(halves), nodes + 1), bool)
    inside[np.arange(len(halves))[:, None], np.array(halves)] = True
    cuts = np.zeros(len(halves), int)
    for port in near.T:
        linked = np.nonzero(port >= 0)[0]
        cuts += (inside[:, linked] != inside[:, port[linked]]).sum(axis=1)
    least = cuts.min() // 2
    low, high = network.bisection_bounds
    assert low <= least <= high
    found = network.bisected
    assert found is not None
    assert found.exact in (None, least)


def test_a_network_that_halves_evenly_has_an_exact_bisection():
    """Where the factor whose links carry most has an even number of positions."""
    exact = 0
    for network in NETWORKS:
        low, high = network.bisection_bounds
        assert low <= high
        loads = {f: f.heaviest_load[0] / f.heaviest_load[1] / f.size for f in network.factors}
        if max(loads, key=loads.__getitem__).size % 2 == 0:
            exact += 1
            assert low == high, network
    assert exact > 50
