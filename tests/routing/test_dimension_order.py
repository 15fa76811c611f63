"""Highest differing dimension first, against the written addresses."""

from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network
from knotwork.routing.dimension_order import highest_difference


def test_the_port_is_that_of_the_highest_differing_bit():
    for here in range(16):
        for there in range(16):
            bits = [i for i in range(4) if f"{here:04b}"[3 - i] != f"{there:04b}"[3 - i]]
            assert highest_difference(None, here, 0, 1, there) == (max(bits, default=-1) + 1, 1)


@given(n=st.integers(1, 12), data=st.data())
def test_ecube_corrects_the_differing_bits_from_the_highest(n, data):
    source, destination = (data.draw(st.integers(0, 2**n - 1)) for _ in range(2))
    path = [source]
    for i in reversed(range(n)):
        if (path[-1] ^ destination) >> i & 1:
            path.append(path[-1] ^ 1 << i)
    assert Network(Hypercube(n=n)).routing.path(source, destination) == path


@given(n=st.integers(1, 12), twist=st.integers(0, 1), data=st.data())
def test_dfr_leaves_by_the_highest_differing_bit_and_dimensions_fall(n, twist, data):
    source, destination = (data.draw(st.integers(0, 2**n - 1)) for _ in range(2))
    hops = Network(Moebius(n=n, twist=twist), routing="dfr").routing.hops(source, destination)
    for hop in hops[:-1]:
        assert (hop.router ^ destination) >> (hop.port - 1) == 1  # port i + 1 is dimension i
    ports = [hop.port for hop in hops]
    assert ports == sorted(set(ports), reverse=True)
    assert ports[-1] == 0


def test_the_ranks_rise_with_every_turn():
    routing = Network(Hypercube(n=3), multicast="yes", max_packet=8).routing
    rank = routing.rank()[0]
    for i, a, o, b in routing.class_turns(0):
        if 0 not in (i, o):
            assert rank[i, a] < rank[o, b]
    assert all(rank[:, a].max() < rank[:, b].min() for a, b in routing.relays)
