import math

import numpy as np
import pytest
from helpers.circuits import network_cycles
from helpers.refusals import refuses
from knotwork.network import Network
from knotwork.topology import Lcan
from knotwork_sim.sweep.growth import Family, Fit, draw_permutation, fit_laws, measure, sweep

SMALL = "lcan:d=2,u=2,levels=2-5"


# Section 8.2, worst-case set: levels of (2, 2), mean of 100 samples.
MEANS = {2: 1.00, 3: 1.61, 4: 2.30, 5: 2.96}


def test_means_are_those_of_the_table():
    (swept,) = sweep([SMALL], permutation="worst", repeat=40, seed=5)
    assert [point.levels for point in swept.points] == list(MEANS)
    for point in swept.points:
        assert point.nodes == 2**point.levels
        assert point.min <= point.network_cycles <= point.max
        assert point.lower_bound == 1
        error = point.ci95 / 2.0227 * math.sqrt(1 + 40 / 100)  # t of 39; theirs are 100
        assert abs(point.network_cycles - MEANS[point.levels]) <= 4 * error + 0.005
    assert swept.points[0].ci95 == 0


def test_bounds_and_means_where_uppers_are_few():
    (swept,) = sweep(["lcan:d=4,u=2,levels=2-3"], permutation="worst", repeat=30)
    assert [point.lower_bound for point in swept.points] == [2, 4]
    for point, mean in zip(swept.points, (3.29, 7.29), strict=True):
        assert abs(point.network_cycles - mean) <= 4 * point.ci95 / 2.0452


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
    swept = sweep(networks, permutation="worst", repeat=24, choice=choice)
    for (point,), mean in zip((each.points for each in swept), RULES[choice], strict=True):
        error = point.ci95 / 2.0687 * math.sqrt(2)  # t of 23; theirs are 24 too
        assert abs(point.network_cycles - mean) <= 3.5 * error + 0.005


def test_copies_of_a_tree_share_a_permutation_s_load():
    # Digit 1 alone differs. In the tree, two messages leave each switch of level 0 by one link; in
    # the copy with the digits reversed, source and destination have a switch of level 0 in common.
    for copies, cycles in ((1, 2), (2, 1)):
        network = Network.from_word(f"kyklos:k=2,levels=2,copies={copies}")
        point = measure(network, "2,3,0,1", [1, 2])
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


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"choice": "dice"},
         "--choice must be one of lfsr, matching, round_robin, independent, not 'dice'"),
        ({"repeat": 1}, "--repeat must be at least 2, not 1"),
    ],
)  # fmt: skip
def test_what_is_no_sweep_is_refused(keys, line):
    with refuses(f"sweep: {line}"):
        sweep([SMALL], permutation="worst", **{"repeat": 2} | keys)


def test_statistics_of_a_point_are_those_of_its_runs():
    network = Network.from_word("lcan:d=4,u=2,levels=2,network_seed=7")
    point = measure(network, "random", range(3, 8))
    topology, seeds = Lcan(d=4, u=2, levels=2), range(3, 8)
    drawn = [np.random.default_rng(seed).permutation(16) for seed in seeds]
    cycles = [network_cycles(topology, p, seed=s + 6) for s, p in zip(seeds, drawn, strict=True)]
    mean = sum(cycles) / 5
    deviation = math.sqrt(sum((count - mean) ** 2 for count in cycles) / 4)
    assert point.network_cycles == pytest.approx(mean)
    assert point.ci95 == pytest.approx(2.7764 * deviation / math.sqrt(5))  # t of 4 degrees
    assert (point.min, point.max) == (min(cycles), max(cycles))
    assert 1 <= point.lower_bound <= 2
    assert deviation > 0


def test_identity_takes_one_cycle_and_both_laws_fit_it():
    (swept,) = sweep(["lcan:levels=4-6,d=2,u=2"], permutation="identity", repeat=2)
    assert [point.network_cycles for point in swept.points] == [1, 1, 1]
    assert [fit.r2 for fit in swept.fits] == [1, 1]
    assert swept.fits[0].second == pytest.approx(0)


