"""Multicasts and escapes in the golden model and in the Verilog, cycle for cycle."""

import numpy as np
import pytest
from helpers.packet_columns import packets_of
from helpers.routes import slow
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network
from knotwork_sim.model.run import run_model
from knotwork_sim.scoreboard.score import score
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

CUBES = [Hypercube(n=4), Moebius(n=4), Moebius(n=4, twist=1)]


def all_at_once(network, seed, *, data=3, packets=2):
    """Multicasts to random sets, every node's first in cycle 0, the next at once."""
    rng, nodes = np.random.default_rng(seed), network.topology.nodes
    chains, source = {}, np.repeat(np.arange(nodes), packets)
    for number, node in enumerate(source.tolist()):
        size = rng.integers(1, network.routing.chain_limit - data + 2)
        others = np.delete(np.arange(nodes), node)
        chosen = rng.choice(others, size, replace=False).tolist()
        chains[number] = sorted(chosen, key=lambda other, node=node: other ^ node)
    return packets_of(network, source, -1, data, seed=seed, chains=chains)


@pytest.mark.parametrize("topology", CUBES, ids=lambda topology: topology.instance_name)
def test_all_nodes_multicasting_at_once_drain(judged, topology):
    network = Network(topology, multicast="yes", buffer_depth=4, max_packet=16)
    for seed in range(10):
        judged(network, all_at_once(network, seed), stall=0.2 * (seed % 2), seed=seed)


@settings(max_examples=25)
@given(
    topology=st.sampled_from([Hypercube(n=1), Hypercube(n=3), *CUBES, Moebius(n=5)]),
    buffer_depth=st.sampled_from([2, 3, 16]),
    max_packet=st.sampled_from([2, 3, 9, 16, 40]),
    pipeline=st.integers(2, 3),
    share=st.sampled_from([0.1, 0.5, 1.0]),
    rate=st.floats(0.02, 1),
    stall=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 2**20),
)
def test_every_copy_arrives_once(
    judged, topology, buffer_depth, max_packet, pipeline, share, stall, **keys
):
    hardware = {"max_packet": max_packet, "buffer_depth": buffer_depth, "pipeline": pipeline}
    network = Network(topology, multicast="yes", **hardware)
    lengths = (1, min(4, max_packet - 1))
    keys |= {"packets": 120, "length": lengths, "bubble": stall / 2, "stall": stall}
    judged(network, multicast_share=share, **keys)


def test_unicasts_keep_their_latency_beside_idle_multicast_units(judged):
    network = Network(Moebius(n=3), multicast="yes", pipeline=2)
    pairs = [(source, to) for source in range(8) for to in range(8)]
    packets = packets_of(network, *np.array(pairs).T, 1, np.arange(64) * 40)
    _, record = judged(network, packets)
    for clock, (time, pair) in zip(record.clock, enumerate(pairs), strict=True):
        assert clock == 40 * time + 2 * len(network.routing.path(*pair))


def refused_and_good(network, seed):
    """Random traffic that includes every kind of multicast that must be refused."""
    rng, rows = np.random.default_rng(seed), []
    for node in range(8):
        wrong = [
            [],
            [node],
            [node ^ 1, node ^ 1],
            [node ^ 2, node ^ 1],
            [node ^ 1, 8 | node ^ 2],
            [node ^ k for k in range(1, 8)],
            [node ^ 1, node],
        ]
        for chain in [*wrong, *([node ^ 1, node ^ 6],) * 4]:
            rows.append((node, -1, chain, 1 + int(rng.integers(3))))
        rows += [(node, int(rng.integers(8)), None, 2) for _ in range(5)]
        rows.append((node, -1, [node ^ 3], 40))  # longer than the store
        rows.append((node, -1, [node ^ 3, node ^ 4], 0))  # without data
        rows.append((node, -1, [node ^ 3, node ^ 4, node ^ 5], -1))  # ends within its chain
    rows = [rows[place] for place in rng.permutation(len(rows))]
    rows.sort(key=lambda row: row[0])
    source, destination, chains, length = zip(*rows, strict=True)
    chains = {number: chain for number, chain in enumerate(chains) if chain is not None}
    return packets_of(network, source, destination, length, seed=seed, chains=chains)


def test_wrong_multicasts_are_counted_and_leave_no_trace(equal):
    network = Network(Hypercube(n=3), multicast="yes", max_packet=7, buffer_depth=4)
    packets, record = equal(network, refused_and_good(network, 1), bubble=0.1, stall=0.2)
    assert len(record.refused) == 8 * 10  # seven wrong chains, one too long, two without data
    assert score(network, packets, record).delivered == 8 * (4 * 2 + 5)


