"""Expected network cycles: the specification's, and those of runs served packet by packet."""

import random
from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from helpers.circuits import served_one_by_one
from knotwork.routing.scheduling.expectation import Expectation
from knotwork.topology import Baseline, FatTree, Lcan

EIGHT = Baseline(levels=3)
PES = np.arange(8)


SETS = [
    (EIGHT, [(0, 1), (1, 0), (2, 7), (3, 7), (6, 2), (6, 3), (7, 1)]),
    (Lcan(d=4, u=2, levels=2), [(0, 5), (1, 9), (2, 13), (3, 4), (3, 1), (5, 8), (9, 8)]),
    (Lcan(d=4, u=2, levels=2, interconnect="tree"), [(0, 4), (1, 5), (2, 4), (3, 0), (6, 1)]),
    (Lcan(d=3, u=1, levels=3), [(0, 9), (1, 18), (2, 3), (4, 1), (9, 0), (10, 1)]),
    (Lcan(d=3, u=3, levels=2), [(0, 8), (1, 7), (2, 6), (3, 8), (4, 1), (5, 0), (8, 7)]),
    (FatTree(r=(3, 2, 2), u=(2, 2, 1)), [(0, 6), (1, 7), (2, 6), (3, 0), (6, 2)]),
]


def one_by_one(topology, pairs, bits):
    """Network cycles of a run with ideal bits, packet by packet."""
    left, cycles = list(pairs), 0
    while left:
        known = {}

        def starts(level, w, known=known):
            ranges = topology.downers[level], topology.uppers[level], topology.uppers[level]
            drawn = tuple(bits.randrange(most) for most in ranges)
            return known.setdefault((level, w), drawn)

        offered = {s: (s, t) for s, t in reversed(left)}
        tried = [offered[s] for s in sorted(offered)]
        won = served_one_by_one(topology, starts, *map(list, zip(*tried, strict=True)))
        for pair, (wins, _) in zip(tried, won, strict=True):
            if wins:
                left.remove(pair)
        cycles += 1
    return cycles


@pytest.mark.parametrize(("topology", "pairs"), SETS, ids=lambda v: getattr(v, "instance_name", ""))
def test_probabilities_are_those_of_runs_one_by_one(topology, pairs):
    sources, destinations = np.array(pairs).T
    chances = Expectation(topology).distribution(sources, destinations)
    assert sum(chances.values()) == 1
    bits, runs = random.Random(8), 600
    counted = Counter(one_by_one(topology, pairs, bits) for _ in range(runs))
    assert set(counted) <= set(chances)
    for count, chance in chances.items():
        error = (float(chance * (1 - chance)) / runs) ** 0.5
        assert abs(counted[count] / runs - chance) <= 4.5 * error


def test_sets_of_one_cycle_and_of_none():
    known = Expectation(EIGHT)
    assert known.distribution(PES, PES) == {1: 1}
    nobody = np.zeros(0, np.int64)
    assert known.distribution(nobody, nobody) == {0: 1}
    assert known.cycles(np.array([1, 1, 1]), np.array([2, 2, 3])) == 3


def test_too_many_outcomes_are_refused(refused):
    topology = Baseline(levels=5)
    pes = np.arange(32)
    assert refused(lambda: Expectation(topology).cycles(pes, pes[::-1])) == (
        "baseline_levels5: outcomes of a network cycle must be at most 65536 to be enumerated, "
        "not 131072 or more"
    )


@pytest.mark.slow
def test_the_mean_of_the_worst_case_set_is_14_ninths():
    """The halves exchange their packets in any order."""
    known = Expectation(EIGHT)
    orders = product(permutations(range(4, 8)), permutations(range(4)))
    found = Counter(known.cycles(PES, np.array([*left, *right])) for left, right in orders)
    assert found == {Fraction(1): 64, Fraction(3, 2): 256, Fraction(7, 4): 256}
    assert sum(value * count for value, count in found.items()) / 576 == Fraction(14, 9)
