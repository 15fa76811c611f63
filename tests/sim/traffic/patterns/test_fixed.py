import numpy as np
import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.patterns.fixed import Fixed, tornado

TORNADO = Traffic(traffic="tornado", packets=400)


@pytest.mark.parametrize(
    ("word", "x", "y"), [("torus:x=8,y=8", 8, 8), ("torus:x=5,y=2", 5, 2), ("mesh:x=3,y=4", 3, 4)]
)
def test_tornado_goes_nearly_half_way_around_every_dimension(word, x, y):
    """Dally and Towles, table 3.1: d_i = s_i + ceil(k / 2) - 1 mod k; node is y * X + x."""
    steps = {2: 0, 3: 1, 4: 1, 5: 2, 8: 3}
    expected = [(node // x + steps[y]) % y * x + (node % x + steps[x]) % x for node in range(x * y)]
    network = Network.from_word(word)
    assert tornado(network.topology).tolist() == expected
    packets = make_packets(network, TORNADO)
    assert packets.destination.tolist() == [expected[node] for node in packets.source]


@pytest.mark.parametrize(
    "word", ["hypercube:n=4", "torus:x=2,y=2", "rp:k=4", "lcan:d=2,u=2,levels=3"]
)
def test_tornado_is_refused_where_no_dimension_has_a_half_way(word):
    network = Network.from_word(word)
    with pytest.raises(ConfigurationError) as refusal:
        make_packets(network, TORNADO)
    assert str(refusal.value) == (
        "traffic: tornado must go with a network that has a dimension of at least 3 nodes in a "
        f"row, such as torus, not {network.topology.instance_name}"
    )


def test_shares_are_those_of_one_destination():
    law = Fixed(np.array([2, 0, 1]))
    assert law.pairs == 3
    destinations, shares = law.shares(0)
    assert (destinations.tolist(), shares.tolist()) == ([2], [1.0])
