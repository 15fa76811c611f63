"""Routings of all networks: paths, lanes, and the turns that are declared."""

from itertools import pairwise, product

import pytest
from helpers.ring import CyclicRingRouting, Ring, RingRouting
from knotwork import Network
from knotwork.routing import Hop, Routing, Turn, routings_of
from knotwork.routing.rules import lane
from knotwork.topology import LOCAL, TOPOLOGIES, metrics


def folded(address):
    """XOR of an address's groups of four bits."""
    return 0 if address == 0 else address & 15 ^ folded(address >> 4)


@pytest.mark.parametrize("lanes", [1, 2, 3, 8])
def test_a_lane_is_the_folded_addresses_modulo_the_lanes(lanes):
    for source in range(0, 5000, 97):
        for destination in range(0, 5000, 89):
            one = folded(source)
            rotated = one << 1 & 15 | one >> 3
            assert lane(source, destination, lanes) == (rotated ^ folded(destination)) % lanes


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_network_has_routings_the_default_one_first(name):
    routings = routings_of(name)
    assert all(routing.name == key for key, routing in routings.items())
    defaults = {"hypercube": "ecube", "moebius": "dfr", "ccc": "unicast", "wk": "unicast"}
    assert next(iter(routings)) == defaults.get(name, next(iter(routings)))
    assert routings_of("loop") == {}


def test_hops_carry_ports_and_virtual_channels():
    routing = RingRouting(Ring(nodes=6))
    # 4 to 1: three links to the next; the link from 5 to 0 is the dateline and needs class 1.
    assert routing.hops(4, 1) == [Hop(4, 1, 0), Hop(5, 1, 1), Hop(0, 1, 1), Hop(1, LOCAL, 0)]
    assert routing.hops(2, 0) == [Hop(2, 2, 0), Hop(1, 2, 0), Hop(0, LOCAL, 0)]
    assert routing.hops(3, 3) == [Hop(3, LOCAL, 0)]
    assert routing.path(4, 1) == [4, 5, 0, 1]


def test_a_lane_has_virtual_channels_of_its_own():
    routing = RingRouting(Ring(nodes=6), virtual_channels=4)
    assert (routing.classes, routing.lanes) == (2, 2)
    assert routing.path(4, 1) == [4, 5, 0, 1]
    # 4 = 0100 turned is 1000, xor 1 is odd: lane 1. 5 = 0101 turned is 1010, xor 0 even: lane 0.
    assert [hop.virtual_channel for hop in routing.hops(4, 1)] == [2, 3, 3, 0]
    assert [hop.virtual_channel for hop in routing.hops(5, 0)] == [1, 0]


def test_turns_are_copied_for_each_lane():
    single = CyclicRingRouting(Ring(nodes=6)).turns(0)
    double = CyclicRingRouting(Ring(nodes=6), virtual_channels=2).turns(0)
    assert single == [Turn(0, 0, 0, 0), Turn(0, 0, 1, 0), Turn(2, 0, 0, 0), Turn(2, 0, 1, 0)]
    assert double == sorted(
        [*single, Turn(0, 1, 0, 0), Turn(0, 1, 1, 1), Turn(2, 1, 0, 0), Turn(2, 1, 1, 1)]
    )


def enumerated_turns(routing: Routing) -> list[set[Turn]]:
    """Turns that packets of all pairs take at the routers of the same group as each."""
    topology, groups = routing.topology, routing.router_groups.tolist()
    taken: list[set[Turn]] = [set() for _ in groups]
    for source in range(topology.nodes):
        for destination in range(topology.nodes):
            port, vc_class, router = LOCAL, 0, source
            for hop in routing.hops(source, destination):
                out_class = 0 if hop.port == LOCAL else hop.virtual_channel % routing.classes
                taken[groups[router]].add(Turn(port, vc_class, hop.port, out_class))
                port, vc_class = int(topology.peer_ports[router, hop.port]), out_class
                router = int(topology.neighbours[router, hop.port])
    return [taken[group] for group in groups]


def slow(words):
    return [pytest.param(word, marks=pytest.mark.slow) for word in words]


