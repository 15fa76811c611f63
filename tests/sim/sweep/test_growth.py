import math

import numpy as np
import pytest
from helpers.circuits import network_cycles
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.topology import Lcan
from knotwork_sim.sweep.growth import draw_permutation, measure, sweep

SMALL = "lcan:d=2,u=2,levels=2-5"


# Section 8.2, worst-case set: levels of (2, 2), mean of 100 samples.
MEANS = {2: 1.00, 3: 1.61, 4: 2.30, 5: 2.96}


def test_means_are_those_of_the_table():
    (swept,) = sweep([SMALL], permutation="worst", repeat=100, seed=5)
    assert [point.levels for point in swept.points] == list(MEANS)
    for point in swept.points:
        assert point.nodes == 2**point.levels
        assert point.min <= point.network_cycles <= point.max
        assert point.lower_bound == 1
        error = point.ci95 / 1.96 * math.sqrt(2)  # theirs are as many
        assert abs(point.network_cycles - MEANS[point.levels]) <= 4 * error + 0.005
    assert swept.points[0].ci95 == 0


def test_bounds_and_means_where_uppers_are_few():
    (swept,) = sweep(["lcan:d=4,u=2,levels=2-3"], permutation="worst", repeat=30)
    assert [point.lower_bound for point in swept.points] == [2, 4]
    for point, mean in zip(swept.points, (3.29, 7.29), strict=True):
        assert abs(point.network_cycles - mean) <= 4 * point.ci95 / 1.96


# Section 8.3: worst-case set of 256 PEs, 24 runs; (2, 2) and (4, 4).
RULES = {
    "lfsr": (4.79, 4.12),
    "matching": (4.67, 4.21),
    "round_robin": (6.58, 5.75),
    "independent": (6.71, 5.92),
}


@pytest.mark.parametrize("choice", RULES)
def test_rules_of_choice_are_as_good_as_the_table_says(choice):
    networks = ["lcan:d=2,u=2,levels=8", "lcan:d=4,u=4,levels=4"]
    swept = sweep(networks, permutation="worst", repeat=36, choice=choice)
    for (point,), mean in zip((each.points for each in swept), RULES[choice], strict=True):
        error = point.ci95 / 1.96 * math.sqrt(1 + 36 / 24)  # theirs are 24
        assert abs(point.network_cycles - mean) <= 3.5 * error + 0.005


def test_copies_of_a_tree_share_a_permutation_s_load():
    # Digit 1 alone differs. In the tree, two messages leave each switch of level 0 by one link; in
    # the copy with the digits reversed, source and destination have a switch of level 0 in common.
    for copies, cycles in ((1, 2), (2, 1)):
        point = measure(
            Network.from_word(f"kyklos:k=2,levels=2,copies={copies}"), "2,3,0,1", [1, 2]
        )
        assert (point.lower_bound, point.network_cycles) == (cycles, cycles)
    # Both digits differ: over both copies the pairs meet on level 1, and all take the first copy.
    point = measure(Network.from_word("kyklos:k=2,levels=2"), "complement", [1, 2])
    assert (point.lower_bound, point.network_cycles) == (2, 2)


def test_random_routing_is_no_permutation_and_bounded_by_the_busiest_node():
    network = Network.from_word("lcan:d=2,u=2,levels=6")
    drawn = [draw_permutation(network, "random_routing", seed) for seed in range(20)]
    busiest = [int(np.bincount(destinations).max()) for destinations in drawn]
    assert min(busiest) > 1
    point = measure(network, "random_routing", range(20))
    assert point.lower_bound == np.mean(busiest)  # no link is loaded more where d = u
    assert point.lower_bound <= point.network_cycles <= point.lower_bound + 3


def test_an_unknown_rule_of_choice_is_refused():
    with pytest.raises(ConfigurationError) as caught:
        sweep([SMALL], permutation="worst", repeat=2, choice="dice")
    assert str(caught.value) == (
        "sweep: --choice must be one of lfsr, matching, round_robin, independent, not 'dice'"
    )


def test_statistics_of_a_point_are_those_of_its_runs():
    network = Network.from_word("lcan:d=4,u=2,levels=2,network_seed=7")
    point = measure(network, "random", range(3, 8))
    cycles = [
        network_cycles(
            Lcan(d=4, u=2, levels=2), np.random.default_rng(seed).permutation(16), seed=seed + 6
        )
        for seed in range(3, 8)
    ]
    mean = sum(cycles) / 5
    deviation = math.sqrt(sum((count - mean) ** 2 for count in cycles) / 4)
    assert point.network_cycles == pytest.approx(mean)
    assert point.ci95 == pytest.approx(1.96 * deviation / math.sqrt(5))
    assert (point.min, point.max) == (min(cycles), max(cycles))
    assert 1 <= point.lower_bound <= 2
    assert deviation > 0


def test_identity_takes_one_cycle_and_both_laws_fit_it():
    (swept,) = sweep(["lcan:levels=4-6,d=2,u=2"], permutation="identity", repeat=2)
    assert [point.network_cycles for point in swept.points] == [1, 1, 1]
    assert [fit.r2 for fit in swept.fits] == [1, 1]
    assert swept.fits[0].second == pytest.approx(0)


def test_once_is_refused():
    with pytest.raises(ConfigurationError, match=r"^sweep: --repeat must be at least 2, not 1$"):
        sweep([SMALL], permutation="worst", repeat=1)


def test_a_listed_permutation_is_taken_as_it_is():
    network = Network.from_word("lcan:d=2,u=2,levels=2")
    assert draw_permutation(network, "3,2,1,0", 9).tolist() == [3, 2, 1, 0]
