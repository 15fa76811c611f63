"""Ways that packets prefer, and what the proofs of arrival stand on."""

import pytest
from knotwork import Hypercube, Mesh, Network, Torus
from knotwork.routing import check_deadlock
from knotwork.routing.deflection import RingDeflection, exchanges
from knotwork.topology import LOCAL

DIRECT = [
    *(
        "hypercube:n=1",
        "hypercube:n=3",
        "moebius:n=4,twist=1",
        "moebius:n=4,routing=spr",
        "ccc:n=3",
    ),
    *("wk:w=3,levels=2", "wk:w=3,levels=3,routing=shortest", "tcpg:k=1,m=1", "petersen", "rp:k=3"),
    *("torus:x=4,y=3", "torus:x=4,y=3,directions=one", "mesh:x=4,y=3", "ring:n=5"),
    *(
        pytest.param(word, marks=pytest.mark.slow)
        for word in ("hypercube:n=5", "moebius:n=5,twist=0", "ccc:n=6", "tcpg:k=2,m=2", "rp:k=5")
    ),
]


@pytest.mark.parametrize("word", DIRECT)
def test_packets_prefer_a_way_that_depends_on_the_router_alone_and_visits_none_twice(word):
    network = Network.from_word(f"{word}{',' if ':' in word else ':'}router=deflection")
    topology, routing = network.topology, network.routing
    nodes = range(topology.nodes)
    for destination in nodes:
        after = {}
        for router in nodes:
            port, _ = routing.base.rule(routing.parameters, router, LOCAL, 0, destination)
            after[router] = int(topology.neighbours[router, port])
        for source in nodes:
            way = [source]
            while way[-1] != destination:
                way.append(after[way[-1]])
                assert way[-1] not in way[:-1]
            assert routing.path(source, destination) == way
    # As many channels come in as go out, or there were packets without a way.
    assert ((topology.senders[0] >= 0) == (topology.neighbours >= 0)).all()
    report = network.deadlock_report
    assert report.deadlock_free
    assert (report.channels, report.virtual_channels) == (0, 0)
    assert "no packet waits" in report.reason
    assert check_deadlock(routing) == report
    assert routing.in_order is False
    assert network.parameters["router"] == "deflection"
    assert network.name.endswith("_deflection")


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
            "mesh: a key must be one of x, y, z, routing, router, data_width, ports, "
            "collectives, collective_width, groups, operations, element_width, "
            "collective_watchdog, source, sequence_width, "
            "name, not 'buffer_depth'; buffer_depth goes with router=packet",
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
            "mesh: a key must be one of x, y, z, routing, router, data_width, ports, "
            "collectives, collective_width, groups, operations, element_width, "
            "collective_watchdog, virtual_channels, buffer_depth, pipeline, allow_deadlock, "
            "parity, tables, counters, watchdog, "
            "class_limits, class_bursts, arbitration, class_weights, nodes_per_router, dead, "
            "classes, name, "
            "not 'source'; source goes with router=deflection",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(refused, word, message):
    assert refused(lambda: Network.from_word(word)) == message


def test_the_routings_own_router_can_be_named():
    named = Network(Hypercube(n=3), router="packet")
    assert named.parameters == Network(Hypercube(n=3)).parameters
    assert named.name == "hypercube_n3"


def place_after(rounds, wire, output):
    """Wire on which a packet ends that wins every block."""
    for blocks in rounds:
        for block in blocks:
            if wire in block.wires:
                for end, side in zip(block.wires, block.sides, strict=True):
                    wire = end if output in side else wire
    return wire


@pytest.mark.parametrize("count", range(34))
def test_every_input_leads_to_every_output_in_as_few_rounds_as_there_can_be(count):
    """As many as gossip takes: a wire has reached twice as many after a round, at most.

    An odd wire out sits out the first round, and so takes another one.
    """
    rounds = exchanges(count)
    for wire in range(count):
        for output in range(count):
            assert place_after(rounds, wire, output) == output  # of a packet that always wins
    for blocks in rounds:
        wires = [wire for block in blocks for wire in block.wires]
        assert len(set(wires)) == len(wires)  # the blocks of a round share none
        assert set(wires) <= set(range(count))
    fewest = max(count - 1, 0).bit_length()
    odd = count > 1 and count % 2
    assert len([blocks for blocks in rounds if blocks]) == fewest + odd
