"""Made routings: every packet arrives, and the deadlock check confirms what ranks promise."""

import numpy as np
import pytest
import rustworkx as rx
from helpers.digraphs import digraphs, linked, one_way
from hypothesis import given, settings
from knotwork import Hypercube, Mesh, Network, Rp, Torus
from knotwork.errors import ConfigurationError
from knotwork.own.portable import packed, unpacked
from knotwork.routing import all_routings_of
from knotwork.routing.made.routing import router_distances
from knotwork_sim import simulate


def hops(topology):
    """Distances by another program."""
    graph = rx.PyDiGraph()
    graph.add_nodes_from(range(topology.routers))
    near = topology.neighbours
    graph.add_edges_from_no_data([(a, int(near[a, p])) for a, p in np.argwhere(near >= 0).tolist()])
    return rx.distance_matrix(graph)


@settings(max_examples=40, deadline=None)
@given(topology=digraphs())
def test_any_digraph_is_routed_without_deadlock(topology):
    network = Network(topology, routing="updown")
    assert network.deadlock_report.deadlock_free
    assert network.virtual_channels <= (1 if not topology.is_one_way else 2)
    lengths = network.routing.walk_lengths()
    assert (lengths >= hops(topology)).all()
    assert (lengths == network.routing.made.lengths).all()


@settings(max_examples=4, deadline=None)
@given(topology=digraphs(most=16))
def test_packets_arrive_in_the_golden_model(topology):
    network = Network(topology, routing="updown", data_width=16)
    result = simulate(network, engine="model", packets=500, rate=0.2, stall=0.2, length=(1, 4))
    assert (result.delivered, result.lost, result.misrouted) == (500, 0, 0)


def test_a_ring_one_way_needs_two_channels():
    ring = one_way(5, [(i, (i + 1) % 5) for i in range(5)])
    network = Network(ring, routing="updown")
    assert network.virtual_channels == 2
    assert network.deadlock_report.deadlock_free
    assert not Network(ring, routing="updown", virtual_channels=1).deadlock_report.deadlock_free


def test_two_rings_one_way_need_one_channel():
    """One ring opposite to the other: a way to the root and one from it share no channel."""
    ring = [(i, (i + 1) % 5) for i in range(5)]
    both = one_way(5, [*ring, *((b, a) for a, b in ring)])
    network = Network(both, routing="updown")
    assert network.virtual_channels == 1
    assert network.deadlock_report.deadlock_free


def test_a_tree_has_its_only_ways():
    tree = linked(7, [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)])
    network = Network(tree, routing="updown")
    assert network.routing.path(3, 6) == [3, 1, 0, 2, 6]
    assert (network.routing.walk_lengths() == hops(tree)).all()


def test_built_in_networks_have_it_where_the_name_is_free():
    for topology in (Mesh(x=4, y=3), Torus(x=5, y=4), Hypercube(n=5), Rp(k=3)):
        network = Network(topology, routing="updown")
        assert network.virtual_channels == 1
        assert network.deadlock_report.deadlock_free
    assert "updown" in all_routings_of("hypercube")
    assert all_routings_of("lcan")["updown"].__module__ == "knotwork.routing.lcan"


def test_a_table_is_made_once_and_the_same_every_time():
    mesh = Mesh(x=4, y=4)
    network = Network(mesh, routing="updown")
    assert network.changed(data_width=8).routing.made is network.routing.made
    again = Network(Mesh(x=4, y=4), routing="updown").routing.made
    assert (again.bound.entries == network.routing.made.bound.entries).all()
    assert unpacked(packed(network)).routing.path(0, 15) == network.routing.path(0, 15)


def test_what_cannot_be_made_is_refused():
    with pytest.raises(ConfigurationError) as error:
        Network(Mesh(x=65, y=64), routing="updown")
    assert str(error.value) == (
        "mesh: routing=updown must have a network of at most 4096 routers, not 4160"
    )
    with pytest.raises(ConfigurationError) as error:
        router_distances(one_way(3, [(0, 1), (1, 0), (1, 2)]), "digraph")
    assert str(error.value) == (
        "digraph must have a way from every router to every other, not none from 2 to 0"
    )


@pytest.mark.slow
@pytest.mark.parametrize("topology", [Mesh(x=64, y=64), Hypercube(n=12)])
def test_4096_routers_are_routed_and_checked(topology):
    network = Network(topology, routing="updown")
    assert network.deadlock_report.deadlock_free
