"""Packets through packet routers: latency, order, refusals, saturation."""

import dataclasses

import numpy as np
import pytest
from helpers.ring import CyclicRingRouting, Ring, RingRouting
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network
from knotwork_sim.check.score import score
from knotwork_sim.model.record import PATIENCE
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packet_table import packet_table


def table(network, rows, seed=1):
    """Packets of rows (source, destination, length, time), in order of source and time."""
    source, destination, length, time = np.array(sorted(rows, key=lambda r: (r[0], r[3]))).T
    return packet_table(
        network, source=source, destination=destination, length=length, time=time, seed=seed
    )


@pytest.mark.parametrize("pipeline", [1, 2])
@pytest.mark.parametrize(
    "topology",
    [Moebius(n=4, twist=0), Moebius(n=4, twist=1), Hypercube(n=4), Hypercube(n=1)],
    ids=lambda topology: topology.instance_name,
)
@pytest.mark.parametrize("virtual_channels", [1, 3])
def test_zero_load_latency_of_all_pairs(judged, topology, pipeline, virtual_channels):
    network = Network(topology, pipeline=pipeline, virtual_channels=virtual_channels)
    nodes = topology.nodes
    pairs = [(source, to) for source in range(nodes) for to in range(nodes)]
    rows = [(a, b, 1 + k % 3, 50 * k) for k, (a, b) in enumerate(pairs)]
    _, record = judged(network, table(network, rows))
    tails = record.clock[record.last == 1]  # one packet at a time, in sending order
    for tail, (source, destination, length, time) in zip(tails, rows, strict=True):
        hops = len(network.routing.path(source, destination)) - 1
        assert tail == time + pipeline * (hops + 1) + length - 1


def hardware_with(channels, depths, pipelines):
    return st.fixed_dictionaries(
        {
            "virtual_channels": channels,
            "buffer_depth": st.sampled_from(depths),
            "pipeline": pipelines,
            "data_width": st.sampled_from([32, 72]),
        }
    )


@settings(max_examples=60)
@given(
    family=st.sampled_from([Hypercube, Moebius]),
    n=st.integers(1, 4),
    hardware=st.one_of(
        hardware_with(st.integers(1, 8), [2, 3, 16], st.just(1)),
        hardware_with(st.integers(1, 8), [4, 5, 16], st.just(2)),
        hardware_with(st.just(1), [2, 3], st.just(2)),
    ),
    traffic=st.fixed_dictionaries(
        {
            "traffic": st.sampled_from(["uniform", "neighbour", "hotspot", "complement"]),
            "rate": st.floats(0.01, 1),
            "packets": st.integers(1, 400),
            "length": st.sampled_from([(1, 1), (1, 8), (20, 20)]),
            "bubble": st.sampled_from([0.0, 0.4]),
            "stall": st.sampled_from([0.0, 0.4, 0.9]),
            "seed": st.integers(0, 2**40),
        }
    ),
)
def test_all_is_delivered_once_in_order_and_unmixed(judged, family, n, hardware, traffic):
    judged(Network(family(n=n), **hardware), **traffic)


@pytest.mark.parametrize("virtual_channels", [2, 4, 6])
@pytest.mark.parametrize("pipeline", [1, 2])
def test_a_ring_with_enough_virtual_channels_delivers_all(judged, virtual_channels, pipeline):
    network = Network(
        Ring(nodes=6),
        routing=RingRouting,
        virtual_channels=virtual_channels,
        pipeline=pipeline,
        buffer_depth=2 * pipeline,  # the least with several virtual channels
    )
    judged(network, rate=1.0, packets=600, length=(16, 16))


def test_a_deadlock_is_given_up_after_a_while():
    network = Network(
        Ring(nodes=6), routing=CyclicRingRouting, buffer_depth=2, allow_deadlock="yes"
    )
    traffic = Traffic(rate=1.0, packets=600, length=(16, 16))
    packets = make_packets(network, traffic)
    record = run_model(network, traffic, packets)
    result = score(network, packets, record)
    assert result.lost > 0
    assert (result.duplicated, result.misrouted) == (0, 0)
    assert 0 < record.clocks - record.clock.max(initial=0) - PATIENCE < 200


def test_long_pauses_are_no_deadlock(judged):
    network = Network(Hypercube(n=2))
    rows = [(0, 3, 1, 0), (1, 2, 2, 3 * PATIENCE)]
    _, record = judged(network, table(network, rows))
    assert record.clock.tolist() == [3, 3 * PATIENCE + 3, 3 * PATIENCE + 4]


@pytest.mark.parametrize("pipeline", [1, 2])
def test_a_packet_to_no_node_is_refused_in_the_cycle_after_its_last_beat(judged, pipeline):
    network = Network(Ring(nodes=6), routing=RingRouting, pipeline=pipeline)
    packets = table(network, [(1, -1, 5, 7), (4, -1, 1, 3)])
    _, record = judged(network, packets)
    assert record.refused.tolist() == [[4, 4], [12, 1]]
    assert len(record.clock) == 0


def test_refused_packets_are_counted_and_disturb_nobody(judged):
    network = Network(Ring(nodes=6), routing=RingRouting, buffer_depth=4)
    drawn = make_packets(network, Traffic(rate=0.8, packets=900, length=(1, 6)))
    rng = np.random.default_rng(5)
    illegal = rng.random(len(drawn)) < 0.2
    packets = dataclasses.replace(drawn, destination=np.where(illegal, -1, drawn.destination))
    _, record = judged(network, packets, bubble=0.2, stall=0.3)
    result = score(network, packets, record)
    assert (result.refused, result.lost) == (illegal.sum(), 0)


def test_complement_of_single_flits_flows_without_a_wait(judged):
    # E-cube sends the packets of each node over links and turns that no other packet uses.
    network = Network(Hypercube(n=4))
    packets, record = judged(network, traffic="complement", rate=1.0, packets=16 * 200)
    assert score(network, packets, record).latency.tolist() == [5] * len(packets)


def test_a_hotspot_ejects_one_flit_per_cycle_at_most_and_nearly_that():
    network = Network(Hypercube(n=4))
    traffic = Traffic(traffic="hotspot", rate=1.0, packets=20_000)
    record = run_model(network, traffic, make_packets(network, traffic), clocks=1500)
    at_hotspot = record.clock[record.node == 0]
    assert len(set(at_hotspot.tolist())) == len(at_hotspot)
    assert len(at_hotspot) > 0.97 * 1500


@pytest.mark.parametrize(
    ("virtual_channels", "least"),
    [(1, 0.45), (4, 0.6)],
)
def test_saturation_lies_between_head_of_line_blocking_and_the_ideal(virtual_channels, least):
    # The busiest channels are those of ejection: at most one flit per node per cycle. Queues whose
    # head blocks the rest pass 0.586 of that at one large switch, less over several.
    network = Network(Hypercube(n=4), virtual_channels=virtual_channels)
    traffic = Traffic(rate=1.0, packets=60_000)
    packets = make_packets(network, traffic)
    record = run_model(network, traffic, packets, clocks=3000)
    accepted = np.sum(record.clock >= 500) / (16 * 2500)
    assert least < accepted < 1


def test_a_light_load_is_accepted_whole():
    network = Network(Hypercube(n=4))
    traffic = Traffic(rate=0.2, packets=20_000)
    record = run_model(network, traffic, make_packets(network, traffic))
    assert len(record.clock) / (16 * record.clocks) == pytest.approx(0.2, rel=0.03)
