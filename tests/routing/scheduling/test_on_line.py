"""Runs in which the switches choose, against runs served packet by packet."""

import random

import numpy as np
import pytest
from helpers.ancestors import COMPLETE, TREES, every
from helpers.circuits import served_one_by_one
from knotwork.routing.circuits import Engine
from knotwork.routing.scheduling.on_line import CHOICES, on_line_cycles
from knotwork.routing.scheduling.rounds import lower_bound
from knotwork.topology import Baseline, Kyklos, Lcan


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
