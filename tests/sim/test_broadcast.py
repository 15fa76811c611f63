"""Broadcasts that branch in the routers: each node one copy, in the model and in the Verilog."""

from functools import cache

import literal_wk
import numpy as np
import pytest
from knotwork import Network, WkRecursive
from knotwork.errors import ConfigurationError
from knotwork_sim.golden import run_model
from knotwork_sim.packets import EVERYONE, packet_table
from knotwork_sim.score import score
from knotwork_sim.traffic import Traffic, make_packets

MOST_LEVELS = 8  # a virtual channel a level
SIZES = [(w, n) for w in (2, 3, 4, 5) for n in range(1, MOST_LEVELS + 1) if w**n <= 625]
WK33 = Network(WkRecursive(w=3, levels=3), buffer_depth=4)
WK42 = Network(WkRecursive(w=4, levels=2), buffer_depth=4, pipeline=2, broadcast="mask")
WK43 = Network(WkRecursive(w=4, levels=3), buffer_depth=4, broadcast="address")


@cache
def steps(w, levels, source):
    """Step at which each node but the source has the copy, message by message."""
    label = literal_wk.nodes_of(w, levels)[source]
    found = [(int(node, w), step) for node, _, step, *_ in literal_wk.broadcast(label, w)]
    assert len(found) == len(dict(found)) == w**levels - 1
    return dict(found)


def one_by_one(network, *, length=1):
    """A broadcast from every source, each alone in an idle network."""
    nodes = network.topology.nodes
    gap = network.hardware.pipeline * (network.topology.diameter + 2) + 2 * length
    return packet_table(
        network,
        source=np.arange(nodes),
        destination=np.zeros(nodes, np.int64),
        length=np.full(nodes, length),
        time=np.arange(nodes) * gap,
        seed=1,
        broadcast=np.full(nodes, True),
    )


def assert_arrivals(network, packets, record, *, length=1):
    """Each node has the first flit in the clock of its step, and the others right behind.

    A packet begins to move when the network has it as a whole.
    """
    topology, pipeline = network.topology, network.hardware.pipeline
    codes = {topology.address(node): node for node in range(topology.nodes)}
    came = {}
    for clock, node, code in zip(record.clock, record.node, record.source, strict=True):
        came.setdefault((codes[int(code)], int(node)), []).append(int(clock))
    assert len(came) == topology.nodes * (topology.nodes - 1)
    for (source, node), clocks in came.items():
        hops = steps(topology.w, topology.levels, source)[node]
        first = int(packets.time[source]) + length - 1 + pipeline * (hops + 1)
        assert clocks == list(range(first, first + length))


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_every_source_on_the_model(w, levels):
    network = Network(WkRecursive(w=w, levels=levels), buffer_depth=2)
    packets = one_by_one(network)
    record = run_model(network, Traffic(), packets)
    result = score(network, packets, record)
    due = network.topology.nodes * (network.topology.nodes - 1)
    assert (result.delivered, result.lost, result.duplicated) == (due, 0, 0)
    assert_arrivals(network, packets, record)


@pytest.mark.parametrize("network", [WK33, WK42], ids=lambda network: network.name)
@pytest.mark.parametrize("length", [1, 4])
def test_every_source_in_the_verilog(equal, network, length):
    packets = one_by_one(network, length=length)
    _, record = equal(network, packets)
    assert_arrivals(network, packets, record, length=length)


@pytest.mark.slow
def test_every_source_in_the_verilog_of_64_nodes(equal):
    packets = one_by_one(WK43)
    _, record = equal(WK43, packets)
    assert_arrivals(WK43, packets, record)
    equal(WK43, rate=0.2, packets=4000, broadcast_share=0.05, length=(1, 4), stall=0.1)


def at_once(network, seed):
    """Sixteen random sources that broadcast in the first clocks, amid unicasts."""
    traffic = Traffic(rate=0.1, packets=20 * network.topology.nodes, length=(1, 4), seed=seed)
    drawn = make_packets(network, traffic)
    rng = np.random.default_rng(seed)
    sources = rng.choice(network.topology.nodes, 16, replace=False)
    source = np.concatenate([sources, drawn.source])
    time = np.concatenate([rng.integers(0, 3, 16), drawn.time])
    order = np.lexsort((time, source))
    facts = {
        "source": source,
        "time": time,
        "destination": np.concatenate([np.zeros(16, np.int64), drawn.destination]),
        "length": np.concatenate([rng.integers(1, 5, 16), drawn.length]),
        "broadcast": np.arange(len(source)) < 16,
    }
    table = packet_table(network, seed=seed, **{k: v[order] for k, v in facts.items()})
    assert (table.destination == EVERYONE).sum() == 16
    return table


@pytest.mark.parametrize("network", [WK33, WK42], ids=lambda network: network.name)
def test_sixteen_at_once_amid_unicasts_on_the_model(judged, network):
    for seed in range(200):
        judged(network, at_once(network, seed))


@pytest.mark.parametrize("network", [WK33, WK42], ids=lambda network: network.name)
def test_sixteen_at_once_amid_unicasts_in_the_verilog(equal, network):
    for seed in range(10):
        equal(network, at_once(network, seed))


@pytest.mark.parametrize("network", [WK33, WK42], ids=lambda network: network.name)
@pytest.mark.parametrize("share", [0.1, 1.0])
def test_saturated_with_slow_nodes(equal, network, share):
    keys = {"rate": 1.0, "length": (1, 4), "bubble": 0.1, "stall": 0.3}
    equal(network, packets=600, broadcast_share=share, **keys)


@pytest.mark.parametrize("network", [WK33, WK42], ids=lambda network: network.name)
def test_a_broadcast_that_is_too_long_is_dropped_whole_and_told(equal, network):
    """Unicasts of the same length pass, and the next broadcast does."""
    rng, nodes = np.random.default_rng(2), network.topology.nodes
    count = 12 * nodes
    packets = packet_table(
        network,
        source=np.sort(rng.integers(0, nodes, count)),
        destination=rng.integers(0, nodes, count),
        length=rng.choice([1, 3, 4, 5, 9], count),
        time=np.zeros(count, np.int64),
        seed=1,
        broadcast=rng.random(count) < 0.3,
    )
    long = packets.broadcast & (packets.length > 4)
    assert (packets.refused == long).all()
    _, record = equal(network, packets, bubble=0.1, stall=0.2)
    assert len(record.refused) == long.sum() > 10


def test_lanes_keep_a_source_s_broadcasts_in_order(judged):
    network = Network(WkRecursive(w=3, levels=2), virtual_channels=4, buffer_depth=4)
    assert network.routing.lanes == 2
    judged(network, rate=0.8, packets=2000, length=(1, 4), broadcast_share=0.3, stall=0.2)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (
            {"broadcast": "no"},
            "traffic: broadcast_share must be 0 for a network without broadcasts, not 0.5",
        ),
        (
            {"max_packet": 2},
            "traffic: length must be at most max_packet=2 with broadcasts, not 3",
        ),
    ],
)
def test_traffic_that_cannot_be(keys, words):
    network = Network(WkRecursive(w=3, levels=2), **keys)
    with pytest.raises(ConfigurationError) as caught:
        make_packets(network, Traffic(broadcast_share=0.5, length=(1, 3)))
    assert str(caught.value) == words
