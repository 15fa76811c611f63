import numpy as np
import pytest
from knotwork_sim.search.bounds import bounds
from knotwork_sim.search.figures import figures
from knotwork_sim.search.graphs import circulant, first_steps, paired
from knotwork_sim.search.improve import EVERYWHERE, Aim, improved, mixed

HOPS = Aim(is_load=False)


def searched(nodes, degree, swaps, *, base=None, aim=HOPS, seed=1):
    random = np.random.default_rng(seed)
    start = mixed(paired(nodes, degree), base or nodes, random)
    return start, improved(start, base or nodes, aim, swaps, random)


@pytest.mark.parametrize(
    ("nodes", "degree", "diameter", "mean"),
    [
        (10, 3, 2, 5 / 3),  # Petersen's graph
        (14, 3, 3, 27 / 13),  # Heawood's
        (20, 3, 3, 45 / 19),  # largest known of degree and diameter 3
        (15, 4, 2, 24 / 14),  # largest known of degree 4 and diameter 2
        (24, 5, 2, 41 / 23),  # largest known of degree 5 and diameter 2
    ],
)
def test_largest_known_graphs_are_found(nodes, degree, diameter, mean):
    best = min(
        (figures(searched(nodes, degree, 30_000, seed=seed)[1], EVERYWHERE) for seed in range(6)),
        key=lambda found: found.average_distance,
    )
    assert (best.diameter, best.average_distance) == (diameter, pytest.approx(mean))


def test_64_routers_of_degree_4_come_within_2_percent_of_the_bound():
    _, table = searched(64, 4, 150_000)
    least = bounds(64, 4, EVERYWHERE).average_distance
    assert least <= figures(table, EVERYWHERE).average_distance < 1.02 * least


def test_the_fullest_channel_is_lowered():
    start, table = searched(32, 3, 3000, base=8, aim=Aim(True))
    before, after = figures(start, EVERYWHERE), figures(table, EVERYWHERE)
    assert after.fullest_channel < 0.8 * before.fullest_channel
    assert after.fullest_channel >= bounds(32, 3, EVERYWHERE).fullest_channel


@pytest.mark.parametrize("is_load", [False, True])
def test_rates_pull_the_busiest_pairs_together(is_load):
    rates = np.full((16, 16), 0.001)
    rates[np.arange(16), (7 * np.arange(16) + 3) % 16] = 1.0
    rates *= 16 / rates.sum()
    start, table = searched(16, 3, 4000, aim=Aim(is_load, rates))
    before, after = figures(start, rates), figures(table, rates)
    which = "fullest_channel" if is_load else "average_distance"
    assert getattr(after, which) < 0.8 * getattr(before, which)


def test_the_same_seed_gives_the_same_graph():
    one, other, third = (searched(20, 4, 500, seed=seed)[1] for seed in (1, 1, 2))
    assert (one == other).all()
    assert (one != third).any()


def test_a_complete_graph_stays_as_it_is():
    table = circulant(6, first_steps(6, 5))
    random = np.random.default_rng(1)
    assert (mixed(table, 6, random) == table).all()
    assert (improved(table, 6, Aim(False), 100, random) == table).all()


def test_no_swaps_change_nothing():
    table = circulant(12, (1, 5))
    assert (improved(table, 12, Aim(False), 0, np.random.default_rng(1)) == table).all()
