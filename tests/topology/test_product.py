"""What all product networks have, against searches of their graphs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Mesh, Petersen, Rp, Tcpg, Torus
from knotwork.topology import comparison, metrics

rings = st.integers(1, 3)
CODES = {"petersen_code": st.sampled_from(["index", "word"])}
networks = st.one_of(
    st.builds(Torus, x=st.integers(2, 9), y=st.integers(2, 9)),
    st.builds(Mesh, x=st.integers(2, 9), y=st.integers(2, 9)),
    st.builds(
        Torus,
        x=st.integers(1, 5).map(lambda half: 2 * half),
        y=st.integers(1, 5).map(lambda half: 2 * half),
        ring_code=st.just("johnson"),
    ),
    st.builds(Rp, k=st.integers(1, 9), **CODES),
    st.builds(Petersen, **CODES),
    st.builds(Tcpg, k=rings, m=rings, ring_code=st.sampled_from(["johnson", "binary"]), **CODES),
)


@given(network=networks)
def test_links_lead_back(network):
    near, peers = network.neighbours, network.peer_ports
    router, port = np.nonzero(near >= 0)
    assert (near[near[router, port], peers[router, port]] == router).all()
    assert (peers[near[router, port], peers[router, port]] == port).all()
    assert (peers[near < 0] == -1).all()
    assert (near[:, 0] == -1).all()


@given(network=networks)
def test_formulas_agree_with_the_search(network):
    hops = metrics.distances(network.neighbours)
    nodes = network.nodes
    assert network.diameter == hops.max()
    assert network.average_distance == pytest.approx(hops.sum() / (nodes * (nodes - 1)))
    assert network.distance_counts.tolist() == np.bincount(hops.ravel()).tolist()
    facts = network.more_facts()
    assert ("distance_sum" in facts) == (network.name != "mesh")
    if network.name != "mesh":
        assert (hops.sum(axis=1) == facts["distance_sum"]).all()


@given(network=networks, data=st.data())
def test_distances_add_up(network, data):
    a, b = (data.draw(st.integers(0, network.nodes - 1)) for _ in range(2))
    assert network.distance(a, b) == metrics.distance(network.neighbours, a, b)


@given(network=networks)
def test_addresses_are_codes_of_their_own(network):
    known = {network.address(node): node for node in range(network.nodes)}
    assert len(known) == network.nodes
    assert max(known) < 1 << network.address_width
    for address in range(1 << min(network.address_width, 12)):
        assert network.node_at(address) == known.get(address)
    for address, node in known.items():
        assert network.node_at(address) == node
        assert network.node_at(address + (1 << network.address_width)) is None


@given(network=networks)
def test_labels_are_distinct_and_identifiers_of_letters(network):
    labels = {network.router_identifier(router) for router in range(network.routers)}
    assert len(labels) == network.routers
    assert all(label.replace("_", "").isalnum() for label in labels)


@given(network=networks)
def test_the_two_ends_of_a_link_agree_on_its_kind(network):
    for router, port in np.argwhere(network.neighbours[:50] >= 0).tolist():
        far, peer = int(network.neighbours[router, port]), int(network.peer_ports[router, port])
        kind = network.link_kind(router, port)
        assert kind == network.link_kind(far, peer)
        assert network.ports[port] in network.link_kinds[kind].split(" - ")


@given(network=networks)
def test_routers_are_drawn_apart(network):
    places = network.layout()
    assert places.shape == (network.routers, 2)
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 0.39


SMALL = [
    *(Torus(x=x, y=y) for x in range(2, 6) for y in range(2, 5) if x * y <= 16),
    *(Mesh(x=x, y=y) for x in range(2, 8) for y in range(2, 5) if x * y <= 16),
    Rp(k=1),
]


@pytest.mark.parametrize("network", SMALL, ids=lambda network: network.instance_name)
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


@given(network=networks)
def test_a_network_that_halves_evenly_has_an_exact_bisection(network):
    """Where the factor whose links carry most has an even number of positions."""
    low, high = network.bisection_bounds
    assert low <= high
    busiest = max(network.factors, key=lambda f: f.heaviest_load[0] / f.heaviest_load[1] / f.size)
    if busiest.size % 2 == 0:
        assert low == high
