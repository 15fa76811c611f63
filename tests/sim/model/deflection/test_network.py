"""How far deflected packets go, and how long they take."""

import numpy as np
import pytest
from helpers.deflecting import FAMILIES, HOPLITE
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Network
from knotwork_sim.model.deflection.model import run_deflection
from knotwork_sim.model.tally import Tally
from knotwork_sim.rtl.driver import run_driver
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

NETWORKS = [
    "hypercube:n=2,router=deflection,data_width=24",
    *FAMILIES,
]
slow = pytest.mark.slow


def driven(network, packets, traffic, clocks):
    """Cycle, node and packet of everything that the Verilog's nodes saw."""
    seen = run_driver(network, traffic, packets, clocks=clocks)
    return np.stack([seen.clock, seen.node, seen.word], axis=1)


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
    x=st.integers(2, 6),
    y=st.integers(2, 6),
    pattern=st.sampled_from(["uniform", "complement", "neighbour", "hotspot"]),
    rate=st.floats(0.05, 1),
    seed=st.integers(0, 1000),
)
def test_no_packet_takes_more_hops_than_the_bound(x, y, pattern, rate, seed):
    network = Network.from_words(
        ["torus", f"x={x}", f"y={y}", "directions=one", "router=deflection"]
    )
    traffic = Traffic(traffic=pattern, rate=rate, packets=3000, seed=seed)
    assert run_once(network, traffic).longest <= network.routing.most_hops


def test_the_bound_is_reached():
    """In full rows, every router of its column sends some packet once round its row."""
    network = Network.from_word(HOPLITE)
    assert (
        run_once(network, Traffic(rate=1.0, packets=200_000)).longest == network.routing.most_hops
    )


@settings(max_examples=30, deadline=None)
@given(
    word=st.sampled_from(NETWORKS),
    rate=st.floats(0.05, 1),
    stall=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 1000),
)
def test_every_packet_arrives_within_two_phases(word, rate, stall, seed):
    network = Network.from_word(word)
    totals = run_once(network, Traffic(rate=rate, packets=3000, stall=stall, seed=seed))
    assert stall or totals.longest <= network.routing.most_hops
    assert totals.longest < totals.clocks


@pytest.mark.parametrize("word", NETWORKS)
def test_what_comes_to_a_router_is_counted_where_it_leaves(word):
    network = Network.from_word(word)
    topology, traffic = network.topology, Traffic(rate=0.8, packets=2000)
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
    assert (left[topology.neighbours < 0] == 0).sum() == (topology.neighbours < 0).sum() - (
        left[:, 0] > 0
    ).sum()


@slow
@pytest.mark.parametrize("word", [HOPLITE, "hypercube:n=4,router=deflection"])
def test_a_million_flits_through_the_verilog(word):
    network, traffic = Network.from_word(word), Traffic(rate=0.9, packets=1_000_000)
    packets = make_packets(network, traffic)
    log, totals = run_deflection(network, traffic, packets)
    assert totals.logged == len(packets)
    seen = driven(network, packets, traffic, totals.clocks + 10)
    model = np.stack([log.clock, log.node, log.packet], axis=1)
    assert seen.tolist() == model.tolist()


@slow
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
