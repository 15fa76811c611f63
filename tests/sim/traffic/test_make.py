import numpy as np
import pytest
from helpers.refusals import refuses
from knotwork import Hypercube, Network
from knotwork.routing import routings_of
from knotwork.routing.scheduling.rounds import schedule
from knotwork.topology import TOPOLOGIES
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import PACKET_MAKERS, as_traffic, make_packets
from knotwork_sim.traffic.requirements import Requirement, require_all

RANDOM = Traffic(traffic="permutation", permutation="random", packets=8)


def test_every_way_in_which_packets_arrive_has_its_maker():
    routings = [routing for name in TOPOLOGIES for routing in routings_of(name).values()]
    assert {routing.arrivals for routing in routings} == PACKET_MAKERS.keys()


@pytest.mark.parametrize(
    ("word", "arrivals"),
    [
        ("hypercube:n=3", "any_time"),
        ("hypercube:n=3,routing=lc1", "batches"),
        ("lcan:d=2,u=2,levels=3", "any_time"),
        ("lcan:d=2,u=2,levels=3,routing=scheduled", "rounds"),
    ],
)
def test_packets_are_made_as_the_routing_takes_them(word, arrivals):
    network = Network.from_word(word)
    assert network.routing.arrivals == arrivals
    packets, expected = make_packets(network, RANDOM), PACKET_MAKERS[arrivals](network, RANDOM)
    for name in ("source", "destination", "length", "time", "user"):
        assert (getattr(packets, name) == getattr(expected, name)).all()


def test_rounds_go_before_the_pattern():
    network = Network.from_word("lcan:d=2,u=2,levels=3,routing=scheduled")
    destinations = np.roll(np.arange(8), 3)
    rounds = schedule(network.topology, np.arange(8), destinations)
    packets = make_packets(network, Traffic(), rounds=rounds)
    assert packets.destination.tolist() == destinations.tolist()


def test_a_program_gives_packets_in_any_form():
    network = Network.from_word("hypercube:n=3")
    rows = [(cycle, cycle % 8, 7 - cycle % 8, 1) for cycle in range(20)]
    keys = Traffic(stall=0.5)
    assert as_traffic(network, keys) is keys
    forms = (rows, np.array(rows), iter(rows), lambda net: rows[: net.topology.nodes * 3])
    for form in forms:
        packets = make_packets(network, as_traffic(network, form))
        assert sorted(packets.time.tolist()) == list(range(20))
    assert as_traffic(network, lambda _: keys) is keys
    line = "it must be Traffic, packets or a function of the network that gives them, not 5"
    with refuses(f"traffic: {line}"):
        as_traffic(network, 5)


@pytest.mark.parametrize("word", ["hypercube:n=3", "torus:x=4,y=4", "moebius:n=4"])
@pytest.mark.parametrize("length", [(1, 1), (1, 5)])
def test_uniform_packets_are_drawn_as_they_always_were(word, length):
    """Draws in their order: who creates, in all cycles; the destination's distance; the length."""
    network = Network.from_word(word)
    nodes = network.topology.nodes
    packets = make_packets(network, Traffic(rate=0.3, packets=50, length=length, seed=9))
    rng = np.random.default_rng([9, 1])
    each = 0.3 * 2 / sum(length)
    block = int(1.1 * 50 / (nodes * each)) + 1
    found, cycle = [], 0
    while len(found) < 50:
        creates = np.argwhere(rng.random((block, nodes)) < each)
        found += [(node, cycle + row) for row, node in creates.tolist()]
        cycle += block
    source, time = np.array(sorted(found[:50])).T
    assert packets.source.tolist() == source.tolist()
    assert packets.time.tolist() == time.tolist()
    destination = (source + rng.integers(1, nodes, 50)) % nodes
    assert packets.destination.tolist() == destination.tolist()
    assert packets.length.tolist() == rng.integers(length[0], length[1] + 1, 50).tolist()


def test_traffic_that_meets_all_requirements_passes():
    require_all(Traffic(), Network(Hypercube(n=2)).routing, [Requirement("rate", "1", True, 1)])


BATCHES = "ccc:n=4,routing=lc2,words=3"
SCHEDULED = "lcan:d=3,u=2,levels=3,routing=scheduled,max_packet=4"


@pytest.mark.parametrize(
    ("word", "keys", "line"),
    [
        (BATCHES, {}, "traffic must be permutation with routing=lc2, not uniform"),
        (BATCHES, {"packets": 20},
         "packets must be a multiple of its 16 nodes with routing=lc2, not 20"),
        (BATCHES, {"rate": 0.5}, "rate must be 1 or unnamed with routing=lc2, not 0.5"),
        (BATCHES, {"length": (1, 1)}, "length must be words=3 with routing=lc2, not 1"),
        (BATCHES, {"length": (1, 8)}, "length must be words=3 with routing=lc2, not 1-8"),
        (BATCHES, {"multicast_share": 0.25},
         "multicast_share must be 0 with routing=lc2, not 0.25"),
        (BATCHES, {"broadcast_share": 0.25},
         "broadcast_share must be 0 with routing=lc2, not 0.25"),
        (SCHEDULED, {},
         "traffic must be permutation, or --schedule with routing=scheduled, not uniform"),
        (SCHEDULED, {"packets": 28},
         "packets must be 27 or unnamed with routing=scheduled, not 28"),
        (SCHEDULED, {"rate": 0.5}, "rate must be 1 or unnamed with routing=scheduled, not 0.5"),
        (SCHEDULED, {"bubble": 0.5}, "bubble must be 0 with routing=scheduled, not 0.5"),
        (SCHEDULED, {"length": (1, 3)},
         "length must be one number with routing=scheduled, not 1-3"),
        (SCHEDULED, {"multicast_share": 0.5},
         "multicast_share must be 0 with routing=scheduled, not 0.5"),
        # The first that does not hold is named.
        (SCHEDULED, {"broadcast_share": 0.5, "bubble": 0.5},
         "bubble must be 0 with routing=scheduled, not 0.5"),
    ],
)  # fmt: skip
def test_what_the_routing_does_not_take_is_refused(word, keys, line):
    fixed = {"traffic": "permutation", "permutation": "identity"} if keys else {}
    with refuses(f"traffic: {line}"):
        make_packets(Network.from_word(word), Traffic(**fixed, **keys))
