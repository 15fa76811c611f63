import numpy as np
from helpers.multicasts import CUBE, multicasts
from knotwork import Network
from knotwork_sim.traffic.addresses import address_codes
from knotwork_sim.traffic.packet_table import packet_table
from knotwork_sim.traffic.packets import EVERYONE


def test_sources_say_the_destinations_code_or_none_or_for_a_broadcast_anything():
    network = Network.from_words(["wk", "w=3", "levels=2"])
    count = 300
    destination = np.arange(count) % 10 - 1  # -1 is no node
    packets = packet_table(
        network,
        source=np.zeros(count, np.int64),
        destination=np.where(np.arange(count) < 150, destination, EVERYONE),
        length=np.ones(count, np.int64),
        time=np.arange(count),
        seed=1,
    )
    said = address_codes(network, packets)
    for code, node in zip(said[:150].tolist(), destination[:150].tolist(), strict=True):
        assert network.topology.node_at(code) == (node if node >= 0 else None)
    assert set(said[150:].tolist()) == set(range(16))
    assert address_codes(CUBE, multicasts(CUBE, [[1, 3, 6], [5]])).tolist() == [3, 1]
