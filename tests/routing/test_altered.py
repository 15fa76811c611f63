"""Routings of altered networks: those of the plain network, with ports and channels of their own.

Routers may serve several nodes, and traffic may have classes in channels of their own.
"""

import pickle

import numpy as np
import pytest
from knotwork import Network
from knotwork.routing.altered.classed import ClassedRouting
from knotwork.routing.altered.served import Served
from knotwork.routing.deadlock import check_deadlock
from knotwork.routing.walks.all_pairs import walk_all
from knotwork_sim import simulate

WORDS = (
    *("hypercube:n=3", "moebius:n=3,twist=1", "moebius:n=3,routing=spr", "ccc:n=3"),
    *("wk:w=3,levels=2,broadcast=no", "wk:w=3,levels=2,routing=shortest,broadcast=no"),
    *("tcpg:k=1,m=1,broadcast=no", "petersen", "rp:k=2", "torus:x=4,y=2", "mesh:x=3,y=2,z=2"),
    *("ring:n=5", "torus:x=3,y=3,directions=one"),
)
CLASSED = (*WORDS, "mesh:x=3,y=3,routing=shortest", "mesh:x=3,y=3,dead=0,routing=updown")


def altered(word, key):
    return f"{word}{',' if ':' in word else ':'}{key}"


@pytest.mark.parametrize("word", WORDS)
def test_paths_are_those_of_the_network_with_a_node_per_router(word):
    network, plain = Network.from_word(altered(word, "nodes_per_router=3")), Network.from_word(word)
    routing = Served.of(network.routing)
    assert routing.name == plain.routing.name
    names = plain.topology.instance_name, network.topology.instance_name
    assert network.name == plain.name.replace(*names)
    rng = np.random.default_rng(1)
    for source, destination in rng.integers(network.topology.nodes, size=(20, 2)).tolist():
        hops = routing.hops(source, destination)
        known = plain.routing.hops(source // 3, destination // 3)
        assert [hop.router for hop in hops] == [hop.router for hop in known]
        assert [hop.port - 2 for hop in hops[:-1]] == [hop.port for hop in known[:-1]]
        assert hops[-1].port == destination % 3
    walked = walk_all(routing, routing.router_groups).turns
    for router in range(network.topology.routers):
        turns, exact = routing.class_turns(router), walked[routing.router_groups[router]]
        assert turns == exact if word == "mesh:x=3,y=2,z=2" else turns >= exact
    report = check_deadlock(routing)
    assert report.deadlock_free
    assert report.virtual_channels == plain.deadlock_report.virtual_channels
    if plain.routing.rank() is not None:
        assert check_deadlock(routing, enumerate_pairs=False).deadlock_free


@pytest.mark.parametrize(
    "word", [WORDS[0], *(pytest.param(word, marks=pytest.mark.slow) for word in WORDS[1:])]
)
def test_every_packet_arrives(word):
    word = altered(word, "nodes_per_router=2")
    result = simulate(word, rate=0.2, packets=80, length="1-4", engine="model")
    assert (result.injected, result.delivered, result.misrouted) == (80, 80, 0)


@pytest.mark.parametrize("word", CLASSED)
def test_paths_are_those_of_the_network_without_in_channels_of_the_class(word):
    network, plain = Network.from_word(altered(word, "classes=2")), Network.from_word(word)
    routing, share = ClassedRouting.of(network.routing), plain.virtual_channels
    assert (routing.name, network.virtual_channels) == (plain.routing.name, 2 * share)
    nodes = plain.topology.nodes
    for number in range(2):
        for source in range(nodes):
            to = (source * 5 + 3) % nodes
            known = plain.routing.hops(source, to)
            hops = routing.hops(number * nodes + source, number * nodes + to)
            assert [hop.router for hop in hops] == [hop.router for hop in known]
            assert hops[-1].port == number
            for hop, like in zip(hops[:-1], known[:-1], strict=True):
                assert hop.port - 1 == like.port
                assert hop.virtual_channel - number * share == like.virtual_channel
    # No turn joins two classes, and the check counts the channels of all.
    for router in range(network.topology.routers):
        turns = routing.turns(router)
        assert len(turns) == 2 * len(plain.routing.turns(router))
        for came, into, goes, out in turns:
            classes = {into // share} if came > 1 else {came, into // share}
            classes.add(out // share if goes > 1 else goes)
            assert len(classes) == 1
    report, alone = check_deadlock(network.routing), plain.deadlock_report
    assert report.deadlock_free
    assert report.channels == 2 * alone.channels
    assert report.dependencies == 2 * alone.dependencies
    if plain.routing.rank() is not None:
        assert check_deadlock(network.routing, enumerate_pairs=False).deadlock_free


def test_a_class_may_have_several_lanes():
    network = Network.from_word("mesh:x=3,y=2,classes=2,virtual_channels=6")
    plain = Network.from_word("mesh:x=3,y=2,virtual_channels=3")
    found = {0: set(), 1: set()}
    for source in range(6):
        for to in range(6):
            lane = plain.routing.lane_of(source, to)
            for number, lanes in found.items():
                ends = (source << 1 | number, to << 1 | number)
                assert network.routing.lane_of(*ends) == 3 * number + lane
                lanes.add(3 * number + lane)
    assert found == {0: {0, 1, 2}, 1: {3, 4, 5}}


@pytest.mark.parametrize("key", ["classes=2", "nodes_per_router=2"])
def test_another_process_gets_the_same_routing(key):
    network = Network.from_word(f"torus:x=4,y=3,{key}")
    again = pickle.loads(pickle.dumps(network))
    assert type(again.routing) is type(network.routing)
    assert again.routing.turns(3) == network.routing.turns(3)
    assert again.name == network.name
    assert again.name.startswith(f"torus_x4_y3_{key.replace('=', '')}")


LANES = "virtual_channels must be a multiple of {} for routing=dimension_order with classes={}, not"
ONE_NODE = "must be no where routers serve several nodes or none, or ports lead one way, not {}"


@pytest.mark.parametrize(
    ("word", "line"),
    [
        (
            "torus:x=5,y=5,classes=5",
            "torus: classes must be at most 4 with routing=dimension_order, which needs 2 of at "
            "most 8 virtual channels for each, not 5",
        ),
        ("mesh:x=2,y=2,classes=3,virtual_channels=4", f"mesh: {LANES.format(3, 3)} 4"),
        ("torus:x=5,y=5,classes=2,virtual_channels=6", f"torus: {LANES.format(4, 2)} 6"),
        ("mesh:x=2,y=2,classes=2,virtual_channels=1", f"mesh: {LANES.format(2, 2)} 1"),
        ("wk:w=3,levels=1,nodes_per_router=2", f"wk: broadcast {ONE_NODE.format('label')}"),
        (
            "hypercube:n=3,nodes_per_router=2,multicast=yes",
            f"hypercube: multicast {ONE_NODE.format('yes')}",
        ),
        (
            "mesh:x=2,y=2,nodes_per_router=2,parity=yes,pipeline=1",
            f"mesh: parity {ONE_NODE.format('yes')}",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(refused, word, line):
    assert refused(lambda: Network.from_word(word)) == line


def test_too_few_channels_of_a_class_fail_the_check():
    report = Network.from_word("torus:x=5,y=5,classes=2,virtual_channels=2").deadlock_report
    assert not report.deadlock_free
