"""Channel dependence graphs, held to graphs worked by hand."""

from collections import Counter
from itertools import pairwise

import pytest
from helpers.ring import CyclicRingRouting, Ring
from knotwork import Hypercube, Moebius, Network, Torus
from knotwork.routing.walks.channel_graph import ChannelGraph, Dependence, Place
from knotwork.topology import LOCAL

# Thesis, figures 3.1 and 3.2: eight paths of two hops each, the second hop of one the first hop of
# the next; as corrected, each row begins where the one before it passes.
THESIS_CYCLES = {
    0: (0b000, 0b100, 0b111, 0b011, 0b001, 0b101, 0b110, 0b010),
    1: (0b000, 0b111, 0b100, 0b011, 0b001, 0b110, 0b101, 0b010),
}


def graph_of(routing):
    return ChannelGraph(routing, routing.walks)


def routers_of(graph, number):
    """Routers at both ends of a channel."""
    place = graph.place(number)
    return place.router, int(graph.routing.topology.neighbours[place.router, place.port])


def test_a_square_by_hand():
    # e-cube crosses dimension 1 (port 2) first, so each of its channels waits for one of dimension
    # 0 (port 1) at its end, and none waits the other way.
    graph = graph_of(Network(Hypercube(n=2)).routing)
    edges = {tuple(map(graph.place, edge)) for edge in graph.edges()}
    assert edges == {
        (Place("channel", router, 2, 0), Place("channel", router ^ 2, 1, 0)) for router in range(4)
    }
    before, after = Place("channel", 0, 2, 0), Place("channel", 2, 1, 0)
    assert graph.dependence(before, after) == Dependence(2, 2, 0, 1, 0)
    assert graph.ring() == []
    assert len(list(graph.places())) == 8


@pytest.mark.parametrize("routing", ["set_spr", "rsa"])
@pytest.mark.parametrize("twist", [0, 1])
def test_the_cycles_of_the_thesis(twist, routing):
    graph = graph_of(Network(Moebius(n=3, twist=twist), routing=routing).routing)
    found = {tuple(routers_of(graph, end) for end in edge) for edge in graph.edges()}
    nodes = THESIS_CYCLES[twist]
    around = list(pairwise([*nodes, *nodes[:2]]))
    assert set(pairwise(around)) <= found
    ring = graph.ring()
    assert set(pairwise([*ring, ring[0]])) <= set(graph.edges())


def test_numbers_and_places_are_one_to_one():
    network = Network(Hypercube(n=3), multicast="yes")
    graph = graph_of(network.routing)
    places = dict(graph.places())
    assert len(set(places.values())) == len(places)
    assert all(graph.place(number) == place for number, place in places.items())
    ends = {number for edge in graph.edges() for number in edge}
    assert ends <= set(places)
    # Three rounds, so three classes: packets of the first two may be stored, and sent on in later
    # rounds; each of the eight nodes has a store of either and an injection into either.
    assert Counter(place.kind for place in places.values()) == {
        "channel": 3 * 24,
        "store": 2 * 8,
        "injection": 2 * 8,
    }


def test_ways_of_a_relay():
    graph = graph_of(Network(Hypercube(n=3), multicast="yes").routing)
    store, injection = Place("store", 5, LOCAL, 0), Place("injection", 5, LOCAL, 1)
    # Node 1 is the neighbour of 5 in dimension 2, port 3 at both ends.
    assert graph.dependence(Place("channel", 1, 3, 0), store) == Dependence(5, 3, 0, LOCAL, 0)
    assert graph.dependence(store, injection) == Dependence(5, LOCAL, 0, LOCAL, 1)
    assert graph.dependence(injection, Place("channel", 5, 1, 1)) == Dependence(5, LOCAL, 1, 1, 1)


def test_only_the_escape_class_must_be_acyclic():
    graph = graph_of(Network(Moebius(n=3), routing="spr", vc_scheme="escape").routing)
    classes = {
        (graph.place(held).vc_class, graph.place(wanted).vc_class) for held, wanted in graph.edges()
    }
    assert classes == {(0, 0), (0, 1), (1, 1)}
    assert graph.ring() == []


def test_a_ring_is_found_once_around():
    graph = graph_of(CyclicRingRouting(Ring(nodes=6)))
    assert sorted(routers_of(graph, number) for number in graph.ring()) == [
        (router, (router + 1) % 6) for router in range(6)
    ]
    graph = graph_of(Network(Torus(x=5, y=5), virtual_channels=1).routing)
    places = [graph.place(number) for number in graph.ring()]
    assert len(places) == 5
    assert len({place.port for place in places}) == 1  # in one row or column
