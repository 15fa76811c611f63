"""Latencies by class, and the bound of the highest."""

import numpy as np
import pytest
from helpers.packet_columns import packets_of
from knotwork import Network
from knotwork.cli.answers.describe import describe_network
from knotwork_sim import simulate
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic

CASES = (
    "mesh:x=4,y=4,classes=2,class_limits=1,1/200",
    "torus:x=4,y=4,classes=2,class_limits=1,1/100,buffer_depth=18",
    "moebius:n=4,classes=3,class_limits=1,1,1/100,buffer_depth=18",
    "mesh:x=3,y=2,classes=2,class_limits=1,1/60,class_bursts=1,4,buffer_depth=20",
    "hypercube:n=3,classes=2,class_limits=1,1/60,buffer_depth=16,pipeline=3",
)


def bound_of(network):
    told = describe_network(network).as_json()["latency_bound"]
    assert told["class"] == network.traffic_classes - 1
    assert told["reason"] is None
    assert told["buffer_depth"] <= network.hardware.buffer_depth
    return told["cycles"]


@pytest.mark.parametrize(
    "word", [CASES[0], *(pytest.param(w, marks=pytest.mark.slow) for w in CASES[1:])]
)
@pytest.mark.parametrize("pattern", ["uniform", pytest.param("hotspot", marks=pytest.mark.slow)])
def test_the_highest_class_keeps_its_bound_while_the_others_fill_the_network(word, pattern):
    network = Network.from_word(word)
    limit, highest = network.injection_limits[-1], network.traffic_classes - 1
    rates = (1.0,) * highest + (float(limit.rate),)
    count = 12_000 if word == CASES[0] else 200_000
    length = (1, limit.burst)
    traffic = Traffic(traffic=pattern, class_rates=rates, length=length, packets=count)
    result = simulate(network, traffic, engine="model")
    low, high = result.classes[0], result.classes[-1]
    assert (result.delivered, high.number) == (count, highest)
    assert high.delivered > 50
    bound = bound_of(network)
    assert high.network_p999 <= high.network_latency.max <= bound
    assert low.network_latency.mean > 2 * high.network_latency.mean
    if pattern == "hotspot":  # the lower classes do pass it
        assert low.network_latency.max > bound


@pytest.mark.parametrize("word", CASES)
def test_the_bound_holds_when_all_nodes_send_to_one_at_once(word):
    """The worst that sources may do at a single time, again and again."""
    network = Network.from_word(word)
    limit, highest = network.injection_limits[-1], network.traffic_classes - 1
    nodes = network.topology.nodes // network.traffic_classes
    rng, times = np.random.default_rng(1), 40
    period = int(limit.burst / limit.rate)
    source = np.repeat(np.arange(nodes), times)
    to = np.tile(rng.integers(nodes, size=times), nodes)
    first, cycles = highest * nodes, np.tile(np.arange(times) * period, nodes)
    packets = packets_of(network, source + first, to + first, limit.burst, cycles)
    record = run_model(network, Traffic(), packets)
    tails = record.last == 1
    assert tails.sum() == len(packets)
    late = record.clock[tails] % period
    assert (record.injected == packets.time).all()  # nothing waits for a token
    assert limit.burst * nodes <= late.max() <= bound_of(network)


def test_tells_each_class():
    network = Network.from_word("mesh:x=3,y=2,classes=2")
    traffic = Traffic(class_rates=(0.8, 0.1), length=(2, 2), packets=3000)
    result = simulate(network, traffic, engine="model")
    table = result.packets.to_pandas()
    for each in result.classes:
        own = table[table.source // 6 == each.number]
        inside = own.ejected - own.injected
        assert each.delivered == len(own)
        assert each.throughput == pytest.approx(2 * len(own) / (6 * result.cycles), abs=1e-6)
        assert each.latency.mean == pytest.approx(own.latency.mean(), abs=1e-4)
        assert each.network_latency.max == inside.max()
        assert each.network_p999 == pytest.approx(np.percentile(inside, 99.9))
    told = result.as_json()["classes"]
    assert [each["class"] for each in told] == [0, 1]
    assert set(told[0]) == {"class", "delivered", "throughput", "latency", "network_latency"}
    assert set(told[0]["network_latency"]) == {"mean", "p50", "p99", "p999", "max"}
    plain = simulate("mesh:x=3,y=2,pipeline=2", packets=50, engine="model")
    assert plain.classes == ()
    assert "classes" not in plain.as_json()