WORDS = [
    *("hypercube:n=1", "hypercube:n=4", "moebius:n=1", "moebius:n=4", "moebius:n=3,twist=1"),
    *("moebius:n=4,routing=spr", "moebius:n=3,routing=approx_spr", "moebius:n=3,routing=set_spr"),
    *("moebius:n=3,twist=1,routing=rsa", "ccc:n=2", "ccc:n=5", "ccc:n=4,virtual_channels=1"),
    *("petersen", "rp:k=1", "rp:k=2", "rp:k=3", "tcpg:k=1,m=1", "tcpg:k=1,m=2,broadcast=address"),
    *("torus:x=2,y=3", "torus:x=4,y=5", "torus:x=5,y=3,virtual_channels=1", "torus:x=4,y=4"),
    *("torus:x=3,y=4,directions=one", "mesh:x=3,y=4", "mesh:x=3,y=2,z=2", "ring:n=6"),
    *("wk:w=2,levels=4", "wk:w=3,levels=3", "wk:w=4,levels=3,routing=shortest"),
    *(f"wk:w={w},levels={n},routing=shortest" for w, n in ((2, 5), (3, 2), (3, 4), (4, 2))),
    *("wk:w=3,levels=3,routing=shortest", "wk:w=3,levels=3,virtual_channels=1"),
    *("wk:w=3,levels=3,routing=shortest,virtual_channels=2,broadcast=stack", "wk:w=5,levels=1"),
    *slow(f"hypercube:n={n}" for n in (2, 3, 5, 6)),
    *slow(
        f"moebius:n={n},twist={twist},routing={routing}"
        for n in (2, 3, 5, 6)
        for twist in (0, 1)
        for routing in ("dfr", "spr", "approx_spr", "set_spr", "rsa")
    ),
    *slow(f"ccc:n={n},virtual_channels={channels}" for n in (3, 5, 7, 8) for channels in (1, 2)),
    *slow(f"torus:x={x},y={y}" for x in (2, 3, 5, 7) for y in (4, 7)),
    *slow(f"torus:x=5,y={y},virtual_channels=1" for y in (2, 3, 4, 7)),
    *slow(f"torus:x={x},y={y},directions=one" for x in (2, 4) for y in (2, 3, 5)),
    *slow(f"mesh:x={x},y={y}" for x in (2, 4) for y in (2, 3, 5)),
    *slow(f"rp:k={k}" for k in (*range(4, 10), 12)),
    *slow(f"tcpg:k={k},m=2,broadcast={rule}" for k in (1, 2, 3) for rule in ("ttl", "address")),
    *slow(
        f"wk:w={w},levels={levels},routing={routing},virtual_channels={channels}"
        for w, levels in ((2, 6), (3, 4), (4, 3), (5, 3), (6, 2), (7, 2))
        for routing in ("unicast", "shortest")
        for channels in range(1, levels + 1)
    ),
]
RINGS = [
    *(Network(Ring(nodes=n), routing=RingRouting) for n in (5, 6)),
    Network(Ring(nodes=6), routing=RingRouting, virtual_channels=1),
    Network(Ring(nodes=6), routing=CyclicRingRouting),
]


def network_of(word):
    return Network.from_word(word) if isinstance(word, str) else word


every = pytest.mark.parametrize("word", [*WORDS, *RINGS], ids=lambda one: getattr(one, "name", one))


@every
def test_declared_turns_are_those_that_packets_and_copies_take(word):
    network = network_of(word)
    routing, groups = network.routing, network.routing.router_groups
    taken, copies = enumerated_turns(routing), routing.walks.broadcast_turns
    for router, turns in enumerate(taken):
        assert routing.class_turns(router) == turns
        assert routing.broadcast_class_turns(router) == copies[groups[router]]
        connected = set(network.topology.connected_ports(router))
        assert {port for turn in turns for port in (turn.input_port, turn.output_port)} <= connected


def is_shortest(network):
    name = network.topology.name
    if name == "moebius":
        return network.routing.name in ("spr", "set_spr", "rsa")
    return name not in ("ccc", "loop") and (name != "wk" or network.routing.name == "shortest")


@every
def test_every_path_follows_links_to_its_destination(word):
    network = network_of(word)
    topology, routing = network.topology, network.routing
    lengths, first = routing.walk_lengths(), routing.first_hops()
    for source, destination in product(range(topology.nodes), repeat=2):
        path = routing.path(source, destination)
        assert (path[0], path[-1]) == (source, destination)
        assert all(b in topology.neighbours[a] for a, b in pairwise(path))
        assert len(path) - 1 == lengths[source, destination]
        assert first[source, destination] == (path[1] if path[1:] else -1)
    if is_shortest(network):
        assert (lengths == metrics.distances(topology.neighbours)).all()


@pytest.mark.parametrize("count", [3, 5, 7])
def test_virtual_channels_must_be_whole_lanes(refused, count):
    assert refused(lambda: RingRouting(Ring(nodes=6), virtual_channels=count)) == (
        f"loop: virtual_channels must be a multiple of 2 for routing=shortest, not {count}"
    )
