import numpy as np
import pytest
from helpers.refusals import refuses
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube, Network
from knotwork_sim.sweep.point import draw_packets
from knotwork_sim.traffic.arrivals import make_arrivals, rate_limit, successes
from knotwork_sim.traffic.keys import STANDALONE, Traffic
from knotwork_sim.traffic.make import make_packets

CUBE = Network(Hypercube(n=4))
MANY = 40_000
PATTERNS = [pattern for pattern in STANDALONE if pattern != "tornado"]  # a cube has none
CAST = Network(Hypercube(n=3), multicast="yes", max_packet=7)


@pytest.mark.parametrize("traffic", PATTERNS)
@pytest.mark.parametrize(("rate", "length"), [(0.05, (1, 1)), (0.4, (1, 8)), (1.0, (3, 3))])
def test_rate_and_lengths_are_as_asked(traffic, rate, length):
    keys = {"traffic": traffic, "rate": rate, "length": length, "packets": MANY}
    packets = make_packets(CUBE, Traffic(**keys))
    offered = packets.length.sum() / (16 * (packets.time.max() + 1))
    assert offered == pytest.approx(rate, rel=0.03)
    first, last = length
    counts = np.bincount(packets.length, minlength=last + 1)[first:]
    assert counts.sum() == len(packets) == MANY
    assert counts.min() > 0.9 * MANY / (last - first + 1)


@given(
    traffic=st.sampled_from(PATTERNS),
    rate=st.floats(0.001, 1),
    packets=st.integers(1, 300),
    length=st.tuples(st.integers(1, 9), st.integers(0, 9)).map(lambda p: (p[0], p[0] + p[1])),
    seed=st.integers(0, 2**63 - 1),
)
def test_packets_are_sorted_by_source_and_time_and_the_seed_decides_them(**keys):
    traffic = Traffic(**keys)
    packets, again = make_packets(CUBE, traffic), make_packets(CUBE, traffic)
    assert len(packets) == traffic.packets
    for name in ("source", "destination", "length", "time", "virtual_channel", "first_packet"):
        assert (getattr(packets, name) == getattr(again, name)).all()
        assert getattr(packets, name).dtype == np.int64
    assert (packets.words(32) == again.words(32)).all()
    for node in range(16):
        own = slice(packets.first_packet[node], packets.first_packet[node + 1])
        assert (packets.source[own] == node).all()
        assert (np.diff(packets.time[own]) > 0).all()
    assert packets.first_packet[-1] == len(packets)
    assert packets.first_flit[-1] == packets.length.sum()


def test_another_seed_draws_other_packets_and_other_contents():
    one, two = (make_packets(CUBE, Traffic(seed=seed)) for seed in (1, 2))
    assert (one.source != two.source).any()
    assert (one.words(64)[:1000] != two.words(64)[:1000]).all()


def test_a_longer_permutation_goes_on_at_one_flit_per_cycle():
    keys = {"traffic": "permutation", "permutation": "reversal", "length": (4, 4)}
    packets = make_packets(CUBE, Traffic(packets=48, **keys))
    assert packets.source.tolist() == [node for node in range(16) for _ in range(3)]
    assert packets.time.tolist() == [0, 4, 8] * 16
    slow = make_packets(CUBE, Traffic(packets=MANY, rate=0.2, **keys))
    assert slow.length.sum() / (16 * slow.time.max()) == pytest.approx(0.2, rel=0.03)


def test_multicasts_have_their_share_and_random_members():
    packets = make_packets(CAST, Traffic(packets=2000, multicast_share=0.25, length=(1, 3)))
    assert 400 < packets.multicast.sum() < 600
    assert not packets.refused.any()
    sizes = [len(chain) for chain in packets.chains.values()]
    assert set(sizes) == {1, 2, 3, 4}  # three flits of data leave room for four addresses
    met = {member for members in packets.members.values() for member in members}
    assert met == set(range(8))
    for number, members in packets.members.items():
        assert int(packets.source[number]) not in members
        assert len(set(members)) == len(members)


def test_members_are_drawn_from_their_range():
    packets = make_packets(CAST, Traffic(packets=200, multicast_share=1.0, members=(2, 3)))
    assert {len(chain) for chain in packets.chains.values()} == {2, 3}


@pytest.mark.parametrize(
    ("network", "keys", "complaint"),
    [
        (Network(Hypercube(n=3)), {},
         "multicast_share must be 0 for a network without multicast=yes, not 0.5"),
        (CAST, {"length": (1, 7)},
         "length must leave room for a chain in max_packet=7, at most 6, not 7"),
        (CAST, {"length": (1, 3), "members": (2, 5)},
         "members must be at most 4, with length=3 and max_packet=7, not 5"),
    ],
)  # fmt: skip
def test_multicasts_that_cannot_be_are_refused(network, keys, complaint):
    with refuses(f"traffic: {complaint}"):
        make_packets(network, Traffic(multicast_share=0.5, **keys))


CYCLES = 50_000


