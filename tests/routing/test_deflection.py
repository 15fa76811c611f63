"""Ways that packets prefer, and what the proofs of arrival stand on."""

from itertools import pairwise

import pytest
from knotwork import Hypercube, Mesh, Network, Torus
from knotwork.errors import ConfigurationError
from knotwork.routing import check_deadlock
from knotwork.routing.deflection import RingDeflection
from knotwork.topology import LOCAL

DIRECT = [
    "hypercube:n=1",
    "hypercube:n=5",
    "moebius:n=5,twist=0",
    "moebius:n=4,twist=1",
    "moebius:n=4,routing=spr",
    "ccc:n=3",
    "ccc:n=6",
    "wk:w=3,levels=3",
    "wk:w=4,levels=2,routing=shortest",
    "tcpg:k=2,m=2",
    "petersen",
    "rp:k=5",
    "torus:x=4,y=4",
    "torus:x=5,y=3",
    "torus:x=5,y=3,directions=one",
    "mesh:x=4,y=3",
]
deflecting = pytest.mark.parametrize("word", DIRECT)


def network_of(word):
    name, _, keys = word.partition(":")
    return Network.from_words([name, *filter(None, keys.split(",")), "router=deflection"])


@deflecting
def test_the_preferred_way_depends_on_the_router_alone_and_visits_none_twice(word):
    network = network_of(word)
    topology, routing = network.topology, network.routing
    for destination in range(topology.nodes):
        hops = {destination: 0}
        for source in range(topology.nodes):
            way, router = [], source
            while router not in hops:
                assert router not in way
                way.append(router)
                port, _ = routing.base.rule(routing.parameters, router, LOCAL, 0, destination)
                router = int(topology.neighbours[router, port])
                assert router >= 0
            hops |= {r: hops[router] + n for n, r in enumerate(reversed(way), start=1)}
        assert max(hops.values()) < topology.nodes


@deflecting
def test_paths_are_the_preferred_ways(word):
    network = network_of(word)
    routing, last = network.routing, network.topology.nodes - 1
    path = routing.path(0, last)
    for here, after in pairwise(path):
        port, _ = routing.base.rule(routing.parameters, here, LOCAL, 0, last)
        assert network.topology.neighbours[here, port] == after


@deflecting
def test_every_input_has_an_output(word):
    """As many channels come in as go out, or there were packets without a way."""
    topology = network_of(word).topology
    assert ((topology.senders[0] >= 0) == (topology.neighbours >= 0)).all()


@deflecting
def test_what_the_reports_say(word):
    network = network_of(word)
    report = network.deadlock_report
    assert report.deadlock_free
    assert (report.channels, report.virtual_channels) == (0, 0)
    assert "no packet waits" in report.reason
    assert network.routing.in_order is False
    assert network.parameters["router"] == "deflection"
    assert network.name.endswith("_deflection")
    assert check_deadlock(network.routing) == report


@pytest.mark.parametrize(("x", "y", "longest"), [(4, 4, 18), (2, 2, 4), (3, 5, 18), (8, 8, 70)])
def test_the_bound_of_one_way_rings(x, y, longest):
    """The farthest node, and at each router of the column once round a row."""
    routing = Network(Torus(x=x, y=y, directions="one"), router="deflection").routing
    assert isinstance(routing, RingDeflection)
    assert routing.most_hops == (x - 1) + (y - 1) + (y - 1) * x == longest


@pytest.mark.parametrize(
    ("topology", "links"), [(Hypercube(n=3), 24), (Mesh(x=3, y=2), 14), (Torus(x=3, y=3), 36)]
)
def test_a_turn_is_long_enough_for_all_packets_there_can_be(topology, links):
    clocks = Network(topology, router="deflection").routing.turn_clocks
    hops = links * topology.nodes  # of two cycles each
    assert 2 * hops <= clocks < 4 * hops
    assert clocks.bit_count() == 1


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (
            "hypercube:n=3,routing=lc1,router=deflection",
            "hypercube: router must be one of batch with routing=lc1, not 'deflection'",
        ),
        (
            "lcan:d=2,u=2,levels=2,router=packet",
            "lcan: router must be one of circuit with routing=updown, not 'packet'",
        ),
        (
            "mesh:x=3,y=3,router=hoplite",
            "mesh: router must be one of packet, deflection with routing=dimension_order, not "
            "'hoplite'",
        ),
        (
            "mesh:x=3,y=3,router=deflection,buffer_depth=4",
            "mesh: a key must be one of x, y, z, routing, router, data_width, source, "
            "sequence_width, name, not 'buffer_depth'; buffer_depth goes with router=packet",
        ),
        (
            "mesh:x=3,y=3,router=deflection,source=no,sequence_width=4",
            "mesh: sequence_width must be 0 with source=no, because numbers count a source's "
            "packets, not 4",
        ),
        (
            "hypercube:n=13,router=deflection,sequence_width=4",
            "hypercube: sequence_width must be 0 with addresses of more than 12 bits, not 4",
        ),
        (
            "mesh:x=3,y=3,source=no",
            "mesh: a key must be one of x, y, z, routing, router, data_width, virtual_channels, "
            "buffer_depth, pipeline, allow_deadlock, parity, tables, counters, watchdog, "
            "class_limits, class_bursts, arbitration, class_weights, nodes_per_router, dead, "
            "classes, name, "
            "not 'source'; source goes with router=deflection",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(word, message):
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_word(word)
    assert str(refusal.value) == message


def test_the_routings_own_router_can_be_named():
    named = Network(Hypercube(n=3), router="packet")
    assert named.parameters == Network(Hypercube(n=3)).parameters
    assert named.name == "hypercube_n3"
