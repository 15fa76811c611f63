"""Adaptive routing: ways that get nearer, the escape, and a user's rules with several ways."""

from functools import cache
from typing import ClassVar

import numpy as np
import pytest
import rustworkx as rx
from helpers.refusals import refuses
from helpers.ring import CutRing, CyclicRingRouting, Ring
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.routing import Routing, Turn
from knotwork.routing.adaptive import Adaptive, nearer_ways
from knotwork.topology import LOCAL

WORDS = (
    *("mesh:x=4,y=3", "mesh:x=3,y=2,z=2", "torus:x=5,y=4", "hypercube:n=4", "moebius:n=4"),
    *("ccc:n=3", "wk:w=3,levels=2", "tcpg:k=1,m=1", "petersen", "mesh:x=3,y=3,dead=0-1"),
)


def adaptive(word, **keys):
    network = Network.from_word(f"{word},routing=adaptive".replace("petersen,", "petersen:"))
    return network.changed(**keys)


@pytest.mark.parametrize("word", WORDS)
def test_every_way_gets_nearer_and_those_that_do_are_offered_in_their_order(word):
    topology = adaptive(word).topology
    graph = rx.PyDiGraph()
    graph.add_nodes_from(range(topology.routers))
    graph.add_edges_from_no_data([(r, int(n)) for r, p in np.argwhere(topology.neighbours >= 0)
                                  if (n := topology.neighbours[r, p]) >= 0])  # fmt: skip
    hops = rx.digraph_distance_matrix(graph)
    ways = nearer_ways(topology, 3)
    for router in range(topology.routers):
        for node in range(topology.nodes):
            end = topology.router_of(node)
            if router == end:
                assert ways[router, node].tolist() == [topology.node_port(node)] * 3
                continue
            nearer = [port for port, near in enumerate(topology.neighbours[router].tolist())
                      if near >= 0 and hops[near, end] < hops[router, end]]  # fmt: skip
            assert ways[router, node].tolist() == [nearer[k % len(nearer)] for k in range(3)]


@pytest.mark.parametrize("word", WORDS)
def test_packets_may_choose_and_cannot_deadlock(word):
    network = adaptive(word)
    report = network.deadlock_report
    last = network.routing.classes - 1
    classes = "class 1" if last == 1 else f"classes 1 to {last}"
    assert report.deadlock_free
    assert f"every blocked packet may escape to {classes}, whose channel" in report.reason
    assert not network.routing.in_order


def test_a_packet_that_escapes_goes_on_by_the_network_s_own_routing():
    network, own = adaptive("torus:x=5,y=4"), Network.from_word("torus:x=5,y=4")
    routing = network.routing
    escape = routing.other_ways[-1]
    for destination in (7, 12):
        for router in set(range(20)) - {destination}:
            path = own.routing.hops(router, destination)
            state, asked = (router, 1), escape  # came by any port
            for hop in path[:-1]:
                output, out_class = routing.rule(routing.parameters, *state, asked, destination)
                assert (output, out_class) == (hop.port, hop.virtual_channel % 2 + 1)
                far = network.topology.neighbours[state[0], output]
                state = int(far), int(network.topology.peer_ports[state[0], output])
                asked = out_class
            assert state[0] == destination


class CyclicEscape(Adaptive):
    """An escape routing that waits in a ring."""

    name: ClassVar[str] = "cyclic_adaptive"

    def __init__(self, topology, *, virtual_channels=None, options=None):
        super().__init__(topology, virtual_channels=None, options=options)
        self.base = CyclicRingRouting(topology)
        self.__dict__.pop("parameters", None)
        self.classes = 2
        self.virtual_channels = 2


@pytest.mark.parametrize("nodes", [5, 6, 9])
def test_an_escape_that_can_wait_in_a_ring_is_refused_with_it(nodes):
    report = Network(Ring(nodes=nodes), routing=CyclicEscape).deadlock_report
    assert not report.deadlock_free
    assert len(report.cycle) >= 3
    assert all(vc_class == 1 for *_, vc_class in report.cycle)


@cache
def rule_of(second):
    """Class 0 goes on; way 2 by `second`; way 3 escapes to class 1, down to router 0 and up."""

    def rule(parameters, router, port, channel_class, destination):
        nodes = parameters[0]
        if router == destination:
            return LOCAL, 0
        if channel_class == 2:
            return second(nodes, router, destination)
        if channel_class == 0:
            return (1, 0) if router < destination else (2, 0)
        return (1, 1) if router < destination else (2, 1)

    return rule


