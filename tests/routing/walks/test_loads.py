import numpy as np
from knotwork import Network
from knotwork.routing.walks.loads import DestinationShares, walked_loads


def test_a_node_that_sends_more_is_the_busiest_and_hops_add_up():
    network = Network.from_word("mesh:x=3,y=1")
    rows = [DestinationShares(0, np.array([1, 2]), np.array([1.0, 0.5]))]
    found = walked_loads(network.routing, rows)
    assert (found.busiest, found.hops) == (1.5, 1.0 + 2 * 0.5)
    assert found.ejected.tolist() == [0.0, 1.0, 0.5]
    assert sorted(found.links[found.links > 0]) == [0.5, 1.5]
    assert network.channel_loads(rows).tolist() == found.links.tolist()
