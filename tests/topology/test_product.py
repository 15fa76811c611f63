"""What all product networks have, against their graphs' distances and balanced cuts."""

from itertools import combinations, product

import numpy as np
import pytest
from knotwork import Mesh, Petersen, Rp, Tcpg, Torus
from knotwork.topology import comparison, metrics

NETWORKS = [
    *(Torus(x=x, y=y) for x, y in product(range(2, 10), repeat=2)),
    *(Mesh(x=x, y=y) for x, y in product(range(2, 10), repeat=2)),
    *(Torus(x=6, y=4, ring_code="johnson"), Torus(x=3, y=2, z=4), Mesh(x=2, y=3, z=4)),
    *(Rp(k=k, petersen_code="word") for k in range(1, 10)),
    *(Petersen(), Petersen(petersen_code="word")),
    *(Tcpg(k=k, m=m) for k, m in product(range(1, 4), repeat=2)),
]


def test_links_are_of_the_kind_of_their_port_and_distances_have_the_same_sum_everywhere():
    for network in NETWORKS:
        for router, port in np.argwhere(network.neighbours[:20] >= 0).tolist():
            kind = network.link_kinds[network.link_kind(router, port)]
            assert network.ports[port] in kind.split(" - ")
        facts = network.more_facts()
        assert ("distance_sum" in facts) == (network.name != "mesh")
        if network.name != "mesh":
            sums = metrics.distances(network.neighbours).sum(axis=1)
            assert (sums == facts["distance_sum"]).all()


@pytest.mark.parametrize(
    "network",
    [network for network in NETWORKS if network.nodes <= 16],
    ids=lambda network: network.instance_name,
)
def test_the_bisection_is_within_its_bounds(network):
    """Every balanced cut of a small network."""
    near, nodes = network.neighbours[:, 1:], network.nodes
    halves = list(combinations(range(nodes), nodes // 2))
    inside = np.zeros((len(halves), nodes + 1), bool)
    inside[np.arange(len(halves))[:, None], np.array(halves)] = True
    cuts = np.zeros(len(halves), int)
    for port in near.T:
        linked = np.nonzero(port >= 0)[0]
        cuts += (inside[:, linked] != inside[:, port[linked]]).sum(axis=1)
    least = cuts.min() // 2
    low, high = network.bisection_bounds
    assert low <= least <= high
    found = comparison.bisection(network)
    assert found is not None
    assert found.exact in (None, least)


def test_a_network_that_halves_evenly_has_an_exact_bisection():
    """Where the factor whose links carry most has an even number of positions."""
    exact = 0
    for network in NETWORKS:
        low, high = network.bisection_bounds
        assert low <= high
        loads = {f: f.heaviest_load[0] / f.heaviest_load[1] / f.size for f in network.factors}
        if max(loads, key=loads.__getitem__).size % 2 == 0:
            exact += 1
            assert low == high, network
    assert exact > 50
