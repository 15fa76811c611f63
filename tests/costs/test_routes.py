import numpy as np
import pytest
from knotwork import Network
from knotwork.costs.routes import ASKED, decision_nodes, route_nodes


@pytest.mark.parametrize("bits", [1, 3, 6])
def test_parity_has_two_nodes_per_bit_but_one_for_the_first(bits):
    outcomes = np.array([number.bit_count() % 2 for number in range(1 << bits)])
    assert decision_nodes(outcomes) == 2 * bits - 1


def test_a_bit_is_one_node_wherever_it_is():
    for bit in range(5):
        assert decision_nodes(np.arange(32) >> bit & 1) == 1


def test_an_order_that_suits_is_found():
    # Bits 0 and 3, then 1 and 2: whichever end is asked first.
    numbers = np.arange(16)
    assert decision_nodes(numbers & 1) == decision_nodes(numbers >> 3 & 1) == 1


def test_where_any_outcome_is_right_none_is_asked_for():
    assert decision_nodes(np.array([7, -1, -1, 7])) == 0
    assert decision_nodes(np.array([-1, -1, -1, -1])) == 0
    assert decision_nodes(np.array([1, -1, -1, 2])) == 1
    assert decision_nodes(np.array([3])) == 0


@pytest.mark.parametrize("n", [2, 4, 6])
def test_e_cube_asks_for_each_dimension_that_may_follow(n):
    # A packet that came by a dimension has those after it left, one decision each.
    network = Network.from_word(f"hypercube:n={n}")
    (kind,) = network.router_kinds
    assert route_nodes(network, kind) == n + sum(range(n))


def test_lanes_have_routes_of_their_own():
    one, two = (
        Network.from_word(f"hypercube:n=3,virtual_channels={channels}") for channels in (1, 2)
    )
    assert route_nodes(two, two.router_kinds[0]) == 2 * route_nodes(one, one.router_kinds[0])


def test_large_networks_are_asked_about_a_sample(monkeypatch):
    network = Network.from_word("hypercube:n=4")
    whole = route_nodes(network, network.router_kinds[0])
    monkeypatch.setattr("knotwork.costs.routes.ASKED", 4)
    assert 0 < route_nodes(network, network.router_kinds[0]) < whole
    assert ASKED == 1024
