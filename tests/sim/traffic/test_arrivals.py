import numpy as np
import pytest
from knotwork import Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork_sim.sweep.point import draw_packets
from knotwork_sim.traffic.arrivals import make_arrivals, rate_limit, successes
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

CUBE = Network(Hypercube(n=4))
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
    with pytest.raises(ConfigurationError) as refusal:
        make_packets(CUBE, Traffic(rate=rate, **keys))
    expected = f"traffic: rate must be at most {limit}{reason}, not {rate:g}"
    assert str(refusal.value) == expected
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
