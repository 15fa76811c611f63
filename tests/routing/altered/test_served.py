"""Routings where routers serve several nodes: those of a node per router, and the node's port."""

import pickle

import numpy as np
import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.routing.altered import Served
from knotwork.routing.deadlock import check_deadlock
from knotwork.routing.walks.all_pairs import walk_all
from knotwork_sim import simulate

WORDS = (
    *("hypercube:n=3", "moebius:n=3,twist=1", "moebius:n=3,routing=spr", "ccc:n=3"),
    *("wk:w=3,levels=2,broadcast=no", "wk:w=3,levels=2,routing=shortest,broadcast=no"),
    *("tcpg:k=1,m=1,broadcast=no", "petersen", "rp:k=2", "torus:x=4,y=2", "mesh:x=3,y=2,z=2"),
    *("ring:n=5", "torus:x=3,y=3,directions=one"),
)


def words(word, count):
    return f"{word}{',' if ':' in word else ':'}nodes_per_router={count}"


@pytest.mark.parametrize("word", WORDS)
def test_paths_are_those_of_the_network_with_a_node_per_router(word):
    network, whole = Network.from_word(words(word, 3)), Network.from_word(word)
    routing = Served.of(network.routing)
    assert routing.name == whole.routing.name
    assert network.name == whole.name.replace(
        whole.topology.instance_name, network.topology.instance_name
    )
    rng = np.random.default_rng(1)
    for source, destination in rng.integers(network.topology.nodes, size=(20, 2)).tolist():
        hops = routing.hops(source, destination)
        known = whole.routing.hops(source // 3, destination // 3)
        assert [hop.router for hop in hops] == [hop.router for hop in known]
        assert [hop.port - 2 for hop in hops[:-1]] == [hop.port for hop in known[:-1]]
        assert hops[-1].port == destination % 3
    walked = walk_all(routing, routing.router_groups).turns
    for router in range(network.topology.routers):
        assert routing.class_turns(router) >= walked[routing.router_groups[router]]
    report = check_deadlock(routing)
    assert report.deadlock_free
    assert report.virtual_channels == whole.deadlock_report.virtual_channels


@pytest.mark.parametrize("word", WORDS)
def test_every_packet_arrives(word):
    result = simulate(words(word, 2), rate=0.2, packets=80, length="1-4", engine="model")
    assert (result.injected, result.delivered, result.misrouted) == (80, 80, 0)


def test_turns_are_the_exact_ones_of_a_mesh():
    network = Network.from_word("mesh:x=3,y=3,nodes_per_router=2")
    walked = walk_all(network.routing, network.routing.router_groups).turns
    for router in range(9):
        assert network.routing.class_turns(router) == walked[network.routing.router_groups[router]]


def test_another_process_gets_the_same_routing():
    network = Network.from_word("torus:x=4,y=3,nodes_per_router=2")
    again = pickle.loads(pickle.dumps(network))
    assert type(again.routing) is type(network.routing)
    assert again.name == network.name == "torus_x4_y3_nodes_per_router2"


@pytest.mark.parametrize(
    ("word", "key", "value"),
    [
        ("wk:w=3,levels=1,nodes_per_router=2", "broadcast", "label"),
        ("hypercube:n=3,nodes_per_router=2,multicast=yes", "multicast", "yes"),
        ("mesh:x=2,y=2,nodes_per_router=2,parity=yes", "parity", "yes"),
    ],
)
def test_packets_go_to_one_node_and_bear_no_parity(word, key, value):
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_word(word)
    assert str(refusal.value).endswith(
        f": {key} must be no where routers serve several nodes or none, or ports lead one way, not "
        f"{value}"
    )
