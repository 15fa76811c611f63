"""Multicasts and escapes in the golden model and in the Verilog, cycle for cycle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network
from knotwork_sim.check.score import score
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packet_table import packet_table

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
    return packet_table(
        network,
        source=source,
        destination=np.full(len(source), -1),
        length=np.full(len(source), data),
        time=np.zeros(len(source)),
        seed=seed,
        chains=chains,
    )


@pytest.mark.parametrize("topology", CUBES, ids=lambda topology: topology.instance_name)
def test_all_nodes_multicasting_at_once_drain(judged, topology):
    network = Network(topology, multicast="yes", buffer_depth=4, max_packet=16)
    for seed in range(67):
        judged(network, all_at_once(network, seed), stall=0.2 * (seed % 2), seed=seed)


@settings(max_examples=40)
@given(
    topology=st.sampled_from([Hypercube(n=1), Hypercube(n=3), *CUBES, Moebius(n=5)]),
    buffer_depth=st.sampled_from([2, 3, 16]),
    max_packet=st.sampled_from([2, 3, 9, 16, 40]),
    pipeline=st.integers(1, 2),
    share=st.sampled_from([0.1, 0.5, 1.0]),
    rate=st.floats(0.02, 1),
    stall=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 2**20),
)
def test_every_copy_arrives_once(
    judged, topology, buffer_depth, max_packet, pipeline, share, rate, stall, seed
):
    network = Network(
        topology,
        multicast="yes",
        max_packet=max_packet,
        buffer_depth=buffer_depth if pipeline == 1 else max(4, buffer_depth),
        pipeline=pipeline,
    )
    traffic = {"rate": rate, "packets": 200, "bubble": stall / 2, "stall": stall, "seed": seed}
    judged(network, multicast_share=share, length=(1, min(4, max_packet - 1)), **traffic)


def test_unicasts_keep_their_latency_beside_idle_multicast_units(judged):
    network = Network(Moebius(n=3), multicast="yes", pipeline=2)
    pairs = [(source, to) for source in range(8) for to in range(8)]
    packets = packet_table(
        network,
        source=np.array([a for a, _ in pairs]),
        destination=np.array([b for _, b in pairs]),
        length=np.ones(64),
        time=np.arange(64) * 40,
        seed=1,
    )
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
    return packet_table(
        network,
        source=np.array([row[0] for row in rows]),
        destination=np.array([row[1] for row in rows]),
        length=np.array([row[3] for row in rows]),
        time=np.zeros(len(rows)),
        seed=seed,
        chains={n: row[2] for n, row in enumerate(rows) if row[2] is not None},
    )


def test_wrong_multicasts_are_counted_and_leave_no_trace(equal):
    network = Network(Hypercube(n=3), multicast="yes", max_packet=7, buffer_depth=4)
    packets, record = equal(network, refused_and_good(network, 1), bubble=0.1, stall=0.2)
    assert len(record.refused) == 8 * 10  # seven wrong chains, one too long, two without data
    assert score(network, packets, record).delivered == 8 * (4 * 2 + 5)


@pytest.mark.slow
def test_multicasts_beside_unicasts(equal):
    network = Network(Moebius(n=4), multicast="yes", buffer_depth=4, max_packet=16)
    keys = {"rate": 0.3, "packets": 1200, "length": (1, 4), "bubble": 0.1, "stall": 0.2}
    packets, _ = equal(network, multicast_share=0.3, **keys)
    assert packets.multicast.sum() > 300


@pytest.mark.slow
def test_all_nodes_multicasting_at_once_drain_in_the_verilog(equal):
    network = Network(Moebius(n=4), multicast="yes", buffer_depth=4, max_packet=16)
    for seed in range(10):
        equal(network, all_at_once(network, seed), stall=0.2 * (seed % 2), seed=seed)


def test_multicasts_over_credits(equal):
    network = Network(Hypercube(n=2), multicast="yes", pipeline=2, buffer_depth=4, max_packet=16)
    assert network.has_credits
    equal(network, multicast_share=0.6, rate=0.5, packets=600, length=(1, 8), stall=0.3)


def test_multicasts_of_one_round_need_no_relay(equal):
    network = Network(Moebius(n=2, twist=1), multicast="yes", max_packet=2)
    assert network.routing.virtual_channels == 1
    equal(network, multicast_share=0.5, rate=1.0, packets=400, stall=0.3)


@pytest.mark.parametrize(
    ("vc_scheme", "keys"),
    [
        pytest.param("ascents", {"pipeline": 1, "buffer_depth": 3}, marks=pytest.mark.slow),
        ("escape", {"pipeline": 2, "buffer_depth": 4}),
        pytest.param(
            "escape", {"pipeline": 1, "virtual_channels": 4}, marks=pytest.mark.slow
        ),  # a minute of compilation
    ],
    ids=["ascents", "escape_p2", "escape_in_lanes"],
)
def test_spr(equal, vc_scheme, keys):
    network = Network(Moebius(n=3), routing="spr", vc_scheme=vc_scheme, **keys)
    equal(network, rate=0.7, packets=1500, length=(1, 6), bubble=0.1, stall=0.3)


@settings(max_examples=25)
@given(
    n=st.integers(2, 5),
    twist=st.integers(0, 1),
    vc_scheme=st.sampled_from(["ascents", "escape"]),
    buffer_depth=st.sampled_from([4, 5, 16]),
    pipeline=st.integers(1, 2),
    length=st.sampled_from([(1, 1), (1, 8), (20, 20)]),
    rate=st.floats(0.05, 1),
    stall=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 2**20),
)
def test_spr_delivers_whatever_the_load(
    judged, n, twist, vc_scheme, buffer_depth, pipeline, length, rate, stall, seed
):
    network = Network(
        Moebius(n=n, twist=twist),
        routing="spr",
        vc_scheme=vc_scheme,
        buffer_depth=buffer_depth,
        pipeline=pipeline,
    )
    judged(network, rate=rate, packets=300, length=length, stall=stall, seed=seed)


@pytest.mark.parametrize("vc_scheme", ["ascents", "escape"])
@pytest.mark.parametrize("twist", [0, 1])
def test_a_saturated_network_does_not_stand_still(twist, vc_scheme):
    network = Network(Moebius(n=4, twist=twist), routing="spr", vc_scheme=vc_scheme, buffer_depth=2)
    moves_on(network, clocks=20_000)


@pytest.mark.slow
@pytest.mark.parametrize("vc_scheme", ["ascents", "escape"])
@pytest.mark.parametrize("twist", [0, 1])
def test_half_a_million_saturated_cycles(twist, vc_scheme):
    network = Network(Moebius(n=4, twist=twist), routing="spr", vc_scheme=vc_scheme)
    moves_on(network, clocks=500_000)


def moves_on(network, *, clocks):
    """Run under more traffic than the network can carry; beats arrive throughout."""
    traffic = Traffic(rate=1.0, packets=clocks * 16 // 4, length=(1, 8))
    record = run_model(network, traffic, make_packets(network, traffic), clocks=clocks)
    assert record.clocks == clocks
    assert np.diff(record.clock, append=clocks).max() < 50
    assert np.bincount(record.clock // 1000, minlength=clocks // 1000).min() > 16 * 1000 / 4


def test_a_network_that_stands_still_is_seen():
    network = Network(Moebius(n=4), routing="spr", virtual_channels=1, allow_deadlock="yes")
    with pytest.raises(AssertionError):
        moves_on(network, clocks=20_000)
