"""ROMM: by way of a node on a shortest path, which the source draws."""

from collections import Counter

import numpy as np
import pytest
from helpers.refusals import refuses
from knotwork import Network
from knotwork.routing import Turn, check_deadlock
from knotwork.routing.generated.quality import node_distances
from knotwork.topology import LOCAL

MINIMAL = (
    *("mesh:x=4,y=3", "torus:x=5,y=4", "hypercube:n=4", "ring:n=6", "mesh:x=3,y=2,z=2"),
    *("mesh:x=3,y=3,nodes_per_router=2", "petersen:petersen_code=word", "rp:k=2"),
)
"""Networks whose own routing takes shortest paths."""
OTHERS = ("moebius:n=4", "ccc:n=4", "wk:w=3,levels=2", "tcpg:k=1,m=1", "mesh:x=3,y=3,dead=0-1")
LARGE = ("mesh:x=8,y=8", "hypercube:n=6")
"""Networks in which pairs have more nodes between them than numbers are drawn."""

SMALL = ("mesh:x=4,y=3", "torus:x=4,y=3", "hypercube:n=3", "ccc:n=3")


def romm(word):
    return Network.from_word(f"{word},routing=romm")


def routers_between(network):
    """Routers by whose way no path of the own routing is longer, by the routers of a pair."""
    topology, base = network.topology, network.routing.base
    first = {topology.router_of(node): node for node in range(topology.nodes)[::-1]}
    hops = {
        (one, other): len(base.path(first[one], first[other])) - 1
        for one in first
        for other in first
    }
    return {
        pair: [way for way in first if hops[pair[0], way] + hops[way, pair[1]] <= hops[pair]]
        for pair in hops
    }