@pytest.mark.slow
def test_multicasts_of_many_nodes_in_the_verilog(equal):
    network = Network(Moebius(n=4), multicast="yes", buffer_depth=4, max_packet=16)
    keys = {"rate": 0.3, "packets": 1200, "length": (1, 4), "bubble": 0.1, "stall": 0.2}
    packets, _ = equal(network, multicast_share=0.3, **keys)
    assert packets.multicast.sum() > 300
    for seed in range(10):
        equal(network, all_at_once(network, seed), stall=0.2 * (seed % 2), seed=seed)


def test_multicasts_over_credits(equal):
    network = Network(Hypercube(n=2), multicast="yes", pipeline=2, buffer_depth=4, max_packet=16)
    assert network.has_credits
    equal(network, multicast_share=0.6, rate=0.5, packets=400, length=(1, 8), stall=0.3)


@pytest.mark.parametrize(
    "word",
    [
        "hypercube:n=2,virtual_channels=4",
        *slow([
            "hypercube:n=2,virtual_channels=4,pipeline=3",
            "moebius:n=2,virtual_channels=6,parity=yes",
            "hypercube:n=2,virtual_channels=8,classes=2",
        ]),
    ],
)  # fmt: skip
def test_copies_change_to_the_lanes_of_their_own_flows(equal, word):
    network = Network.from_word(f"{word},multicast=yes,data_width=8,max_packet=8")
    assert network.routing.lanes > network.traffic_classes
    equal(network, multicast_share=0.4, rate=0.6, packets=300, length=(1, 5), stall=0.3)


def test_the_packets_of_a_flow_stay_in_order_beside_multicasts_in_other_lanes(judged):
    network = Network(Hypercube(n=3), multicast="yes", virtual_channels=6)
    judged(network, multicast_share=0.3, rate=0.8, packets=600, length=(1, 4), stall=0.3)


def test_multicasts_of_one_round_need_no_relay(equal):
    network = Network(Moebius(n=2, twist=1), multicast="yes", max_packet=2)
    assert network.routing.virtual_channels == 1
    equal(network, multicast_share=0.5, rate=1.0, packets=300, stall=0.3)


@pytest.mark.parametrize(
    "word",
    [
        "moebius:n=2,vc_scheme=escape,pipeline=2,buffer_depth=4",
        *slow([
            "moebius:n=3,vc_scheme=ascents,buffer_depth=3",
            "moebius:n=3,vc_scheme=escape,pipeline=2,buffer_depth=4",
            "moebius:n=3,vc_scheme=escape,virtual_channels=4",
        ]),
    ],
)  # fmt: skip
def test_spr(equal, word):
    network = Network.from_word(f"{word},routing=spr")
    equal(network, rate=0.7, packets=600, length=(1, 6), bubble=0.1, stall=0.3)


@settings(max_examples=25)
@given(
    n=st.integers(2, 5),
    twist=st.integers(0, 1),
    vc_scheme=st.sampled_from(["ascents", "escape"]),
    buffer_depth=st.sampled_from([2, 5, 16]),
    pipeline=st.integers(2, 3),
    length=st.sampled_from([(1, 1), (1, 8), (20, 20)]),
    rate=st.floats(0.05, 1),
    stall=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 2**20),
)
def test_spr_delivers_whatever_the_load(
    judged, n, twist, vc_scheme, buffer_depth, pipeline, **keys
):
    hardware = {"vc_scheme": vc_scheme, "buffer_depth": buffer_depth, "pipeline": pipeline}
    judged(Network(Moebius(n=n, twist=twist), routing="spr", **hardware), packets=200, **keys)


@pytest.mark.parametrize("clocks", [5000, pytest.param(500_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("buffer_depth", [2, 16])
@pytest.mark.parametrize("vc_scheme", ["ascents", "escape"])
@pytest.mark.parametrize("twist", [0, 1])
def test_a_saturated_network_does_not_stand_still(twist, vc_scheme, buffer_depth, clocks):
    topology = Moebius(n=4, twist=twist)
    keys = {"routing": "spr", "vc_scheme": vc_scheme, "buffer_depth": buffer_depth}
    moves_on(Network(topology, **keys), clocks=clocks)


def moves_on(network, *, clocks):
    """Run under more traffic than the network can carry; beats arrive throughout."""
    traffic = Traffic(rate=1.0, packets=clocks * 16 // 4, length=(1, 8))
    record = run_model(network, traffic, make_packets(network, traffic), clocks=clocks)
    assert record.clocks == clocks
    assert np.diff(record.clock, append=clocks).max() < 50
    assert np.bincount(record.clock // 1000, minlength=clocks // 1000).min() > 16 * 1000 / 4


def test_a_network_that_stands_still_is_seen():
    keys = {"virtual_channels": 1, "buffer_depth": 4, "allow_deadlock": "yes"}
    network = Network(Moebius(n=4), routing="spr", **keys)
    with pytest.raises(AssertionError):
        moves_on(network, clocks=5000)
