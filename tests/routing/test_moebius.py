from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Moebius, Network

networks = st.builds(
    lambda n, twist: Network(Moebius(n=n, twist=twist), routing="dfr"),
    st.integers(1, 12),
    st.integers(0, 1),
)


@given(network=networks, data=st.data())
def test_dfr_leaves_by_the_highest_differing_bit_and_dimensions_fall(network, data):
    nodes = network.topology.nodes
    source, destination = (data.draw(st.integers(0, nodes - 1)) for _ in range(2))
    hops = network.routing.hops(source, destination)
    for hop in hops[:-1]:
        difference = hop.router ^ destination
        assert difference >> (hop.port - 1) == 1  # port i + 1 is dimension i
    dimensions = [hop.port for hop in hops]
    assert dimensions == sorted(set(dimensions), reverse=True)
    assert dimensions[-1] == 0


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("twist", [0, 1])
def test_binomially_many_nodes_at_each_number_of_hops(n, twist):
    routing = Network(Moebius(n=n, twist=twist)).routing
    for source in {0, 1, 2**n - 1, 2**n // 3}:
        counts = [0] * (n + 1)
        for destination in range(2**n):
            counts[len(routing.path(source, destination)) - 1] += 1
        assert counts == [comb(n, k) for k in range(n + 1)]


@pytest.mark.parametrize(
    ("n", "twist", "source", "destination", "hops"),
    # Section 5 of the specification, "dfr needs 5".
    [(6, 0, 0b000000, 0b110101, 5), (8, 0, 0b00100110, 0b11010011, 5)],
)
def test_worked_routes(n, twist, source, destination, hops):
    routing = Network(Moebius(n=n, twist=twist)).routing
    assert len(routing.path(source, destination)) - 1 == hops


def test_two_hops_by_hand():
    # 1-MC_4, 0010 to 1100: dimension 3 is twisted (all four bits), 1101; then dimension 0.
    assert Network(Moebius(n=4, twist=1)).routing.path(0b0010, 0b1100) == [0b0010, 0b1101, 0b1100]


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("twist", [0, 1])
def test_one_virtual_channel_is_free_of_deadlock(n, twist):
    report = Network(Moebius(n=n, twist=twist), virtual_channels=1).deadlock_report
    assert report.deadlock_free
    assert report.cycle is None
    assert report.channels == n * 2**n
    assert report.virtual_channels == 1