def ways_of(network, source, destination):
    """Router by whose way a packet goes, for each number that its source may draw."""
    topology, routing = network.topology, network.routing
    drawn = [routing.label(source, destination, number) for number in range(routing.draws)]
    nodes = [topology.node_at(int(routing.draw_codes[label // topology.nodes])) for label in drawn]
    return [topology.router_of(node) for node in nodes]


@pytest.mark.parametrize("word", [*MINIMAL, *LARGE])
def test_every_path_is_a_shortest_one(word):
    network = romm(word)
    lengths = network.routing.walk_lengths()
    distances = node_distances(network.topology)
    assert lengths.shape == (len(distances), 16 * len(distances))
    assert np.array_equal(lengths, np.tile(distances, 16))


@pytest.mark.parametrize("word", OTHERS)
def test_no_path_is_longer_than_that_of_the_own_routing(word):
    network = romm(word)
    base = network.routing.base.walk_lengths()
    assert (network.routing.walk_lengths() <= np.tile(base, 16)).all()


@pytest.mark.parametrize("word", [*MINIMAL, *OTHERS, "mesh:x=5,y=5"])
def test_every_node_between_two_comes_up_alike(word):
    """Where there are more than numbers, sixteen of them, each once."""
    network = romm(word)
    between, topology, several = routers_between(network), network.topology, False
    for source in range(topology.nodes):
        for destination in topology.receivers(source):
            counts = Counter(ways_of(network, source, destination))
            pair = topology.router_of(source), topology.router_of(destination)
            few = between[pair]
            assert counts.keys() <= set(few)
            assert len(counts) == min(16, len(few))
            assert set(counts.values()) <= {16 // len(counts), -(-16 // len(counts))}
            several |= len(few) > 2
    assert several


@pytest.mark.parametrize("word", LARGE)
def test_more_nodes_than_numbers_are_taken_evenly_by_their_hops(word):
    network = romm(word)
    hops, corner = node_distances(network.topology), network.topology.nodes - 1
    found = sorted(int(hops[0, way]) for way in ways_of(network, 0, corner))
    every = sorted(hops[0].tolist())  # all nodes are between two corners
    assert found == [every[number * len(every) // 16] for number in range(16)]


@pytest.mark.parametrize("word", [*MINIMAL, *OTHERS])
def test_packets_go_by_way_of_the_node_in_classes_of_their_own(word):
    network = romm(word)
    topology, routing = network.topology, network.routing
    for source, destination in ((0, topology.nodes - 1), (1, 1), (2, 1)):
        for number, way in enumerate(ways_of(network, source, destination)):
            hops = routing.hops(source, destination, number)
            path = [hop.router for hop in hops]
            classes = [hop.virtual_channel % routing.classes for hop in hops[:-1]]
            change = sum(one < routing.base.classes for one in classes)
            assert all(one >= routing.base.classes for one in classes[change:])
            assert path[change] == way
            assert path[0] == topology.router_of(source)
            assert path[-1] == topology.router_of(destination)


@pytest.mark.parametrize("word", [*MINIMAL, *OTHERS])
def test_packets_cannot_deadlock_and_overtake_each_other(word):
    network = romm(word)
    assert network.deadlock_report.deadlock_free
    assert "by each of 16 draws" in network.deadlock_report.reason
    assert not network.routing.in_order
    assert not network.routing.has_one_path


@pytest.mark.parametrize("word", SMALL)
def test_turns_are_those_of_packets_whose_headers_are_written(word):
    """Of every path of every pair, walked a hop at a time."""
    routing = romm(word).routing
    topology = routing.topology
    found = {group: set() for group in np.unique(routing.router_groups).tolist()}
    for source in range(topology.nodes):
        for destination in range(topology.nodes):
            for number in range(routing.draws):
                port, vc_class = LOCAL, 0
                for hop in routing.hops(source, destination, number):
                    out = hop.virtual_channel % routing.classes
                    turn = Turn(port, vc_class, hop.port, out)
                    found[routing.router_groups[hop.router]].add(turn)
                    port, vc_class = int(topology.peer_ports[hop.router, hop.port]), out
    for router in range(topology.routers):
        assert routing.class_turns(router) == found[routing.router_groups[router]]


def test_no_packet_turns_back_on_a_mesh_and_those_of_valiant_do():
    turns = {name: Network.from_word(f"mesh:x=4,y=4,routing={name}").routing.class_turns(5)
             for name in ("romm", "valiant")}  # fmt: skip
    back = {
        name: [turn for turn in found if turn.input_port == turn.output_port != LOCAL]
        for name, found in turns.items()
    }
    assert not back["romm"]
    assert back["valiant"]
    assert turns["romm"] < turns["valiant"]


@pytest.mark.parametrize("word", ["mesh:x=4,y=3", "torus:x=5,y=4", "hypercube:n=3"])
def test_the_rank_says_what_the_walks_do(word):
    assert check_deadlock(romm(word).routing, enumerate_pairs=False).deadlock_free


@pytest.mark.parametrize("word", [*SMALL, "mesh:x=2,y=2,classes=2"])
def test_loads_are_those_of_what_is_written_as_often_as_it_is(word):
    network = romm(word)
    topology, routing = network.topology, network.routing
    rng = np.random.default_rng(3)
    rates = rng.random((topology.nodes, topology.nodes))
    loads = np.zeros(topology.neighbours.shape)
    for source in range(topology.nodes):
        for destination in range(topology.nodes):
            if not topology.may_send(source, destination):
                rates[source, destination] = 0
                continue
            for number in range(16):
                for hop in routing.hops(source, destination, number)[:-1]:
                    loads[hop.router, hop.port] += rates[source, destination] / 16
    assert network.channel_loads(rates) == pytest.approx(loads)


def test_transpose_loads_a_mesh_half_as_much_as_dimension_order_does():
    rates = np.zeros((64, 64))
    rates[np.arange(64), [node % 8 * 8 + node // 8 for node in range(64)]] = 1
    own, both = (
        Network.from_word(f"mesh:x=8,y=8,routing={name}").channel_loads(rates).max()
        for name in ("dimension_order", "romm")
    )
    assert (own, both) == (7, 3.5)


@pytest.mark.parametrize(
    ("word", "error"),
    [
        (
            "mesh:x=3,y=3,virtual_channels=1",
            "mesh: virtual_channels must be at least 2 with routing=romm, not 1",
        ),
        (
            "mesh:x=17,y=16",
            "mesh: routing=romm must have a network of at most 256 routers, not 272",
        ),
        (
            "mesh:x=3,y=3,tables=loaded",
            "mesh: routing must be the network's own with tables=loaded, because a table has one "
            "path to a node, not romm",
        ),
    ],
)
def test_what_it_cannot_be_is_refused(word, error):
    with refuses(error):
        romm(word)
