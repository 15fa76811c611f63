from itertools import permutations, product
from math import ceil
from time import perf_counter

import numpy as np
import pytest
from helpers.ancestors import every
from hypothesis import given
from hypothesis import strategies as st
from knotwork.routing.circuits import Engine
from knotwork.routing.scheduling.permutations import worst_permutation
from knotwork.routing.scheduling.replay import check_rounds
from knotwork.routing.scheduling.rounds import (
    Round,
    level_schedule,
    load_factor,
    lower_bound,
    schedule,
    words_of,
)
from knotwork.topology import Baseline, Cm5, FatTree, Lcan


def meet(topology, round_):
    """Whether any two circuits share a link, by the rule of section 6 (complete networks)."""
    used = set()
    for s, t, word in zip(*(part.tolist() for part in round_), strict=True):
        links = [("out", s), ("in", t)]
        for i in range(topology.lca_level(s, t)):
            links.append(("up", i, topology.prefix(s, i), *word[: i + 1]))
            links.append(("down", i, topology.prefix(t, i), *word[: i + 1]))
        if used & set(links):
            return True
        used |= set(links)
    return False


def assert_delivers(topology, sources, destinations, rounds):
    """All messages are there once; each round is free of conflicts, and loses nothing on line."""
    told = sorted(zip(sources.tolist(), destinations.tolist(), strict=True))
    found = [
        pair
        for messages in rounds
        for pair in zip(messages.sources.tolist(), messages.destinations.tolist(), strict=True)
    ]
    assert sorted(found) == told
    check_rounds(topology, rounds)
    engine = Engine(topology, seed=9)
    for messages in rounds:
        assert len(messages.sources)
        assert engine.cycle(*messages).won.all()
        if not topology.is_tree:
            assert not meet(topology, messages)


def loads_by_count(topology, sources, destinations):
    """Load factor counted message by message."""
    loads = {}
    for s, t in zip(sources.tolist(), destinations.tolist(), strict=True):
        top = topology.lca_level(s, t)
        for level in range(-1, top):
            capacity = topology.capacities[level] if level >= 0 else 1
            for key in (
                ("up", level, topology.prefix(s, level)),
                ("down", level, topology.prefix(t, level)),
            ):
                loads[key] = loads.get(key, 0) + 1 / capacity
    return max(loads.values(), default=0)


@every
@given(data=st.data())
def test_any_messages_are_delivered_within_the_bounds(topology, data):
    pe = st.integers(0, topology.nodes - 1)
    pairs = data.draw(st.lists(st.tuples(pe, pe), max_size=40))
    sources, destinations = np.array(pairs, np.int64).reshape(-1, 2).T
    rounds = schedule(topology, sources, destinations)
    assert_delivers(topology, sources, destinations, rounds)
    bound = loads_by_count(topology, sources, destinations)
    assert float(load_factor(topology, sources, destinations)) == pytest.approx(bound)
    assert lower_bound(topology, sources, destinations) == ceil(bound - 1e-9)
    level_of = topology.lca_level(sources, destinations)
    blocks = [
        ceil(loads_by_count(topology, sources[level_of == i], destinations[level_of == i]) - 1e-9)
        for i in range(topology.levels)
    ]
    assert ceil(bound - 1e-9) <= len(rounds) <= sum(blocks)


REARRANGEABLE = [
    Baseline(levels=4),
    Baseline(levels=8),
    Lcan(d=3, u=3, levels=4),
    Lcan(d=2, u=3, levels=5),
    Lcan(d=4, u=4, levels=4),
    Lcan(d=5, u=7, levels=3),
    Cm5(levels=3, u=(4, 5, 1)),
    FatTree(r=(2, 3, 2), u=(2, 6, 1)),
    Lcan(d=6, u=2, levels=1),
]
rearrangeable = pytest.mark.parametrize(
    "topology", REARRANGEABLE, ids=lambda topology: topology.instance_name
)


@rearrangeable
def test_a_permutation_takes_one_round_where_uppers_suffice(topology):
    rng = np.random.default_rng(5)
    pes = np.arange(topology.nodes)
    for _ in range(5):
        destinations = rng.permutation(pes)
        rounds = schedule(topology, pes, destinations)
        assert len(rounds) == 1
        assert_delivers(topology, pes, destinations, rounds)


