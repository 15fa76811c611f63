"""Routings of altered networks: those of the plain network, with ports and channels of their own.

Routers may serve several nodes, and traffic may have classes in channels of their own.
"""

import pickle

import numpy as np
import pytest
from knotwork import Network
from knotwork.routing.altered import ClassedRouting, SeveralNodesRouting
from knotwork.routing.deadlock import check_deadlock
from knotwork.routing.multicast import chain_of, contention, is_sendable, multicast_rounds
from knotwork.routing.rules import Turn
from knotwork.routing.walks.all_pairs import walk_all
from knotwork.routing.walks.broadcasts import broadcast_tree
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
    routing = SeveralNodesRouting.of(network.routing)
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
        (
            "hypercube:n=4,classes=3,multicast=yes,max_packet=16",
            "hypercube: classes must be at most 2 with routing=ecube, which needs 4 of at most 8 "
            "virtual channels for each, not 3",
        ),
        (
            "hypercube:n=9,nodes_per_router=2,multicast=yes,max_packet=600,pipeline=2",
            "hypercube: max_packet must be at most 256 with multicast=yes, one virtual channel per "
            "round, not 600",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(refused, word, line):
    assert refused(lambda: Network.from_word(word)) == line


BROADCASTS = ("wk:w=3,levels=2", "wk:w=3,levels=2,broadcast=stack", "tcpg:k=2,m=1")
MORE_PORTS = ("nodes_per_router=3,pipeline=2", "classes=2", "nodes_per_router=2,classes=2")


@pytest.mark.parametrize("key", MORE_PORTS)
@pytest.mark.parametrize("word", BROADCASTS)
def test_broadcasts_reach_all_nodes_of_every_router(word, key):
    network, plain = Network.from_word(altered(word, key)), Network.from_word(word)
    topology, routing = network.topology, network.routing
    base = plain.routing
    for source in np.random.default_rng(1).integers(topology.nodes, size=12).tolist():
        tree = broadcast_tree(topology, routing.broadcast.rule, routing.parameters, source)
        here, to = topology.router_of(source), np.array(topology.receivers(source))
        alone = broadcast_tree(plain.topology, base.broadcast.rule, base.parameters, here)
        at = topology.node_ports_table[0, to]
        assert (tree.arrival[to] == alone.arrival[at]).all()
        assert (tree.label[to] == alone.label[at]).all()
        assert (tree.arrival >= 0).sum() == len(to)
        assert tree.duplicates == 0
        assert tree.parent[source] == -1
        assert (tree.routers == alone.routers).all()
        added = topology.local_ports - plain.topology.local_ports
        assert (tree.ports == np.where(alone.ports < 0, -1, alone.ports + added)).all()
        last = topology.router_of(int(to[-1]))
        assert len(tree.way_to(last)) == tree.arrival[to[-1]]
        for node in to[to != source].tolist():
            parent = int(tree.parent[node])
            assert topology.may_send(source, parent)
            before = alone.parent[topology.router_of(node)]
            assert topology.router_of(parent) == (here if before < 0 else before)
    walked = walk_all(routing, routing.router_groups).broadcast_turns
    for router in range(topology.routers):
        exact = walked[routing.router_groups[router]]
        assert routing.broadcast_class_turns(router) >= exact
    share = network.virtual_channels // network.traffic_classes
    for kind in network.router_kinds:
        for turn in kind.broadcast_turns:
            assert turn.input_port != turn.output_port or not topology.is_local(turn.input_port)
            for port in (turn.input_port, turn.output_port):
                if topology.is_local(port):
                    assert topology.port_class(port) == turn.input_vc // share
    assert network.deadlock_report.deadlock_free


@pytest.mark.parametrize("word", ["hypercube:n=2", "moebius:n=2,twist=1"])
def test_multicasts_to_several_nodes_of_routers_share_no_link(word):
    network = Network.from_word(altered(word, "nodes_per_router=3,multicast=yes,pipeline=2"))
    routing, nodes = network.routing, range(network.topology.nodes)
    assert routing.chain_limit == 11
    assert network.virtual_channels == 4
    assert network.deadlock_report.deadlock_free
    rng = np.random.default_rng(1)
    for source in nodes:
        others = np.array([node for node in nodes if node != source])
        for _ in range(30):
            members = rng.choice(others, rng.integers(1, 12), replace=False).tolist()
            rounds = multicast_rounds(routing, source, members)
            assert len(rounds) == len(members).bit_length()
            assert sorted(send.destination for sends in rounds for send in sends) == sorted(members)
            assert contention(routing, rounds) is None
    kind = network.router_kinds[0]
    to_siblings = {Turn(a, c, b, c) for a in range(3) for b in range(3) for c in range(4) if a != b}
    assert to_siblings <= set(kind.unicast_turns)
    assert not {Turn(a, c, a, c) for a in range(3) for c in range(1, 4)} & set(kind.unicast_turns)


def test_multicasts_stay_in_their_class(refused):
    network = Network.from_word("hypercube:n=2,classes=2,multicast=yes,nodes_per_router=2")
    assert (network.routing.chain_limit, network.virtual_channels) == (7, 6)
    assert network.deadlock_report.deadlock_free
    line = refused(lambda: chain_of(network.routing, 2, [7, 8]))
    name = "hypercube_n2_nodes_per_router2_classes2"
    assert line == f"{name}: a destination must be a node to which node 2 may send, in 0..7, not 8"
    address = network.topology.address
    assert is_sendable(network.routing, 9, [address(8), address(10)], 3)
    assert not is_sendable(network.routing, 9, [address(8), address(2)], 3)


def test_too_few_channels_of_a_class_fail_the_check():
    report = Network.from_word("torus:x=5,y=5,classes=2,virtual_channels=2").deadlock_report
    assert not report.deadlock_free
