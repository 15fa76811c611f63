"""Valiant's routing: by way of a node that the source draws."""

import numpy as np
import pytest
from helpers.refusals import refuses
from knotwork import Network
from knotwork.routing import check_deadlock
from knotwork.routing.generated.quality import node_distances
from knotwork.routing.walks.all_pairs import walk_all

WORDS = (
    *("mesh:x=4,y=3", "mesh:x=3,y=3,nodes_per_router=2", "torus:x=5,y=4", "hypercube:n=3"),
    *("moebius:n=3", "ccc:n=3", "wk:w=3,levels=2", "tcpg:k=1,m=1", "mesh:x=3,y=3,dead=0-1"),
)


def valiant(word):
    return Network.from_word(f"{word},routing=valiant")


@pytest.mark.parametrize("word", WORDS)
def test_packets_go_by_way_of_the_drawn_node(word):
    network = valiant(word)
    topology, routing = network.topology, network.routing
    served = np.unique(topology.node_ports_table[0])
    assert routing.draws == len(served)
    for source, destination in ((0, topology.nodes - 1), (1, 1), (2, 1)):
        for number, router in enumerate(served.tolist()):
            hops = routing.hops(source, destination, number)
            path = [hop.router for hop in hops]
            classes = [hop.virtual_channel % routing.classes for hop in hops[:-1]]
            assert router in path
            assert path[0] == topology.router_of(source)
            assert path[-1] == topology.router_of(destination)
            change = sum(one < routing.base.classes for one in classes)
            assert all(one >= routing.base.classes for one in classes[change:])
            assert path[change] == router


@pytest.mark.parametrize("word", ["mesh:x=3,y=4", "torus:x=3,y=3", "hypercube:n=4", "ccc:n=3"])
def test_paths_are_as_long_as_the_two_ways(word):
    network = valiant(word)
    base = network.routing.base.walk_lengths()
    nodes = network.topology.nodes
    lengths = network.routing.walk_lengths().reshape(nodes, nodes, nodes)  # source, number, end
    assert np.array_equal(lengths, base[:, :, None] + base[None, :, :])
    assert (lengths >= node_distances(network.topology)[:, None, :]).all()


@pytest.mark.parametrize("word", WORDS)
def test_packets_cannot_deadlock_and_overtake_each_other(word):
    network = valiant(word)
    assert network.deadlock_report.deadlock_free
    assert f"by each of {network.routing.draws} draws" in network.deadlock_report.reason
    assert not network.routing.in_order
    assert not network.routing.has_one_path


@pytest.mark.parametrize("word", WORDS)
def test_turns_are_those_of_the_walks(word):
    routing = valiant(word).routing
    walked = walk_all(routing, routing.router_groups).turns
    for router in range(routing.topology.routers):
        assert routing.class_turns(router) == walked[routing.router_groups[router]]


@pytest.mark.parametrize("word", ["mesh:x=4,y=3", "torus:x=5,y=4", "hypercube:n=3"])
def test_the_rank_says_what_the_walks_do(word):
    report = check_deadlock(valiant(word).routing, enumerate_pairs=False)
    assert report.deadlock_free


@pytest.mark.parametrize("traffic", ["uniform", "transpose"])
def test_any_traffic_loads_a_torus_alike(traffic):
    """By way of a drawn node, on average, each link carries what two uniform ways load it with."""
    network = valiant("torus:x=5,y=5")
    nodes = network.topology.nodes
    rates = np.full((nodes, nodes), 1 / nodes)
    if traffic == "transpose":
        rates = np.zeros((nodes, nodes))
        rates[np.arange(nodes), [node % 5 * 5 + node // 5 for node in range(nodes)]] = 1
    loads = network.channel_loads(rates)
    uniform = Network.from_word("torus:x=5,y=5").channel_loads(np.full((nodes, nodes), 1 / nodes))
    assert loads == pytest.approx(2 * uniform)


@pytest.mark.parametrize(
    ("word", "error"),
    [
        (
            "mesh:x=3,y=3,virtual_channels=1",
            "mesh: virtual_channels must be at least 2 with routing=valiant, not 1",
        ),
        (
            "mesh:x=17,y=16",
            "mesh: routing=valiant must have a network of at most 256 routers, not 272",
        ),
        (
            "mesh:x=3,y=3,tables=loaded",
            "mesh: routing must be the network's own with tables=loaded, because a table has one "
            "path to a node, not valiant",
        ),
    ],
)
def test_what_it_cannot_be_is_refused(word, error):
    with refuses(error):
        valiant(word)
