from itertools import pairwise, product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Fabric, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.routing.lengths import summary
from knotwork.topology import metrics

APPROX_REFUSED = (
    "moebius: routing=approx_spr must not be built: its path is found at the source, where the set "
    "of terms left would have to travel with the packet; use routing=spr"
)

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


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("twist", [0, 1])
def test_dfr_walks_as_far_as_e_cube(n, twist):
    topology = Moebius(n=n, twist=twist)
    lengths = Network(topology, routing="dfr").routing.walk_lengths()
    found = summary(lengths, metrics.distances(topology.neighbours))
    assert found.mean == pytest.approx(n * 2 ** (n - 1) / (2**n - 1))
    assert found.max == n


@pytest.mark.parametrize(
    ("n", "nonminimal"),
    # Section 4 of the specification, variant "approxSpr (i-1)": 0-MC and 1-MC.
    [(1, (0, 0)), (2, (0, 0)), (3, (8, 8)), (4, (32, 32)), (5, (176, 160)), (6, (688, 656))],
)
@pytest.mark.parametrize("twist", [0, 1])
def test_approx_spr_is_not_always_shortest(n, nonminimal, twist):
    topology = Moebius(n=n, twist=twist)
    routing = Network(topology, routing="approx_spr").routing
    found = summary(routing.walk_lengths(), metrics.distances(topology.neighbours))
    assert found.nonminimal == nonminimal[twist]
    assert found.max <= topology.diameter + 1


def test_approx_spr_is_checked_by_its_own_paths():
    network = Network(Moebius(n=4, twist=1), routing="approx_spr")
    routing, topology = network.routing, network.topology
    marks = np.zeros_like(routing.dependencies())
    for a, b in product(range(16), repeat=2):
        hops = routing.hops(a, b)
        assert [hop.router for hop in hops] == routing.routers(a, b)
        for here, after in pairwise(hops):
            assert topology.neighbours[here.router, here.port] == after.router
        for hold, want in pairwise(hops[:-1]):
            marks[hold.router * 5 + hold.port, want.port, 0] = True
    assert (routing.dependencies() == marks).all()


@pytest.mark.parametrize("twist", [0, 1])
def test_approx_spr_can_deadlock(twist):
    network = Network(Moebius(n=4, twist=twist), routing="approx_spr")
    cycle = network.deadlock_report.cycle
    turns = set()
    for source in range(16):
        for destination in range(16):
            path = network.routing.path(source, destination)
            turns |= set(zip(path, path[1:], path[2:], strict=False))
    for (a, b, _), (c, d, _) in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        assert b == c
        assert (a, b, d) in turns


def test_approx_spr_is_not_built():
    network = Network(Moebius(n=2), routing="approx_spr", allow_deadlock="yes")
    with pytest.raises(ConfigurationError) as refusal:
        network.require_deadlock_free()
    assert str(refusal.value) == APPROX_REFUSED
    with pytest.raises(ConfigurationError) as refusal:
        Fabric(network)
    assert str(refusal.value) == APPROX_REFUSED