def test_a_listed_permutation_is_taken_as_it_is():
    network = Network.from_word("lcan:d=2,u=2,levels=2")
    assert draw_permutation(network, "3,2,1,0", 9).tolist() == [3, 2, 1, 0]


def test_a_range_names_a_network_per_value():
    family = Family.from_word("lcan:d=4,levels=2-4,u=2")
    assert [network.topology.levels for network in family.networks] == [2, 3, 4]
    assert family.label == "lcan d=4, u=2"
    assert family.parameters["levels"] == "2-4"
    assert family.parameters["d"] == 4
    alone = Family.from_word("fattree:r=4,4,u=2,2")
    assert alone.label == "fattree r=4, 4, u=2, 2"
    assert [network.topology.nodes for network in alone.networks] == [16]


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("lcan:d=2,u=2,levels=5-3",
         "levels must be a range FIRST-LAST that is not empty, not 5-3"),
        ("lcan:d=2-3,u=2,levels=2-3",
         "one key must be a range, not d=2-3 and levels=2-3"),
        ("lcan:d=2,u=2,levels=2,max_packet=2-3",
         "a key with a range must be one of d, u, levels, interconnect, not 'max_packet'"),
    ],
)  # fmt: skip
def test_what_is_no_family_is_refused(word, complaint):
    with refuses(f"sweep: {complaint}"):
        Family.from_word(word)


def test_exact_laws_are_found():
    sizes = [4, 8, 16, 32, 64, 128]
    noise = [50.0, 70.0]  # too small to count
    log, power = fit_laws(sizes, noise + [0.25 + 0.5 * math.log2(n) for n in sizes[2:]])
    assert (log.law, power.law) == ("log", "power")
    assert (log.first, log.second, log.r2) == pytest.approx((0.25, 0.5, 1))
    assert 0.9 < power.r2 < 0.9999
    power, log = fit_laws(sizes, noise + [0.75 * n**0.5 for n in sizes[2:]])
    assert (power.law, log.law) == ("power", "log")
    assert (power.first, power.second, power.r2) == pytest.approx((0.75, 0.5, 1))
    assert log.r2 < 0.99
    assert power.at(np.array([256])) == pytest.approx([12])
    assert log.at(np.array([1])) == pytest.approx([log.first])


def test_a_fit_is_that_of_the_measured_table():
    # Section 8.2: (2, 2), (4, 4) and (4, 2), rounded means, and the fits that it gives.
    sizes = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
    log = fit_laws(sizes, [2.30, 2.96, 3.52, 4.11, 4.62, 5.09, 5.84, 6.33, 6.83])[0]
    assert (log.law, round(log.r2, 4)) == ("log", 0.9985)
    assert log[1:3] == (pytest.approx(0.11, abs=0.006), pytest.approx(0.565, abs=0.001))
    sizes = [16, 64, 256, 1024, 4096]
    log = fit_laws(sizes, [2.07, 3.16, 4.10, 5.03, 6.08])[0]
    assert (log.law, round(log.r2, 4)) == ("log", 0.9992)
    assert log[1:3] == (pytest.approx(0.13, abs=0.006), pytest.approx(0.495, abs=0.001))
    power = fit_laws(sizes, [3.29, 7.29, 14.4, 28.2, 55.5])[0]
    assert power.law == "power"
    assert power[1:3] == (pytest.approx(0.85, abs=0.006), pytest.approx(0.505, abs=0.001))


def test_two_sizes_are_no_fit():
    assert fit_laws([8, 16, 32], [1, 2, 3]) == ()
    assert fit_laws([16, 16, 16], [1, 2, 3]) == ()
    assert len(fit_laws([16, 32, 64], [1, 2, 3])) == 2


def test_formulas():
    assert Fit("log", -1.234, -0.5, 1.0).formula == "-1.23 - 0.500 log2 N"
    assert Fit("power", 0.5, 0.25, 1.0).as_json() == {"c": 0.5, "e": 0.25, "r2": 1.0}
