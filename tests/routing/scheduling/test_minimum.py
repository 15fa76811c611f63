"""Fewest rounds of messages: the specification's examples, and all assignments tried."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.routing.scheduling.minimum import minimum_rounds
from knotwork.topology import Baseline, FatTree, Lcan


def found(topology, pairs):
    return minimum_rounds(topology, *np.array(pairs, np.int64).reshape(-1, 2).T)


def meet(topology, a, b):
    """Whether two messages with their words share a link, by the rule of section 6."""
    (s, t, k), (x, y, m) = a, b
    if s == x or t == y:
        return True
    return any(
        k[: i + 1] == m[: i + 1]
        and ((topology.prefix(s, i) == topology.prefix(x, i) and topology.lca_level(x, y) > i)
             or topology.prefix(t, i) == topology.prefix(y, i))
        for i in range(min(topology.lca_level(s, t), topology.lca_level(x, y)))
    )  # fmt: skip


def fewest(topology, pairs):
    """Fewest rounds, all words and rounds tried."""
    words = [product(*map(range, topology.uppers[: topology.lca_level(*pair)])) for pair in pairs]
    best = len(pairs)
    for chosen in product(*map(list, words)):
        told = [(*pair, word) for pair, word in zip(pairs, chosen, strict=True)]
        apart = [
            (a, b)
            for a, b in combinations(range(len(pairs)), 2)
            if meet(topology, told[a], told[b])
        ]
        for rounds in range(1, best):
            if any(
                all(slots[a] != slots[b] for a, b in apart)
                for slots in product(range(rounds), repeat=len(pairs))
            ):
                best = rounds
                break
    return best


@settings(max_examples=20)
@given(data=st.data())
@pytest.mark.parametrize("topology", [Lcan(d=3, u=2, levels=2), Baseline(levels=3)])
def test_the_search_finds_what_trying_all_finds(topology, data):
    pe = st.integers(0, topology.nodes - 1)
    pairs = data.draw(st.lists(st.tuples(pe, pe), min_size=1, max_size=4))
    assert found(topology, pairs) == fewest(topology, pairs)


SEVEN = [(0, 3), (12, 4), (9, 0), (10, 18), (1, 19), (18, 6), (19, 7)]


def test_the_binary_tree_of_section_9_4_takes_more_than_its_load():
    pairs = [(0, 1), (3, 1), (2, 0), (0, 3), (2, 3)]
    for topology in (Lcan(d=2, u=1, levels=2), Lcan(d=2, u=1, levels=2, interconnect="tree")):
        assert found(topology, pairs) == 3


@pytest.mark.parametrize(
    "topology",
    [Lcan(d=3, u=2, levels=2), Lcan(d=3, u=3, levels=2), Lcan(d=2, u=1, levels=3)],
    ids=lambda topology: topology.instance_name,
)
def test_the_conjecture_holds_where_section_9_5_says_so(topology):
    rng = np.random.default_rng(2)
    for _ in range(12):
        pairs = rng.integers(topology.nodes, size=(7, 2)).tolist()
        assert found(topology, pairs) == found(FatTree.equivalent(topology), pairs) is not None


def test_a_search_is_given_up(monkeypatch):
    monkeypatch.setattr("knotwork.routing.scheduling.minimum.CHOICE_LIMIT", 3)
    assert found(Lcan(d=3, u=2, levels=3), SEVEN) is None
    assert found(Lcan(d=3, u=2, levels=3), SEVEN[:1]) == 1
