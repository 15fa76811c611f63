import numpy as np
import pytest
from helpers.packet_columns import packets_of
from helpers.refusals import refuses
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.parameters import Choice, Integer, Real, Span
from knotwork.topology import Hypercube
from knotwork_sim.check.latency import Latency
from knotwork_sim.sweep.load_result import Window
from knotwork_sim.sweep.point import (
    Seen,
    check_load,
    draw_packets,
    evaluate,
    measure_point,
    point_seed,
)
from knotwork_sim.sweep.swept_keys import REFUSED, sweep_keys
from knotwork_sim.traffic.keys import Traffic

LINE = Network.from_word("hypercube:n=1")
CUBE = Network.from_word("hypercube:n=4")


def test_at_rate_one_every_node_sends_in_every_clock():
    packets = draw_packets(CUBE, Traffic(), 1.0, 50)
    assert packets.time.tolist() == 16 * list(range(50))
    assert packets.source.tolist() == np.repeat(range(16), 50).tolist()


def test_the_seed_the_network_and_the_rate_decide_the_packets():
    first = point_seed(CUBE, Traffic(), 0.1)
    assert first == point_seed(Network.from_word("hypercube:n=4"), Traffic(), 0.1)
    others = [
        point_seed(CUBE, Traffic(seed=2), 0.1),
        point_seed(CUBE, Traffic(), 0.2),
        point_seed(LINE, Traffic(), 0.1),
        point_seed(CUBE, Traffic(traffic="complement"), 0.1),
    ]
    assert len({first, *others}) == 5
    assert 0 <= min(first, *others) <= max(first, *others) < 2**63
    one, two = (draw_packets(CUBE, Traffic(), 0.1, 500) for _ in range(2))
    assert one.time.tolist() == two.time.tolist()
    assert one.destination.tolist() == two.destination.tolist()


def test_a_random_permutation_is_the_same_at_every_load():
    traffic = Traffic(traffic="permutation", permutation="random")
    low, high = (draw_packets(CUBE, traffic, rate, 200) for rate in (0.3, 0.9))
    goes = dict(zip(low.source.tolist(), low.destination.tolist(), strict=True))
    assert sorted(goes.values()) == list(range(16))
    assert goes == dict(zip(high.source.tolist(), high.destination.tolist(), strict=True))


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.8])
def test_a_source_is_a_queue_with_one_server(rate):
    # Two nodes send to each other: nothing is shared, so packets wait for their own source only.
    # Bernoulli arrivals, constant service: the discrete form of Pollaczek and Khinchine's formula.
    length, window = 4, Window(measure=20000)
    point = measure_point(LINE, Traffic(length=(length, length)), rate, window=window)
    arrivals = rate / length
    wait = arrivals * length * (length - 1) / 2 / (1 - rate)
    hop, tail = 2, length - 1
    assert abs(point.latency.mean - (hop + tail + wait)) < 3 * point.latency_ci95
    assert point.latency_ci95 < 0.3 * wait + 0.1
    assert abs(point.accepted - rate) < 2 * point.accepted_ci95
    assert not point.saturated


def test_without_waiting_every_packet_takes_its_hops():
    point = measure_point(LINE, Traffic(), 0.7, window=Window(measure=500))
    assert point.latency == Latency(mean=2.0, p50=2.0, p99=2.0, max=2)
    assert point.latency_ci95 == 0.0


def test_what_is_beyond_the_ideal_is_saturated():
    network = Network.from_word("mesh:x=4,y=4")
    window, traffic = Window(measure=1500), Traffic(traffic="complement", length=(4, 4))
    full = measure_point(network, traffic, 0.7, window=window)  # the ideal is 0.5
    assert full.saturated
    assert full.latency == Latency()
    assert full.latency_ci95 is None
    assert 0.2 < full.accepted <= 0.5
    low = measure_point(network, traffic, 0.1, window=window)
    assert not low.saturated
    assert low.warmup < 500 < full.warmup


def delivered(packets, latency):
    """What node 1 sees where each packet takes `latency`, its flits in one clock."""
    packet = np.repeat(np.arange(len(packets)), packets.length)
    last = np.append(np.diff(packet) != 0, True)
    return Seen(packet, packets.time[packet] + latency, last)


