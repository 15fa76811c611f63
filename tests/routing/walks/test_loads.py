import numpy as np
import pytest
from knotwork import Network
from knotwork.routing.walks import loads
from knotwork.routing.walks.loads import DestinationShares, walked_loads


def test_a_node_that_sends_more_is_the_busiest_and_hops_add_up():
    network = Network.from_word("mesh:x=3,y=1")
    rows = [DestinationShares(0, np.array([1, 2]), np.array([1.0, 0.5]))]
    found = walked_loads(network.routing, rows)
    assert (found.busiest, found.hops) == (1.5, 1.0 + 2 * 0.5)
    assert found.ejected.tolist() == [0.0, 1.0, 0.5]
    assert sorted(found.links[found.links > 0]) == [0.5, 1.5]
    assert network.channel_loads(rows).tolist() == found.links.tolist()
    assert (found.fullest(), found.fullest(0.5)) == (1.5, 3.0)  # of the first link, or half of one
    rows = [DestinationShares(0, np.array([0, 1]), np.array([1.0, 0.5]))]
    assert walked_loads(network.routing, rows).fullest(0.5) == 1.5  # injection is no link


@pytest.mark.parametrize(
    "word", ["torus:x=3,y=4", "ccc:n=3", "moebius:n=3", "mesh:x=2,y=2,nodes_per_router=2"]
)
@pytest.mark.parametrize("pairs", [1, 50, 1000])
def test_loads_are_those_of_every_pair_alone(word, pairs, monkeypatch):
    monkeypatch.setattr(loads, "_PAIRS", pairs)
    network = Network.from_word(word)
    topology, routing, rng = network.topology, network.routing, np.random.default_rng(1)
    nodes = topology.nodes
    rates = rng.random((nodes, nodes)) * (rng.random((nodes, nodes)) < 0.7)
    np.fill_diagonal(rates, 0.0)
    expected, hops = np.zeros(topology.neighbours.shape), 0.0
    for source, destination in np.argwhere(rates > 0).tolist():
        router, port = topology.node_ports_table[:, source].tolist()
        vc_class = 0
        while True:
            port, vc_class = routing.rule(routing.parameters, router, port, vc_class, destination)
            if port < topology.local_ports:
                break
            expected[router, port] += rates[source, destination]
            hops += rates[source, destination]
            peer = topology.peer_ports[router, port]
            router, port = int(topology.neighbours[router, port]), int(peer)
    rows = [DestinationShares(node, np.arange(nodes), rates[node]) for node in range(nodes)]
    found = walked_loads(routing, iter(rows))
    np.testing.assert_allclose(found.links, expected, rtol=1e-12)
    np.testing.assert_allclose(found.ejected, rates.sum(axis=0), rtol=1e-12)
    assert found.hops == pytest.approx(hops, rel=1e-12)
    assert found.busiest == pytest.approx(max(1.0, rates.sum(axis=1).max()), rel=1e-11)