class ThreeWays(Routing):
    """Along a ring as if it were a line; a subclass gives the second way."""

    name: ClassVar[str] = "three_ways"
    escape_class = 1
    other_ways = (2, 3)
    second: ClassVar = None

    def needed_virtual_channels(self):
        return 2

    @property
    def rule(self):
        return rule_of(type(self).second)

    @property
    def parameters(self):
        return np.array([self.topology.nodes])


def routing_by(second):
    return type("ThreeWays", (ThreeWays,), {"second": staticmethod(second)})


def test_ways_of_a_rule_of_one_s_own():
    same = routing_by(lambda nodes, router, destination: (1 if router < destination else 2, 0))
    network = Network(Ring(nodes=6), routing=same)
    assert network.deadlock_report.deadlock_free
    turns = network.routing.class_turns(2)
    assert Turn(LOCAL, 0, 1, 1) in turns
    assert Turn(1, 0, 2, 1) in turns


@pytest.mark.parametrize(
    ("second", "error"),
    [
        (
            lambda nodes, router, destination: (2 if router < destination else 1, 0),
            "loop: routing=three_ways: at router 0, for a packet to 1 from its node, no choice of "
            "ways must lead round in a loop, as one by port previous does",
        ),
        (
            lambda nodes, router, destination: (3, 0),
            "loop: routing=three_ways: at router 0, for a packet to 1 from its node, the port must "
            "have a link, not be 3, beyond the last port 2",
        ),
        (
            lambda nodes, router, destination: (1, 2),
            "loop: routing=three_ways: at router 0, for a packet to 1 from its node, the class "
            "must be in 0..1, not 2",
        ),
    ],
)
def test_a_way_that_leads_nowhere_or_round_is_refused(second, error):
    with refuses(error):
        Network(Ring(nodes=6), routing=routing_by(second)).routing.require_sound()


def test_a_way_to_a_port_without_a_link_is_refused():
    """On a ring cut behind router 5 the rule's other ways are sound: it follows the line."""

    def second(nodes, router, destination):
        return 1 if router in (destination - 1, 5) else 2 - (router < destination), 0

    with refuses(
        "loop: routing=three_ways: at router 5, for a packet to 0 from its node, the port must "
        "have a link, not be next, which router 5 has not"
    ):
        Network(CutRing(nodes=6), routing=routing_by(second)).routing.require_sound()


def test_a_way_that_is_another_one_the_next_time_is_refused():
    calls = []

    def second(nodes, router, destination):
        calls.append(router)
        return (1 if router < destination else 2), len(calls) % 2

    with pytest.raises(ConfigurationError) as refusal:
        Network(Ring(nodes=6), routing=routing_by(second)).routing.require_sound()
    # The last state is called again first; no packet to 4 comes to router 5 but from its node.
    answers = ["previous in class 0", "previous in class 1"]
    line = (
        "loop: routing=three_ways: at router 5, for a packet to 4 from its node, the rule must "
        "return the same whenever it is called, not {} and then {}"
    )
    assert str(refusal.value) in {line.format(*answers), line.format(*answers[::-1])}


def test_an_escape_that_can_return_is_refused():
    """Router 2 sends packets that have escaped to it back to class 0, over the same links."""

    class Returning(ThreeWays):
        @property
        def rule(self):
            along = rule_of(None)

            def rule(parameters, router, port, channel_class, destination):
                number = 0 if (router, channel_class) == (2, 1) else channel_class
                return along(parameters, router, port, 3 if number == 2 else number, destination)

            return rule

    with refuses(
        "loop: routing=three_ways: at router 2, for a packet to 0 by port next, the class must "
        "stay 1, the escape class, not become 0"
    ):
        Network(Ring(nodes=6), routing=Returning).routing.require_sound()


@pytest.mark.parametrize(
    ("word", "error"),
    [
        (
            "mesh:x=3,y=3,virtual_channels=1",
            "mesh: virtual_channels must be at least 2 with routing=adaptive, not 1",
        ),
        ("mesh:x=3,y=3,ways=5", "routing: ways must be an integer in 2..4, not 5"),
        (
            "mesh:x=40,y=40",
            "mesh: routing=adaptive must have a network of at most 1024 routers, not 1600",
        ),
        (
            "mesh:x=3,y=3,tables=loaded",
            "mesh: routing must be the network's own with tables=loaded, because a table has one "
            "path to a node, not adaptive",
        ),
    ],
)
def test_what_it_cannot_be_is_refused(word, error):
    with refuses(error):
        Network.from_word(f"{word},routing=adaptive").require_deadlock_free()
