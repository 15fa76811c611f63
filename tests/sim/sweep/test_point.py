import numpy as np
import pytest
from helpers.packet_columns import packets_of
from helpers.refusals import refuses
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.parameters import Choice, Integer, Real, Span
from knotwork.topology import Hypercube
from knotwork_sim.check.result import Latency
from knotwork_sim.sweep.channel_load import channel_load, ideal_throughput
from knotwork_sim.sweep.load_result import Window
from knotwork_sim.sweep.point import (
    Seen,
    check_load,
    draw_packets,
    evaluate,
    measure_point,
    point_seed,
)
from knotwork_sim.sweep.rates import next_rates
from knotwork_sim.sweep.swept_keys import REFUSED, sweep_keys
from knotwork_sim.traffic.keys import STANDALONE, Traffic

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
    hop, tail = 2 * 2, length - 1  # two routers of two cycles
    assert abs(point.latency.mean - (hop + tail + wait)) < 3 * point.latency_ci95
    assert point.latency_ci95 < 0.3 * wait + 0.1
    assert abs(point.accepted - rate) < 2 * point.accepted_ci95
    assert not point.saturated


def test_without_waiting_every_packet_takes_its_hops():
    point = measure_point(LINE, Traffic(), 0.7, window=Window(measure=500))
    assert point.latency == Latency(mean=4.0, p50=4.0, p99=4.0, max=4)
    assert point.latency_ci95 == 0.0


def test_what_is_beyond_the_ideal_is_saturated():
    network = Network.from_word("mesh:x=4,y=4")
    window, traffic = Window(measure=1500), Traffic(traffic="complement", length=(4, 4))
    full = measure_point(network, traffic, 0.7, window=window)  # the ideal is 0.5
    assert full.saturated
    assert full.latency == Latency()
    assert full.latency_ci95 is None
    assert 0.2 < full.accepted <= 0.5 + full.accepted_ci95
    low = measure_point(network, traffic, 0.1, window=window)
    assert not low.saturated
    assert low.warmup < 500 < full.warmup


FIRST_SENDS = np.array([2.0, 0.0])
"""Rates of the line's nodes relative to their mean."""


def delivered(packets, latency):
    """What node 1 sees where each packet takes `latency`, its flits in one clock."""
    packet = np.repeat(np.arange(len(packets)), packets.length)
    last = np.append(np.diff(packet) != 0, True)
    return Seen(packet, packets.time[packet] + latency, last)


def test_packets_of_the_measurement_count_and_no_others():
    packets = packets_of(LINE, 0, 1, 2, np.arange(0, 400, 2))
    found = evaluate(
        packets, delivered(packets, 9), 0.5, FIRST_SENDS, Window(warmup=100, measure=100)
    )
    ci95 = round(2.0930240544 * 0.1 / np.sqrt(19), 6)  # two or three packets in five clocks
    assert found.as_json() == {
        "offered": 0.5, "accepted": 0.5, "accepted_ci95": ci95, "accepted_least": 0.5,
        "latency": {"mean": 9.0, "p50": 9.0, "p99": 9.0, "max": 9}, "latency_ci95": 0.0,
        "saturated": False, "packets": 50, "warmup": 100,
    }  # fmt: skip


def test_a_packet_that_never_comes_saturates():
    packets = packets_of(LINE, 0, 1, 2, np.arange(0, 400, 2))
    seen = delivered(packets, 9)
    for number, saturated in ((70, True), (10, False), (190, False)):
        kept = seen.packet != number
        less = Seen(seen.packet[kept], seen.cycle[kept], seen.last[kept])
        found = evaluate(packets, less, 0.5, FIRST_SENDS, Window(warmup=100, measure=100))
        assert found.saturated is saturated


def test_a_point_without_packets_has_no_latency():
    packets = packets_of(LINE, [0], 1, 1, 5)
    found = evaluate(
        packets, delivered(packets, 3), 0.001, FIRST_SENDS, Window(warmup=100, measure=100)
    )
    assert (found.packets, found.accepted, found.latency.mean) == (0, 0.0, None)
    assert not found.saturated


@pytest.mark.parametrize("measure", [2000, 10_000, pytest.param(40_000, marks=pytest.mark.slow)])
def test_a_queue_that_never_ends_is_saturated_however_long_it_is_watched(measure):
    """Seven nodes of a row turn into the same column: more than a seventh of a flit is too much.

    All others are served, so the network accepts 99.6 % of what it is offered.
    """
    network = Network.from_word("mesh:x=8,y=8")
    traffic, window = Traffic(traffic="transpose", length=(4, 4)), Window(measure=measure)
    low, *high = (measure_point(network, traffic, r, window=window) for r in (0.13, 0.147, 0.15))
    assert not low.saturated
    assert low.accepted_least > 0.98 * 0.13
    for point in high:
        assert point.saturated
        assert point.accepted > 0.98 * point.offered
        assert point.accepted_least < 0.95 * point.offered