def test_packets_of_the_measurement_count_and_no_others():
    packets = packets_of(LINE, 0, 1, 2, np.arange(0, 400, 2))
    found = evaluate(packets, delivered(packets, 9), 0.5, 2, Window(warmup=100, measure=100))
    ci95 = round(2.0930240544 * 0.1 / np.sqrt(19), 6)  # two or three packets in five clocks
    assert found.as_json() == {
        "offered": 0.5, "accepted": 0.5, "accepted_ci95": ci95,
        "latency": {"mean": 9.0, "p50": 9.0, "p99": 9.0, "max": 9}, "latency_ci95": 0.0,
        "saturated": False, "packets": 50, "warmup": 100,
    }  # fmt: skip


def test_a_packet_that_never_comes_saturates():
    packets = packets_of(LINE, 0, 1, 2, np.arange(0, 400, 2))
    seen = delivered(packets, 9)
    for number, saturated in ((70, True), (10, False), (190, False)):
        kept = seen.packet != number
        less = Seen(seen.packet[kept], seen.cycle[kept], seen.last[kept])
        found = evaluate(packets, less, 0.5, 2, Window(warmup=100, measure=100))
        assert found.saturated is saturated


def test_a_point_without_packets_has_no_latency():
    packets = packets_of(LINE, [0], 1, 1, 5)
    found = evaluate(packets, delivered(packets, 3), 0.001, 2, Window(warmup=100, measure=100))
    assert (found.packets, found.accepted, found.latency.mean) == (0, 0.0, None)
    assert not found.saturated


def test_circuits_are_measured_too():
    network = Network.from_word("lcan:d=2,u=2,levels=2")
    window = Window(warmup=300, measure=1000)
    point = measure_point(network, Traffic(length=(4, 4)), 0.02, window=window)
    assert not point.saturated
    assert point.latency.mean > 15
    assert measure_point(network, Traffic(length=(4, 4)), 0.5, window=window).saturated


@pytest.mark.parametrize(
    ("word", "keys", "complaint"),
    [
        ("hypercube:n=3,routing=lc1", {}, "hypercube_n3_lc1: a load sweep must have packets that "
         "come at any time, which routing=lc1 does not take"),
        ("lcan:d=2,u=2,levels=2,routing=scheduled", {},
         "lcan_d2_u2_levels2_interconnectcomplete_scheduled: a load sweep must have packets that "
         "come at any time, which routing=scheduled does not take"),
        ("wk:w=3,levels=2,broadcast=label", {"broadcast_share": 0.5},
         "sweep: broadcast_share must be 0 in a load sweep, not 0.5"),
        ("hypercube:n=3", {"multicast_share": 0.25},
         "sweep: multicast_share must be 0 in a load sweep, not 0.25"),
        ("hypercube:n=3", {"rate": 0.5}, "sweep: rate must be given by --rates, not by rate=0.5"),
        ("hypercube:n=3", {"packets": 9},
         "sweep: packets must be given by --measure, not by packets=9"),
        ("lcan:d=2,u=2,levels=2", {"length": (1, 17)},
         "lcan_d2_u2_levels2_interconnectcomplete: length must be at most max_packet=16, not 17"),
        ("wk:w=3,levels=2", {"traffic": "shuffle"},
         "traffic: shuffle must have a power of two nodes, not 9"),
    ],
)  # fmt: skip
def test_what_no_load_sweep_measures_is_refused(word, keys, complaint):
    with refuses(complaint):
        check_load(Network.from_word(word), Traffic(**keys))


COMPANIONS = {"burst_rate": {"burst": 4.0}}
"""What keys need beside them."""


def legal(field):
    """Value of a key that is not its default; None where only the user could name one."""
    match field.metadata["kind"]:
        case Integer(low=low):
            return low + 1
        case Real(low=low, high=high):
            return (low + high) / 2
        case Span(low=low):
            return (low, low + 1)
        case Choice(words):
            return next(word for word in words if word != field.default)
    return None


def test_the_keys_offered_are_all_but_the_refused_ones():
    assert list(sweep_keys()) == [key for key in list(Traffic.keys()) if key not in REFUSED]
    assert set(REFUSED) <= set(Traffic.keys())


@pytest.mark.parametrize("key", Traffic.keys())
def test_a_sweep_offers_no_key_that_it_refuses(key):
    value = legal(Traffic.keys()[key])
    if value is None or key == "members":  # `members` alone changes nothing
        return
    network = Network(Hypercube(n=3))
    try:
        check_load(network, Traffic(**{key: value, **COMPANIONS.get(key, {})}))
    except ConfigurationError as error:
        assert key in REFUSED, error
    else:
        assert key in sweep_keys()
