"""Runs in which the switches choose, against runs served packet by packet."""

import random
from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from helpers.circuits import served_one_by_one
from helpers.networks import COMPLETE, TREES, every
from knotwork.routing.circuits import Engine
from knotwork.routing.scheduling.on_line import CHOICES, Expectation, on_line_cycles
from knotwork.routing.scheduling.rounds import lower_bound
from knotwork.topology import Baseline, FatTree, Kyklos, Lcan


def drained(topology, sources, destinations, serve):
    """Network cycles; ``serve(cycle, sources, destinations)`` says who wins."""
    left, cycle = list(zip(sources.tolist(), destinations.tolist(), strict=True)), 0
    while left:
        offered = {s: (s, t) for s, t in reversed(left)}
        tried = [offered[s] for s in sorted(offered)]
        won = serve(cycle, [s for s, _ in tried], [t for _, t in tried])
        for pair, (wins, _) in zip(tried, won, strict=True):
            if wins:
                left.remove(pair)
        cycle += 1
    return cycle


def messages(topology, seed):
    """Messages, some of one PE and to one PE."""
    rng = np.random.default_rng(seed)
    pes = np.arange(topology.nodes)
    extra = rng.integers(topology.nodes, size=topology.nodes // 2)
    return np.concatenate([pes, extra]), rng.integers(topology.nodes, size=len(pes) + len(extra))


KYKLOS = [Kyklos(k=2, levels=4), Kyklos(k=3, levels=2, copies=5), Kyklos(k=2, levels=3, copies=1)]


@pytest.mark.parametrize(
    "topology", [*COMPLETE, *TREES, *KYKLOS], ids=lambda topology: topology.instance_name
)
def test_runs_at_once_are_those_of_the_gates_one_by_one(topology):
    sources, destinations = messages(topology, 1)
    seeds = [1, 2, 3, 77]
    alone = [
        sum(1 for _ in Engine(topology, seed=seed).drain(sources, destinations)) for seed in seeds
    ]
    assert on_line_cycles(topology, sources, destinations, seeds).tolist() == alone
    for choice in set(CHOICES) - {"lfsr"} if topology in KYKLOS else ():
        cycles = on_line_cycles(topology, sources, destinations, seeds, choice=choice)
        assert (cycles >= lower_bound(topology, sources, destinations)).all()


@every
def test_round_robin_is_that_of_the_specification(topology):
    """Section 7.3: with b = cycle + w, the starts are b mod d, b mod u, (b + cycle div u) mod u."""

    def serve(cycle, sources, destinations):
        def starts(level, w):
            d, u, b = topology.downers[level], topology.uppers[level], cycle + w
            return b % d, b % u, (b + cycle // u) % u

        return served_one_by_one(topology, starts, sources, destinations)

    sources, destinations = messages(topology, 2)
    alone = drained(topology, sources, destinations, serve)
    runs = on_line_cycles(topology, sources, destinations, [1, 2], choice="round_robin")
    assert runs.tolist() == [alone, alone]


@pytest.mark.parametrize(
    "topology", [Baseline(levels=3), Lcan(d=4, u=2, levels=2)], ids=lambda one: one.instance_name
)
def test_headers_that_draw_by_themselves_take_as_long_as_one_by_one(topology):
    bits = random.Random(5)

    def serve(cycle, sources, destinations):
        def starts(level, w):
            return tuple(bits.randrange(64) for _ in range(3))

        known = {}
        words = {s: [bits.randrange(u) for u in topology.uppers] for s in sources}
        return served_one_by_one(
            topology,
            lambda level, w: known.setdefault((level, w), starts(level, w)),
            sources,
            destinations,
            words,
        )

    sources, destinations = messages(topology, 3)
    alone = [drained(topology, sources, destinations, serve) for _ in range(150)]
    runs = on_line_cycles(topology, sources, destinations, range(600), choice="independent")
    error = np.sqrt(np.var(alone) / 150 + np.var(runs) / 600)
    assert abs(np.mean(alone) - runs.mean()) <= 4 * error


def test_a_matching_gives_every_upper_to_every_header_alike():
    # One switch of level 0 sends three headers up; each meets its rival with probability 1 / 3.
    topology = Lcan(d=3, u=3, levels=2)
    sources, destinations = np.array([0, 3]), np.array([6, 6])
    runs = on_line_cycles(topology, sources, destinations, range(300), choice="matching")
    assert runs.tolist() == [2] * 300  # one PE gets both
    runs = on_line_cycles(topology, sources, np.array([6, 7]), range(3000), choice="matching")
    assert abs((runs == 2).mean() - 1 / 3) < 0.035


@pytest.mark.parametrize("choice", CHOICES)
def test_parts_of_the_runs_are_those_of_all(choice, monkeypatch):
    topology = Lcan(d=2, u=2, levels=3)
    sources, destinations = messages(topology, 4)
    whole = on_line_cycles(topology, sources, destinations, range(1, 9), choice=choice)
    monkeypatch.setattr("knotwork.routing.scheduling.on_line._AT_ONCE", 25)
    parts = on_line_cycles(topology, sources, destinations, range(1, 9), choice=choice)
    assert len(parts) == len(whole) == 8
    if choice in ("lfsr", "round_robin"):
        assert parts.tolist() == whole.tolist()


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
