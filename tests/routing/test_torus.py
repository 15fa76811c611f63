import pytest
from knotwork import Network, Torus
from knotwork.topology.rings import Ring


def channels(network, source, destination):
    ports = network.topology.ports
    hops = network.routing.hops(source, destination)[:-1]
    return [(ports[hop.port], hop.virtual_channel) for hop in hops]


def test_class_0_up_to_the_dateline_and_class_1_after_it():
    network = Network(Torus(x=8, y=5))
    assert channels(network, 6, 1) == [("R", 0), ("R", 0), ("R", 1)]
    assert channels(network, 1, 6) == [("L", 0), ("L", 0), ("L", 1)]
    assert channels(network, 1, 4) == [("R", 1)] * 3
    assert channels(network, 4 * 8 + 7, 0) == [("R", 0), ("D", 0)]


def test_half_way_round_paths_lead_both_ways():
    network = Network(Torus(x=8, y=5))
    assert channels(network, 2, 6) == [("R", 1)] * 4
    assert channels(network, 1, 5) == [("L", 0)] * 2 + [("L", 1)] * 2


@pytest.mark.parametrize("ring_code", ["binary", "johnson"])
def test_the_code_of_the_address_has_no_part_in_the_way(ring_code):
    network = Network(Torus(x=6, y=4, ring_code=ring_code))
    assert network.routing.path(0, 15) == [0, 1, 2, 3, 9, 15]


def test_the_two_nodes_of_a_side_of_two_use_one_of_its_two_links():
    network = Network(Torus(x=2, y=2))
    used = [
        {port for there in range(4) for port, _ in channels(network, here, there)}
        for here in range(4)
    ]
    assert used == [{"R", "D"}, {"L", "D"}, {"R", "U"}, {"L", "U"}]


@pytest.mark.parametrize("sides", [(2, 2), (3, 3), (2, 3), (4, 4)])
def test_short_rings_do_with_one_virtual_channel(sides):
    network = Network(Torus(x=sides[0], y=sides[1]))
    assert all(isinstance(factor, Ring) for factor in network.topology.factors)
    assert network.routing.virtual_channels == 1
    assert network.deadlock_report.deadlock_free