@rearrangeable
@pytest.mark.parametrize("most", [2, 3, 5])
def test_any_messages_take_as_many_rounds_as_a_pe_has(topology, most):
    rng = np.random.default_rng(6)
    pes = np.arange(topology.nodes)
    sources = np.concatenate([pes] * most)
    destinations = np.concatenate([rng.permutation(pes) for _ in range(most)])
    some = rng.random(len(sources)) < 0.8
    sources, destinations = sources[some], destinations[some]
    most = max(np.bincount(sources).max(), np.bincount(destinations).max())
    rounds = schedule(topology, sources, destinations)
    assert len(rounds) == most
    assert_delivers(topology, sources, destinations, rounds)


def uses(topology, sources, destinations, words, slots):
    """How often each link of each slot is used most, by the rule of section 6, as arrays."""
    most, number = 0, np.zeros(len(sources), np.int64)
    for level in range(topology.levels - 1):
        going = topology.lca_level(sources, destinations) > level
        assert ((words[:, level] >= 0) == going).all()
        assert (words[:, level] < topology.uppers[level]).all()
        number = number * topology.uppers[level] + words[:, level]
        for ends in (sources, destinations):
            node = slots * topology.nodes + topology.prefix(ends, level)
            link = (node * topology.capacities[level] + number)[going]
            most = max(most, np.unique(link, return_counts=True)[1].max(initial=0))
    return most


def one_round_each(topology, destinations):
    """Whether every permutation of an array of them fits into one round."""
    slots, sources = np.indices(destinations.shape).reshape(2, -1)
    words = words_of(topology, sources, destinations.ravel(), slots)
    return uses(topology, sources, destinations.ravel(), words, slots) == 1


def test_all_permutations_of_four_and_of_eight_take_one_round():
    for levels in (2, 3):
        every = np.array(list(permutations(range(2**levels))))
        assert len(every) == {2: 24, 3: 40320}[levels]
        assert one_round_each(Baseline(levels=levels), every)


def test_a_thousand_permutations_of_1024_take_one_round():
    topology = Baseline(levels=10)
    rng = np.random.default_rng(7)
    pes = np.arange(1024)
    begin = perf_counter()
    rounds = schedule(topology, pes, rng.permutation(1024))
    assert perf_counter() - begin < 1
    assert_delivers(topology, pes, np.concatenate([r.destinations for r in rounds]), rounds)
    assert len(rounds) == 1
    for _ in range(20):
        assert one_round_each(topology, np.array([rng.permutation(1024) for _ in range(50)]))


def test_a_link_used_twice_is_seen():
    topology = Baseline(levels=3)
    sources, destinations = np.array([0, 1]), np.array([2, 3])
    same, other = np.array([[1, -1], [1, -1]]), np.array([[1, -1], [0, -1]])
    slots = np.zeros(2, np.int64)
    assert uses(topology, sources, destinations, same, slots) == 2
    assert uses(topology, sources, destinations, other, slots) == 1
    assert meet(topology, Round(sources, destinations, same))
    assert not meet(topology, Round(sources, destinations, other))


@every
@pytest.mark.parametrize("most", [1, 3])
def test_one_lca_level_takes_what_the_loads_ask_for(topology, most):
    rng = np.random.default_rng(8)
    every_pair = np.indices((topology.nodes, topology.nodes)).reshape(2, -1)
    level_of = topology.lca_level(*every_pair)
    for level in range(topology.levels):
        pairs = every_pair[:, level_of == level]
        for _ in range(5):
            picked = rng.integers(0, pairs.shape[1], most * topology.nodes)
            sources, destinations = pairs[:, picked]
            bound = ceil(loads_by_count(topology, sources, destinations) - 1e-9)
            slots, words = level_schedule(topology, sources, destinations, level)
            assert slots.max() + 1 == bound
            rounds = schedule(topology, sources, destinations)
            assert len(rounds) == bound
            assert_delivers(topology, sources, destinations, rounds)
            if not topology.is_tree:
                assert uses(topology, sources, destinations, words, slots) <= 1


# Section 9.4: (d, u), levels, rounds of the worst-case set (ceil = achieved).
WORST = [
    (4, 2, 3, 4),
    (4, 2, 4, 8),
    (3, 2, 3, 3),
    (3, 2, 4, 4),
    (4, 3, 3, 2),
    (5, 3, 3, 3),
    (4, 1, 3, 16),
]


@pytest.mark.parametrize(("d", "u", "levels", "rounds"), WORST)
def test_the_worst_case_set_takes_what_the_loads_ask_for(d, u, levels, rounds):
    topology = Lcan(d=d, u=u, levels=levels)
    pes = np.arange(topology.nodes)
    destinations = worst_permutation(topology, np.random.default_rng(1))
    assert lower_bound(topology, pes, destinations) == rounds
    found = schedule(topology, pes, destinations)
    assert len(found) == rounds
    assert_delivers(topology, pes, destinations, found)


