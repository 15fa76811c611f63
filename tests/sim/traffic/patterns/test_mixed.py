import numpy as np
import pytest
from knotwork import Hypercube, Network
from knotwork_sim.sweep.channel_load import channel_load
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

CUBE = Network(Hypercube(n=4))
MANY = 60_000


def destinations(**keys):
    packets = make_packets(CUBE, Traffic(packets=MANY, **keys))
    return packets.source, packets.destination


def test_each_pattern_has_its_share():
    source, destination = destinations(traffic="complement:0.5,shuffle:0.3,bit_rotation:0.2")
    left = (source << 1 | source >> 3) & 15
    right = source >> 1 | (source & 1) << 3
    apart = (15 - source != left) & (15 - source != right) & (left != right)
    count = apart.sum()
    assert count > MANY / 2
    for to, share in ((15 - source, 0.5), (left, 0.3), (right, 0.2)):
        found = (destination == to)[apart].sum()
        assert abs(found - share * count) < 5 * (count * share * (1 - share)) ** 0.5


def test_shares_are_relative():
    one = destinations(traffic="uniform:3,hotspot:1")
    other = destinations(traffic="uniform:0.75,hotspot:0.25")
    assert all((a == b).all() for a, b in zip(one, other, strict=True))


def test_a_matrix_sends_its_own_part_of_a_mix():
    """Half of all flits are uniform, half go from node 3 to itself: 8 times the mean."""
    rates = np.zeros((16, 16))
    rates[3, 3] = 1
    keys = {"traffic": "uniform:1,matrix:1", "matrix": rates}
    source, destination = destinations(**keys)
    own = (source == 3) & (destination == 3)
    assert abs(own.sum() - MANY / 2) < 5 * (MANY / 4) ** 0.5
    others = np.bincount(source[~own], minlength=16)
    assert np.abs(others - MANY / 32).max() < 5 * (MANY / 32) ** 0.5
    assert channel_load(CUBE, Traffic(**keys)).largest == pytest.approx(8.5)


def test_a_load_is_the_sum_of_the_parts():
    def load(traffic):
        return channel_load(CUBE, Traffic(traffic=traffic))

    mixed = load("complement:3,uniform:1")
    hops = 0.75 * load("complement").average_hops + 0.25 * load("uniform").average_hops
    assert mixed.average_hops == pytest.approx(hops)
    # Dimension order puts one complement flow on each channel, and the uniform part evenly on all.
    assert mixed.largest == pytest.approx(1.0)