def test_one_node_that_falls_short_saturates_and_chance_does_not():
    """Of 16 nodes one is served 5 % less, or creates 5 % less, than it offers on average."""
    window, rate, nodes = Window(warmup=0, measure=10_000), 0.25, 16
    time = np.tile(np.arange(0, window.cycles, 4), nodes)
    source = np.repeat(np.arange(nodes), window.cycles // 4)

    def seen(slow):
        packets = packets_of(CUBE, source, 15 - source, 1, time)
        late = np.where(source == slow, time // 19, 0)
        cycle = time + 9 + late
        left = cycle < window.cycles
        return packets, Seen(np.flatnonzero(left), cycle[left], np.ones(left.sum(), bool))

    even = np.ones(nodes)
    fair = evaluate(*seen(None), rate, even, window)
    assert (fair.saturated, fair.accepted_least) == (False, pytest.approx(rate, rel=0.002))
    unfair = evaluate(*seen(3), rate, even, window)
    assert unfair.saturated
    assert unfair.accepted == pytest.approx(rate, rel=0.005)
    assert unfair.accepted_least == pytest.approx(rate * 19 / 20, rel=0.002)
    asked = even.copy()
    asked[3] = 20 / 19  # it offers more than it happens to create
    assert not evaluate(*seen(None), rate, asked, window).saturated


def test_latency_that_rises_throughout_saturates():
    """All packets arrive, and no flit is missing beyond chance: each waits longer than before."""
    packets = packets_of(LINE, 0, 1, 2, np.arange(0, 30_000, 20))
    seen = delivered(packets, 9)
    window, weights = Window(warmup=0, measure=10_000), FIRST_SENDS
    assert not evaluate(packets, seen, 0.05, weights, window).saturated
    later = seen._replace(cycle=seen.cycle + seen.cycle // 1000)
    found = evaluate(packets, later, 0.05, weights, window)
    assert (found.saturated, found.accepted_least) == (True, pytest.approx(0.05, rel=0.01))


NINE = (
    "hypercube:n=4", "moebius:n=4,routing=spr", "ccc:n=3", "wk:w=4,levels=2", "tcpg:k=1,m=1",
    "rp:k=4", "torus:x=4,y=4", "mesh:x=4,y=4", "lcan:d=2,u=2,levels=3",
)  # fmt: skip
SWEPT = (*STANDALONE, "permutation")


def traffics_of(network):
    """Packets of 4 flits under every pattern that a network has, with the bound of each."""
    for pattern in SWEPT:
        keys = {"permutation": "random"} if pattern == "permutation" else {}
        traffic = Traffic(traffic=pattern, length=(4, 4), **keys)
        try:
            check_load(network, traffic)
        except ConfigurationError:
            continue  # a pattern for other numbers of nodes
        yield traffic, ideal_throughput(network, traffic, channel_load(network, traffic))


@pytest.mark.parametrize(
    "word",
    [*NINE[:-1], pytest.param(NINE[-1], marks=pytest.mark.slow)],  # circuits take long
)
def test_no_load_above_the_bound_of_the_channels_is_steady(word):
    """A channel would have to carry more than a flit per cycle: its queue grows for ever."""
    network, window = Network.from_word(word), Window()
    for traffic, ideal in traffics_of(network):
        if ideal * 1.05 <= 1:
            beyond = measure_point(network, traffic, round(ideal * 1.05, 6), window=window)
            assert beyond.saturated, (traffic, beyond)
        low = measure_point(network, traffic, round(ideal * 0.4, 6), window=window)
        assert not low.saturated, (traffic, low)


@pytest.mark.slow
@pytest.mark.parametrize("word", NINE)
def test_no_search_ends_above_the_bound_of_the_channels(word):
    """Beyond the step that the search ends with, and what chance is in 30,000 cycles."""
    network = Network.from_word(word)
    for traffic, ideal in traffics_of(network):
        found = {}
        while rates := next_rates(ideal, found):
            found |= {
                rate: measure_point(network, traffic, rate, window=Window()).saturated
                for rate in rates
            }
        steady = max(
            rate for rate in found if not any(found[each] for each in found if each <= rate)
        )
        assert steady <= 1.02 * ideal, (traffic, steady)


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
        ("hypercube:n=3,routing=lc1", {}, "hypercube_n3_lc1: a load sweep must have a network "
        "that takes packets at any time, unlike routing=lc1 does not take"),
        ("lcan:d=2,u=2,levels=2,routing=scheduled", {},
         "lcan_d2_u2_levels2_interconnectcomplete_scheduled: a load sweep must have a network that "
         "takes packets at any time, unlike routing=scheduled does not take"),
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
