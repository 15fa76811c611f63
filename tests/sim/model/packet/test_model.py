"""Packets through packet routers: latency, order, refusals, saturation, regulators."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from helpers.packet_columns import packets_of
from helpers.ring import CyclicRingRouting, Ring, RingRouting
from helpers.routes import slow
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network
from knotwork_sim.model.packet.state import make_regulators
from knotwork_sim.model.record import PATIENCE
from knotwork_sim.model.run import run_model
from knotwork_sim.scoreboard.score import score
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets


@pytest.mark.parametrize(("pipeline", "virtual_channels"), [(1, 1), (2, 1), (2, 3)])
@pytest.mark.parametrize(
    "topology",
    [Moebius(n=4, twist=0), Moebius(n=4, twist=1), Hypercube(n=4), Hypercube(n=1)],
    ids=lambda topology: topology.instance_name,
)
def test_zero_load_latency_of_all_pairs(judged, topology, pipeline, virtual_channels):
    network = Network(topology, pipeline=pipeline, virtual_channels=virtual_channels)
    nodes = topology.nodes
    pairs = [(source, to) for source in range(nodes) for to in range(nodes)]
    rows = [(a, b, 1 + k % 3, 50 * k) for k, (a, b) in enumerate(pairs)]
    _, record = judged(network, packets_of(network, *np.array(rows).T))
    tails = record.clock[record.last == 1]  # one packet at a time, in sending order
    for tail, (source, destination, length, time) in zip(tails, rows, strict=True):
        hops = len(network.routing.path(source, destination)) - 1
        assert tail == time + pipeline * (hops + 1) + length - 1


def hardware_with(channels, depths, pipelines):
    keys = {"virtual_channels": channels, "buffer_depth": st.sampled_from(depths)}
    widths = st.sampled_from([32, 72])
    return st.fixed_dictionaries({**keys, "pipeline": pipelines, "data_width": widths})


@settings(max_examples=30)
@given(
    family=st.sampled_from([Hypercube, Moebius]),
    n=st.integers(1, 4),
    hardware=st.one_of(
        hardware_with(st.just(1), [2, 3, 16], st.just(1)),
        hardware_with(st.integers(1, 8), [2, 3, 4, 5, 16], st.integers(2, 3)),
    ),
    traffic=st.sampled_from(["uniform", "neighbour", "hotspot", "complement"]),
    rate=st.floats(0.01, 1),
    packets=st.integers(1, 200),
    length=st.sampled_from([(1, 1), (1, 8), (20, 20)]),
    bubble=st.sampled_from([0.0, 0.4]),
    stall=st.sampled_from([0.0, 0.4, 0.9]),
    seed=st.integers(0, 2**40),
)
def test_all_is_delivered_once_in_order_and_unmixed(judged, family, n, hardware, **keys):
    judged(Network(family(n=n), **hardware), **keys)


@pytest.mark.parametrize(
    "word",
    ["torus:x=2,y=2", "torus:x=2,y=5", "torus:x=5,y=3", "rp:k=1", "rp:k=2", "rp:k=5",
     "mesh:x=4,y=2", "mesh:x=4,y=2,pipeline=1"],
)  # fmt: skip
def test_rings_of_two_and_odd_rings_lose_nothing(judged, word):
    network = Network.from_word(f"{word},buffer_depth=4")
    judged(network, rate=0.8, packets=400, length=(1, 6), stall=0.2)


@pytest.mark.parametrize(
    "word",
    [
        "petersen:buffer_depth=4",
        *slow(["torus:x=2,y=3,buffer_depth=4", "mesh:x=3,y=2,buffer_depth=4,pipeline=2",
               "torus:x=4,y=3,buffer_depth=4", "rp:k=3,buffer_depth=4"]),
    ],
)  # fmt: skip
def test_the_verilog_is_equal(equal, word):
    network = Network.from_word(f"{word},data_width=16")
    equal(network, rate=0.5, packets=600, length=(1, 6), bubble=0.1, stall=0.2)


@pytest.mark.parametrize("virtual_channels", [2, 4, 6])
@pytest.mark.parametrize("pipeline", [2, 3])
def test_a_ring_with_enough_virtual_channels_delivers_all(judged, virtual_channels, pipeline):
    network = Network(
        Ring(nodes=6),
        routing=RingRouting,
        virtual_channels=virtual_channels,
        pipeline=pipeline,
        buffer_depth=2 * pipeline,
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
    packets = packets_of(network, [0, 1], [3, 2], [1, 2], [0, 3 * PATIENCE])
    _, record = judged(network, packets)
    assert record.clock.tolist() == [6, 3 * PATIENCE + 6, 3 * PATIENCE + 7]


@pytest.mark.parametrize(("pipeline", "routing"), [(1, CyclicRingRouting), (2, RingRouting)])
def test_a_packet_to_no_node_is_refused_in_the_cycle_after_its_last_beat(judged, pipeline, routing):
    network = Network(Ring(nodes=6), routing=routing, pipeline=pipeline, allow_deadlock="yes")
    _, record = judged(network, packets_of(network, [1, 4], -1, [5, 1], [7, 3]))
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
    assert score(network, packets, record).latency.tolist() == [10] * len(packets)


def test_a_hotspot_ejects_one_flit_per_cycle_at_most_and_nearly_that():
    network = Network(Hypercube(n=4))
    traffic = Traffic(traffic="hotspot", rate=1.0, packets=20_000)
    record = run_model(network, traffic, make_packets(network, traffic), clocks=1500)
    at_hotspot = record.clock[record.node == 0]
    assert len(set(at_hotspot.tolist())) == len(at_hotspot)
    assert len(at_hotspot) > 0.97 * 1500


@pytest.mark.parametrize(("virtual_channels", "least"), [(1, 0.45), (4, 0.6)])
def test_saturation_lies_between_head_of_line_blocking_and_the_ideal(virtual_channels, least):
    # The busiest channels are those of ejection: at most one flit per node per cycle. Queues whose
    # head blocks the rest pass 0.586 of that at one large switch, less over several.
    network = Network(Hypercube(n=4), virtual_channels=virtual_channels)
    traffic = Traffic(rate=1.0, packets=60_000)
    packets = make_packets(network, traffic)
    record = run_model(network, traffic, packets, clocks=3000)
    accepted = np.sum(record.clock >= 500) / (16 * 2500)
    assert least < accepted < 1


def started(rate, burst, lengths, times):
    """Cycles in which packets start that nothing but their bucket holds up."""
    tokens, clock, starts = Fraction(burst), 0, []
    for length, time in zip(lengths, times, strict=True):
        for beat in range(length):
            while clock < time or tokens < (1 if beat else burst):
                tokens, clock = min(Fraction(burst), tokens + rate), clock + 1
            if beat == 0:
                starts.append(clock)
            tokens, clock = min(Fraction(burst), tokens - 1 + rate), clock + 1
    return starts


@pytest.mark.parametrize(("rate", "burst"), [("1/2", 1), ("3/7", 2), ("1/200", 3), ("250/251", 5)])
def test_packets_start_when_the_bucket_is_full(rate, burst):
    network = Network.from_word(
        f"mesh:x=2,y=1,classes=2,class_limits=1,{rate},class_bursts=9,{burst}"
    )
    rng = np.random.default_rng(burst)
    lengths = rng.integers(1, 2 * burst + 1, 40)
    times = np.cumsum(rng.choice([0, 1, 5, 700], 40))
    packets = packets_of(network, 2, 3, lengths, times)  # the stream of class 1 at node 0
    record = run_model(network, Traffic(), packets)
    expected = started(Fraction(rate), burst, lengths.tolist(), times.tolist())
    assert record.injected.tolist() == expected


def test_only_limited_classes_have_one():
    network = Network.from_word("mesh:x=2,y=1,classes=2,class_limits=1,2/6,class_bursts=9,4")
    found = make_regulators(network)
    assert found["cost"].tolist() == [0, 0, 3, 3]
    assert found["gain"].tolist() == [0, 0, 1, 1]
    assert found["full"].tolist() == [0, 0, 12, 12]
    assert len(make_regulators(Network.from_word("mesh:x=2,y=1,classes=2"))) == 0


def test_counting_changes_nothing_and_is_left_out_unless_asked_for():
    network, traffic = Network(Hypercube(n=3), pipeline=1), Traffic(packets=300, rate=0.4)
    packets = make_packets(network, traffic)
    plain, counted = (run_model(network, traffic, packets, counts=way) for way in (False, True))
    assert plain.tally is None
    assert (plain.rows() == counted.rows()).all()
    assert counted.tally.crossings.sum() > 0
