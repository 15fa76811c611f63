"""Deflected packets in the model, and in the Verilog cycle by cycle."""

import numpy as np
import pytest
from helpers.networks import FAMILIES, HOPLITE
from helpers.packet_columns import packets_of
from helpers.refusals import refuses
from helpers.routes import slow
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Network
from knotwork_sim.model.deflection import run_deflection
from knotwork_sim.model.router_model import Tally
from knotwork_sim.rtl.driver import run_driver
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

RING = "torus:x=3,y=2,directions=one,router=deflection,data_width=40"
CUBE = "hypercube:n=2,router=deflection,data_width=24,sequence_width=2"
MORE = [
    "torus:x=4,y=3,directions=one,router=deflection,data_width=40",
    "hypercube:n=2,router=deflection,data_width=24",
    "wk:w=3,levels=2,router=deflection,sequence_width=3",
    "torus:x=2,y=2,directions=one,router=deflection",
    *FAMILIES,
]


def with_refused(network, traffic, every=7):
    """Packets, some too long, and some to an address that no node has, where there is one.

    A packet of two beats is not taken before its second beat.
    """
    packets = make_packets(network, traffic)
    destination, length = packets.destination.copy(), packets.length.copy()
    if network.topology.nodes < 1 << network.topology.address_width:
        destination[::every] = -1
    length[3::every] = 2
    columns = packets.source, destination, length, packets.time
    return packets_of(network, *columns, seed=traffic.seed)


@pytest.mark.parametrize("word", [RING, CUBE, *slow(MORE)])
def test_the_verilog_does_what_the_model_does_in_the_same_cycle(equal, word):
    network = Network.from_word(word)
    keys = {"rate": 0.7, "bubble": 0.1, "stall": 0.15, "seed": 5}
    count = (60 if word == RING else 280) * network.topology.nodes
    table = with_refused(network, Traffic(packets=count, **keys))
    packets, record = equal(network, table, packets=count, **keys)
    assert packets.refused.sum() == len(record.refused) > count // 8
    assert (record.last == 1).all()
    # The scoreboard in the simulator has compared the numbers with the order of sending.
    assert record.user.any() == bool(network.hardware.sequence_width)
    if "hypercube:n=2" in word:  # old and new packets, and the turn of every address
        assert record.clocks > 2 * network.routing.turn_clocks << network.topology.address_width


@pytest.mark.parametrize(
    "word", [RING, "hypercube:n=3,router=deflection", "mesh:x=3,y=3,router=deflection"]
)
def test_zero_load_latency_of_all_pairs(judged, word):
    network = Network.from_word(word)
    nodes = network.topology.nodes
    source, destination = np.divmod(np.arange(nodes**2), nodes)
    time = 40 * np.arange(nodes**2)
    _, record = judged(network, packets_of(network, source, destination, 1, time))
    hops = [network.topology.distance(*pair) for pair in zip(source, destination, strict=True)]
    cycles = network.cycles_per_hop * (np.array(hops) + 1)
    assert record.clock.tolist() == (time + cycles).tolist()


def test_longer_packets_are_refused():
    with refuses(
        "traffic: length must be 1 for torus_x4_y4_directionsone_deflection_data_width28_sourceno, "
        "whose packets are single flits, not 4"
    ):
        make_packets(Network.from_word(HOPLITE), Traffic(length=(1, 4)))


NETWORKS = ("hypercube:n=2,router=deflection,data_width=24", *FAMILIES)


def run_once(network, traffic):
    """Totals of a run in which every packet arrived once, at its node."""
    packets = make_packets(network, traffic)
    log, totals = run_deflection(network, traffic, packets)
    assert totals.logged == len(packets)
    assert (np.sort(log.packet) == np.arange(len(packets))).all()
    assert (packets.destination[log.packet] == log.node).all()
    return totals


@settings(max_examples=40, deadline=None)
@given(
    word=st.one_of(
        st.sampled_from(NETWORKS),
        st.builds(
            "torus:x={},y={},directions=one,router=deflection".format,
            st.integers(2, 6),
            st.integers(2, 6),
        ),
    ),
    pattern=st.sampled_from(["uniform", "complement", "neighbour", "hotspot"]),
    rate=st.floats(0.05, 1),
    stall=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 1000),
)
def test_every_packet_arrives_and_takes_no_more_hops_than_the_bound(word, pattern, stall, **keys):
    network = Network.from_word(word)
    totals = run_once(network, Traffic(traffic=pattern, packets=1500, stall=stall, **keys))
    assert stall or totals.longest <= network.routing.most_hops
    assert totals.longest < totals.clocks


def test_the_bound_is_reached():
    """In full rows, every router of its column sends some packet once round its row."""
    network = Network.from_word(HOPLITE)
    totals = run_once(network, Traffic(rate=1.0, packets=200_000))
    assert totals.longest == network.routing.most_hops


@pytest.mark.parametrize("word", NETWORKS)
def test_what_comes_to_a_router_is_counted_where_it_leaves(word):
    network = Network.from_word(word)
    topology, traffic = network.topology, Traffic(rate=0.8, packets=1000)
    packets = make_packets(network, traffic)
    tally = Tally.of(network, len(packets))
    log, totals = run_deflection(network, traffic, packets, tally=tally)
    left = tally.crossings.reshape(topology.neighbours.shape)
    came = np.bincount(packets.source, minlength=topology.routers)
    for router, port in np.argwhere(topology.neighbours >= 0):
        came[topology.neighbours[router, port]] += left[router, port]
    assert (left.sum(axis=1) == came).all()
    assert (left[:, 0] == np.bincount(log.node, minlength=topology.routers)).all()
    assert tally.hops.sum() == left[:, 1:].sum() == totals.hops
    assert tally.hops.max() == totals.longest
    assert not left[:, 1:][topology.neighbours[:, 1:] < 0].any()


@pytest.mark.slow
@pytest.mark.parametrize("word", [HOPLITE, "hypercube:n=4,router=deflection"])
def test_a_million_flits_through_the_verilog(word):
    network, traffic = Network.from_word(word), Traffic(rate=0.9, packets=1_000_000)
    packets = make_packets(network, traffic)
    log, totals = run_deflection(network, traffic, packets)
    assert totals.logged == len(packets)
    seen = run_driver(network, traffic, packets, clocks=totals.clocks + 10)
    for name, of_model in (("clock", log.clock), ("node", log.node), ("word", log.packet)):
        assert getattr(seen, name).tolist() == of_model.tolist()


@pytest.mark.slow
def test_a_hundred_million_flits_through_the_model():
    network = Network.from_word(HOPLITE)
    for seed in range(50):
        totals = run_once(network, Traffic(rate=0.3, packets=2_000_000, seed=seed))
        assert totals.longest <= network.routing.most_hops


@pytest.mark.parametrize("word", ["torus:x=6,y=6", "mesh:x=6,y=6", "hypercube:n=5", "tcpg:k=1,m=1"])
def test_no_packets_go_in_circles_until_their_turn(word):
    """With fixed winners, the last packets of a torus and most of a full mesh did."""
    network = Network.from_word(f"{word},router=deflection")
    for seed in range(5):
        traffic = Traffic(traffic="uniform", rate=0.9, packets=4000, stall=0.5, seed=seed)
        log, totals = run_deflection(network, traffic, make_packets(network, traffic))
        assert len(log.clock) == 4000
        assert np.diff(log.clock).max() < 100
        assert totals.longest < 1000
