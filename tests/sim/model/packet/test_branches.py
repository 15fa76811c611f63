"""Broadcasts that branch in the routers: each node one copy, in the model and in the Verilog."""

import numpy as np
import pytest
from helpers import literal_wk
from helpers.broadcasts import (
    assert_arrivals,
    cycles_of,
    cycles_one_after_another,
    one_by_one,
)
from helpers.routes import slow
from knotwork import Network, WkRecursive
from knotwork.errors import ConfigurationError
from knotwork.routing.walks.broadcasts import broadcast_tree
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packet_table import packet_table
from knotwork_sim.traffic.packets import EVERYONE

MOST_LEVELS = 8  # one virtual channel per level
SIZES = [(w, n) for w in (2, 3, 4, 5) for n in range(1, MOST_LEVELS + 1) if w**n <= 625]
WK32 = Network(WkRecursive(w=3, levels=2), buffer_depth=4, pipeline=2)
WK33 = Network(WkRecursive(w=3, levels=3), buffer_depth=4)
WK42 = Network(WkRecursive(w=4, levels=2), buffer_depth=4, pipeline=2)
WK43 = Network(WkRecursive(w=4, levels=3), buffer_depth=4)
ADDRESS = Network(WkRecursive(w=3, levels=2), buffer_depth=5, max_packet=4, broadcast="address")
MASK = Network(WkRecursive(w=2, levels=3), buffer_depth=4, pipeline=2, broadcast="mask")

NETWORKS = [WK32, *slow([WK33, WK42, WK43, ADDRESS, MASK])]


def named(network):
    return f"{network.name}_{network.routing.options.broadcast}"


def steps(topology):
    """Step at which each node has a source's copy, (sources, nodes).

    Message by message where there are few nodes; else by the rule, which tests/routing compares.
    """
    nodes, w = topology.nodes, topology.w
    found = np.zeros((nodes, nodes), np.int64)
    if nodes > 81:
        routing = Network(topology, broadcast="label").routing
        for source in range(nodes):
            tree = broadcast_tree(topology, routing.broadcast.rule, routing.parameters, source)
            found[source] = tree.arrival
        return found
    for source, label in enumerate(literal_wk.nodes_of(w, topology.levels)):
        for node, _, step, *_ in literal_wk.broadcast(label, w):
            assert found[source, int(node, w)] == 0
            found[source, int(node, w)] = step
    return found


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_every_source_on_the_model(w, levels):
    network = Network(WkRecursive(w=w, levels=levels), buffer_depth=2)
    packets = one_by_one(network)
    record = run_model(network, Traffic(), packets)
    assert_arrivals(network, packets, record, cycles_of(network, steps(network.topology)))


@pytest.mark.parametrize("network", NETWORKS, ids=named)
@pytest.mark.parametrize("length", [1, 4])
def test_every_source_in_the_verilog(equal, network, length):
    packets = one_by_one(network, length=length)
    _, record = equal(network, packets)
    cycles = cycles_of(network, steps(network.topology))
    if network.has_credits and length > 1:
        cycles = cycles_one_after_another(network, length)
    assert_arrivals(network, packets, record, cycles, length=length)


def at_once(network, seed):
    """Sixteen random sources that broadcast in the first cycles, amid unicasts."""
    traffic = Traffic(rate=0.1, packets=20 * network.topology.nodes, length=(1, 4), seed=seed)
    drawn = make_packets(network, traffic)
    rng = np.random.default_rng(seed)
    count = min(16, network.topology.nodes)
    sources = rng.choice(network.topology.nodes, count, replace=False)
    source = np.concatenate([sources, drawn.source])
    time = np.concatenate([rng.integers(0, 3, count), drawn.time])
    order = np.lexsort((time, source))
    facts = {
        "source": source,
        "time": time,
        "destination": np.concatenate([np.full(count, EVERYONE), drawn.destination]),
        "length": np.concatenate([rng.integers(1, 5, count), drawn.length]),
    }
    table = packet_table(network, seed=seed, **{k: v[order] for k, v in facts.items()})
    assert (table.destination == EVERYONE).sum() == count
    return table


@pytest.mark.parametrize("network", [WK33, WK42], ids=named)
@pytest.mark.parametrize("seeds", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_sixteen_at_once_amid_unicasts_on_the_model(judged, network, seeds):
    for seed in range(seeds):
        judged(network, at_once(network, seed))


@pytest.mark.parametrize("network", NETWORKS, ids=named)
def test_sixteen_at_once_amid_unicasts_in_the_verilog(equal, network):
    for seed in range(2 if network is WK32 else 10):
        equal(network, at_once(network, seed))


@pytest.mark.parametrize("network", NETWORKS, ids=named)
@pytest.mark.parametrize("share", [0.1, 1.0])
def test_saturated_with_slow_nodes(equal, network, share):
    keys = {"rate": 1.0, "length": (1, 4), "bubble": 0.1, "stall": 0.3}
    equal(network, packets=600, broadcast_share=share, **keys)


@pytest.mark.parametrize("network", NETWORKS, ids=named)
def test_a_broadcast_that_is_too_long_is_dropped_whole_and_told(equal, network):
    """Unicasts of the same length pass, and the next broadcast does."""
    rng, nodes = np.random.default_rng(2), network.topology.nodes
    count = 12 * nodes
    source = np.sort(rng.integers(0, nodes, count))
    destination, length = rng.integers(0, nodes, count), rng.choice([1, 3, 4, 5, 9], count)
    destination[rng.random(count) < 0.3] = EVERYONE
    packets = packet_table(
        network,
        source=source,
        destination=destination,
        length=length,
        time=np.zeros(count, np.int64),
        seed=1,
    )
    long = packets.broadcast & (packets.length > network.routing.options.max_packet)
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
