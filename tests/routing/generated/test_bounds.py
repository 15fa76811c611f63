"""Least number of classes: known ones, and all assignments tried where there are few."""

from itertools import combinations, permutations

import numpy as np
import pytest
import rustworkx as rx
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.routing.generated import bounds
from knotwork.routing.generated.bounds import least_classes, prefixes_of


def as_array(paths):
    longest = max(map(len, paths))
    return np.array([[*path, *[-1] * (longest - len(path))] for path in paths], np.int32)


def ring(size, hops):
    """Paths of so many hops along links 0..size - 1 of a ring one way, from each."""
    return as_array([[(start + hop) % size for hop in range(hops)] for start in range(size)])


def rises(path, place):
    """Whether a path can take copies in rising order."""
    now = -1
    for link in path:
        above = [at for at in place[link] if at > now]
        if not above:
            return False
        now = min(above)
    return True


def enough(paths, classes):
    """Whether so many copies of each link can be put in an order, by trying all of them."""
    links = sorted({link for path in paths for link in path})
    copies = [link for link in links for _ in range(classes)]
    for order in set(permutations(copies)):
        place = {link: [at for at, other in enumerate(order) if other == link] for link in links}
        if all(rises(path, place) for path in paths):
            return True
    return False


def test_paths_that_make_no_ring_need_one_class():
    found = least_classes(as_array([[0, 1, 2], [1, 2, 3], [0, 3]]), 4)
    assert (found.low, found.high) == (1, 1)
    assert np.diff(found.rank[:4, 0]).min() > 0


@pytest.mark.parametrize(("size", "hops", "classes"), [(4, 2, 2), (6, 5, 2), (3, 3, 2), (2, 4, 3)])
def test_rings_need_what_is_known_of_them(size, hops, classes):
    """Going round once more needs one more."""
    found = least_classes(ring(size, hops), 6)
    assert (found.low, found.high) == (classes, classes)
    place = {link: sorted(found.rank[link].tolist()) for link in range(size)}
    assert all(rises(path.tolist(), place) for path in ring(size, hops))


@settings(max_examples=25, deadline=None)
@given(paths=st.lists(st.permutations(range(4)).map(lambda p: p[:3]), min_size=2, max_size=9))
def test_as_many_as_trying_all_orders_finds(paths):
    found = least_classes(as_array(paths), 3)
    known = next(classes for classes in (1, 2, 3) if classes == 3 or enough(paths, classes))
    assert (found.low, found.high) == (known, known)


def test_two_classes_may_not_be_enough():
    """All orders of three links: no order of two copies of each holds them all."""
    paths = list(permutations(range(3)))
    assert not enough(paths, 2)
    assert least_classes(as_array(paths), 3).low == 3


def test_given_up_it_tells_a_bound(monkeypatch):
    monkeypatch.setattr(bounds, "CONFLICTS", 0)
    paths = as_array(list(permutations(range(5))))
    found = least_classes(paths, 5)
    assert (found.low, found.high, found.rank) == (2, 5, None)


def test_beginnings_are_there_once():
    prefixes = prefixes_of(as_array([[0, 1, 2], [0, 1], [0, 2], [1]]))
    assert len(prefixes.link) == 5
    trie = rx.PyDiGraph()
    trie.add_nodes_from(range(5))
    joined = [(b, p) for p, b in enumerate(prefixes.before.tolist()) if b >= 0]
    trie.add_edges_from_no_data(joined)
    assert rx.is_directed_acyclic_graph(trie)
    assert sorted(prefixes.link[prefixes.before < 0].tolist()) == [0, 1]
    assert len(set(joined)) == len(joined) == 3
    assert all(a != b for a, b in combinations(joined, 2))