# Section 9.4: (d, u), levels, and the best mean of its three ways over random permutations.
MIXED = [
    (4, 2, 3, 4.0),
    (4, 2, 4, 7.0),
    (3, 2, 3, 2.5),
    (3, 2, 4, 3.5),
    (4, 3, 3, 2.25),
    (5, 3, 3, 3.0),
    (4, 1, 3, 14.0),
]


@pytest.mark.parametrize(("d", "u", "levels", "mean"), MIXED)
def test_random_permutations_take_no_more_than_the_reference(d, u, levels, mean):
    topology = Lcan(d=d, u=u, levels=levels)
    rng = np.random.default_rng(2)
    pes = np.arange(topology.nodes)
    rounds = []
    for _ in range(12):
        destinations = rng.permutation(pes)
        found = schedule(topology, pes, destinations)
        assert_delivers(topology, pes, destinations, found)
        rounds.append(len(found))
    # The reference is a mean of four, each a whole number.
    assert np.mean(rounds) <= mean + 0.5


def test_a_binary_tree_that_takes_more_than_its_loads_ask_for():  # section 9.4
    topology = Lcan(d=2, u=1, levels=2)
    sources, destinations = np.array([0, 3, 2, 0, 2]), np.array([1, 1, 0, 3, 3])
    assert lower_bound(topology, sources, destinations) == 2
    found = schedule(topology, sources, destinations)
    assert len(found) == 3
    assert_delivers(topology, sources, destinations, found)
    word = np.zeros((5, 1), np.int64)
    for chosen in product((0, 1), repeat=5):  # no two rounds will do
        slots = np.array(chosen)
        parts = [slots == slot for slot in (0, 1)]
        rounds = [Round(sources[own], destinations[own], word[own]) for own in parts]
        assert any(meet(topology, round_) for round_ in rounds)


# Section 9.5: a complete network needs more rounds than the fat-tree of its capacities.
SEVEN = [(0, 3), (12, 4), (9, 0), (10, 18), (1, 19), (18, 6), (19, 7)]
WHOLE = "3 19 1 11 5 2 25 8 10 0 18 9 4 14 13 16 17 15 6 7 20 23 12 22 24 26 21"


def assignments_that_fit(topology, pairs):
    """How many of all assignments of words keep the circuits apart, by the rule of section 6."""
    tops = [topology.lca_level(s, t) for s, t in pairs]
    spread = np.array(list(product(*[range(topology.uppers[0])] * sum(tops))))
    words = np.split(spread, np.cumsum(tops)[:-1], axis=1)
    fits = np.ones(len(spread), bool)
    for a, b in product(range(len(pairs)), repeat=2):
        if a >= b:
            continue
        same = np.ones(len(spread), bool)
        for level in range(min(tops[a], tops[b])):
            same = same & (words[a][:, level] == words[b][:, level])
            ends = zip(pairs[a], pairs[b], strict=True)
            if any(topology.prefix(x, level) == topology.prefix(y, level) for x, y in ends):
                fits &= ~same
    return len(spread), int(fits.sum())


def test_counterexample_to_the_equal_fat_tree():
    topology = Lcan(d=3, u=2, levels=3)
    fat = FatTree(r=topology.radices, u=topology.capacities)
    sources, destinations = np.array(SEVEN).T
    assert load_factor(topology, sources, destinations) == 1
    assert assignments_that_fit(topology, SEVEN) == (8192, 0)
    assert assignments_that_fit(topology, SEVEN[1:])[1] > 0  # with one less it can be done
    assert len(schedule(fat, sources, destinations)) == 1
    found = schedule(topology, sources, destinations)
    assert len(found) == 2
    assert_delivers(topology, sources, destinations, found)


def test_a_permutation_with_the_counterexample_in_it():
    topology = Lcan(d=3, u=2, levels=3)
    fat = FatTree(r=topology.radices, u=topology.capacities)
    sources, destinations = np.arange(27), np.array(WHOLE.split(), np.int64)
    assert all(destinations[s] == t for s, t in SEVEN)
    assert sorted(destinations.tolist()) == list(range(27))
    assert load_factor(topology, sources, destinations) == 1
    assert len(schedule(fat, sources, destinations)) == 1
    found = schedule(topology, sources, destinations)
    assert len(found) == 2
    assert_delivers(topology, sources, destinations, found)