def cycles_of(traffic, rate, nodes=16, weights=None):
    """Cycles in which each node creates a packet, bool of shape (nodes, cycles)."""
    made = make_arrivals(traffic, nodes, rate, weights)
    source, time = made.within(np.random.default_rng(1), CYCLES)
    assert (np.diff(source * CYCLES + time) > 0).all()  # in order, at most one per cycle
    table = np.zeros((nodes, CYCLES), bool)
    table[source, time] = True
    return table


@pytest.mark.parametrize(("burst", "rate"), [(4, 0.3), (20, 0.1), (1, 0.4), (100, 0.6)])
def test_a_burst_has_its_mean_length_and_the_load_its_mean_rate(burst, rate):
    """At one packet per cycle of a burst, runs of packets are the bursts: geometric ones."""
    table = cycles_of(Traffic(burst=burst), rate)
    # Of a two-state chain, the share of cycles on has this variance over so many cycles.
    spread = (rate * (1 - rate) / table.size * 2 * burst * (1 - rate)) ** 0.5
    assert abs(table.mean() - rate) < 5 * max(spread, (rate / table.size) ** 0.5)
    edges = np.diff(np.pad(table, ((0, 0), (1, 1))).astype(int), axis=1)
    starts, ends = np.nonzero(edges == 1), np.nonzero(edges == -1)
    whole = (starts[1] > 0) & (ends[1] < CYCLES)  # neither cut at the start nor at the end
    lengths = (ends[1] - starts[1])[whole]
    deviation = (burst * (burst - 1)) ** 0.5  # of a geometric length
    assert lengths.mean() == pytest.approx(burst, abs=5 * deviation / len(lengths) ** 0.5 + 1e-9)
    if burst > 1:
        assert lengths.std() == pytest.approx(deviation, rel=0.15)


def test_a_burst_may_be_slower_than_a_flit_per_cycle():
    traffic = Traffic(burst=50, burst_rate=0.4, length=(2, 2))
    table = cycles_of(traffic, 0.1)
    assert 2 * table.mean() == pytest.approx(0.1, rel=0.1)
    # Within 5 cycles of a packet, a node is still in its burst with a chance of 0.98^5: it creates
    # 0.2 packets per cycle there, against 0.05 on average.
    near = np.mean([(table[:, :-lag] & table[:, lag:]).sum() / table[:, :-lag].sum()
                    for lag in range(1, 6)])  # fmt: skip
    assert near == pytest.approx(0.2 * 0.95 + 0.05 * 0.05, rel=0.1)


def test_nodes_have_the_rates_of_their_weights():
    weights = np.array([0.0, 0.5, 1.0, 2.5])
    for traffic in (Traffic(), Traffic(burst=10)):
        rates = cycles_of(traffic, 0.2, nodes=4, weights=weights).mean(axis=1)
        assert rates[0] == 0
        assert rates[1:] == pytest.approx(0.2 * weights[1:], rel=0.12)


@pytest.mark.parametrize("keys", [{}, {"burst": 30.0}, {"burst": 5.0, "burst_rate": 0.5}])
def test_a_simulation_and_a_sweep_offer_the_rate(keys):
    traffic = Traffic(length=(1, 3), seed=4, **keys)
    point = draw_packets(CUBE, traffic, 0.25, CYCLES)
    assert point.length.sum() / (16 * CYCLES) == pytest.approx(0.25, rel=0.05)
    packets = make_packets(CUBE, Traffic(length=(1, 3), rate=0.25, packets=60_000, **keys))
    assert len(packets) == 60_000
    assert packets.length.sum() / (16 * packets.time.max()) == pytest.approx(0.25, rel=0.05)


@pytest.mark.parametrize(
    ("keys", "rate", "limit", "reason"),
    [
        ({"burst": 4.0}, 0.9, "0.8", " with burst=4"),
        ({"burst": 1.0}, 0.6, "0.5", " with burst=1"),
        ({"burst": 9.0, "burst_rate": 0.5}, 0.5, "0.45", " with burst=9 and burst_rate=0.5"),
    ],
)
def test_a_load_that_leaves_no_pause_is_refused(keys, rate, limit, reason):
    with refuses(f"traffic: rate must be at most {limit}{reason}, not {rate:g}"):
        make_packets(CUBE, Traffic(rate=rate, **keys))
    assert rate_limit(Traffic(**keys), None) == pytest.approx(float(limit))
    make_packets(CUBE, Traffic(rate=float(limit), packets=10, **keys))


def test_few_packets_of_long_bursts_are_found():
    packets = make_packets(CUBE, Traffic(burst=1000.0, rate=0.001, packets=7))
    assert len(packets) == 7


def test_successes_are_bernoulli_trials():
    found = successes(np.random.default_rng(2), 0.3, 100_000)
    assert (np.diff(found) > 0).all()
    assert found[-1] < 100_000
    assert abs(len(found) - 30_000) < 5 * (100_000 * 0.21) ** 0.5
    assert successes(np.random.default_rng(2), 1.0, 5).tolist() == [0, 1, 2, 3, 4]
    assert len(successes(np.random.default_rng(2), 0.5, 0)) == 0
