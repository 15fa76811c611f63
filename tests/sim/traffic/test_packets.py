import numpy as np
import pytest
from helpers.multicasts import CUBE as CAST
from helpers.multicasts import multicasts
from knotwork import Hypercube, Network
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

CUBE = Network(Hypercube(n=4))


def test_beats_of_a_multicast_are_its_chain_and_then_its_data():
    packets = multicasts(CAST, [[1, 3, 6]], data=2)
    assert packets.length.tolist() == [5]
    assert packets.chain_length.tolist() == [3]
    assert packets.due.tolist() == [2 * 3]
    assert packets.deliveries() == [(0, 1), (0, 3), (0, 6)]
    assert packets.words(32)[:3, 0].tolist() == [1, 3, 6]
    assert packets.words(72)[:3].tolist() == [[1, 0], [3, 0], [6, 0]]
    assert (packets.words(32)[3:] == multicasts(CAST, [[1, 3, 6]], data=2).words(32)[3:]).all()


@pytest.mark.parametrize("width", [8, 32, 63, 64, 65, 72, 128, 512])
def test_contents_fill_the_data_width_and_no_more(width):
    packets = make_packets(CUBE, Traffic(packets=500, length=(1, 8)))
    words = packets.words(width)
    assert words.dtype == np.uint64
    assert words.shape == (packets.length.sum(), -(-width // 64))
    low = 0
    for column in words.T:
        bits = min(64, width - low)
        assert int(np.bitwise_or.reduce(column)) == 2**bits - 1
        assert int(np.bitwise_and.reduce(column)) == 0
        low += 64
