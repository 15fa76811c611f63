import pytest
from knotwork_sim.search.published import SIZES, nearest


def sizes(nodes, degree, *, exactly=False):
    found = nearest(nodes, degree, exactly=exactly)
    return {name: topology.nodes for name, topology in found.items()}


def test_of_every_kind_the_nearest_size_is_chosen():
    assert sizes(64, 4) == {
        "hypercube:n=6": 64,
        "moebius:n=6": 64,
        "ccc:n=6": 64,
        "wk:w=4,levels=3": 64,
        "tcpg:k=2,m=1": 80,
        "rp:k=6": 60,
        "torus:x=8,y=8": 64,
        "torus:x=4,y=4,z=4": 64,
        "mesh:x=8,y=8": 64,
        "mesh:x=4,y=4,z=4": 64,
    }


def test_networks_of_less_than_half_or_more_than_twice_the_size_are_left_out():
    assert "petersen" in sizes(10, 3)
    assert "petersen" in sizes(20, 3)
    assert "petersen" not in sizes(21, 3)
    assert "petersen" not in sizes(4, 3)


@pytest.mark.parametrize("nodes", [10, 16, 47])
def test_a_matrix_fits_one_size_alone(nodes):
    exactly = sizes(nodes, 4, exactly=True)
    assert set(exactly.values()) <= {nodes}
    assert exactly == {name: size for name, size in sizes(nodes, 4).items() if size == nodes}


@pytest.mark.parametrize("nodes", [2, 3, 5, 33, 1000, 4096])
def test_every_size_has_networks_beside_it(nodes):
    found = sizes(nodes, 4)
    assert found
    assert all(nodes <= 2 * size <= 4 * nodes for size in found.values())
    assert {name.partition(":")[0] for name in found} <= {name for name, _ in SIZES}


def test_clusters_are_about_as_wide_as_the_degree():
    assert "wk:w=3,levels=2" in sizes(9, 3)
    assert "wk:w=5,levels=2" in sizes(25, 5)
