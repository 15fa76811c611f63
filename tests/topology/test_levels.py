"""Sizes, numbers and wiring, against searches of the graph that the wiring makes."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from helpers.networks import every
from hypothesis import assume, given
from hypothesis import strategies as st
from knotwork.topology import Baseline, Lcan, metrics


def ups(topology, router):
    """Routers behind the uppers of a router, one for each wire."""
    near = topology.neighbours[router, topology.up_port(0) :]
    return near[near >= 0].tolist()


def above(topology, node):
    """Routers that a PE reaches by going up, by level."""
    reached = [{topology.router_of(node)}]
    for _ in range(topology.levels - 1):
        reached.append({far for router in reached[-1] for far in ups(topology, router)})
    return reached


@every
def test_uppers_and_downers_are_joined_one_to_one_by_numbers_and_arrays(topology):
    for level in range(topology.levels - 1):
        uppers = list(product(range(topology.level_sizes[level]), range(topology.uppers[level])))
        joined = [topology.up(level, w, k) for w, k in uppers]
        downers = product(
            range(topology.level_sizes[level + 1]), range(topology.downers[level + 1])
        )
        assert sorted(joined) == list(downers)
        assert [topology.down(level + 1, *downer) for downer in joined] == uppers
    leaves = product(range(topology.level_sizes[0]), range(topology.downers[0]))
    assert sorted(topology.down(0, *leaf)[0] for leaf in leaves) == list(range(topology.nodes))
    for level in range(topology.levels):
        w = np.arange(topology.level_sizes[level])[:, None]
        c = np.arange(topology.downers[level])
        far, port = np.broadcast_arrays(*topology.down(level, w, c))
        assert [topology.down(level, *place) for place in np.ndindex(far.shape)] == list(
            zip(far.ravel().tolist(), port.ravel().tolist(), strict=True)
        )
    s, t = np.indices((topology.nodes, topology.nodes))
    levels = topology.lca_level(s, t)
    picked = np.random.default_rng(1).integers(0, topology.nodes, (30, 2)).tolist()
    assert all(levels[a, b] == topology.lca_level(a, b) for a, b in picked)


@given(
    d=st.integers(2, 6),
    u=st.integers(1, 6),
    levels=st.integers(1, 4),
    interconnect=st.sampled_from(["complete", "tree"]),
)
def test_level_sizes_of_equal_switches(d, u, levels, interconnect):
    tree = interconnect == "tree"
    assume(not tree or levels == 1 or (d % u == 0 and u < d))
    topology = Lcan(d=d, u=u, levels=levels, interconnect=interconnect)
    nodes = Fraction(d**levels, u ** (levels - 1) if tree else 1)
    assert topology.nodes == nodes
    expected = [nodes / d * Fraction(u, d) ** level for level in range(levels)]
    assert list(topology.level_sizes) == expected
    assert topology.downers == (d,) * levels
    assert topology.uppers == (u,) * levels
    assert topology.routers == sum(expected)


def test_numbers_and_wiring_by_hand():
    tree = Lcan(d=4, u=2, levels=3, interconnect="tree")
    assert (tree.radices, tree.wires) == ((4, 2, 2), (1, 2, 2))
    assert (tree.level_sizes, tree.first_switch) == ((4, 2, 1), (0, 4, 6))
    assert (tree.spans, tree.breadths, tree.capacities) == ((4, 8, 16), (1, 1, 1), (2, 2, 2))
    assert [tree.up(0, 3, k) for k in (0, 1)] == [(1, 2), (1, 3)]
    topology = Baseline(levels=3)
    wiring = [[[topology.up(i, w, k) for k in (0, 1)] for w in range(4)] for i in (0, 1)]
    assert wiring == [  # section 7.4
        [[(0, 0), (1, 0)], [(0, 1), (1, 1)], [(2, 0), (3, 0)], [(2, 1), (3, 1)]],
        [[(0, 0), (1, 0)], [(2, 0), (3, 0)], [(0, 1), (1, 1)], [(2, 1), (3, 1)]],
    ]
    long = [(0, 0), (1, 0), (2, 0), (1, 2), (0, 2), (1, 3), (2, 2), (1, 1), (0, 1)]
    way = tuple(topology.first_switch[level] + w for level, w in long)
    assert way in switch_paths(topology, 0, 2, turns_up=True)
    assert way not in switch_paths(topology, 0, 2, turns_up=False)


@every
def test_switches_have_levels_and_numbers_and_are_reached_by_prefix(topology):
    routers = [(i, w) for i, size in enumerate(topology.level_sizes) for w in range(size)]
    assert len(routers) == topology.routers
    for router, (level, w) in enumerate(routers):
        assert topology.level_of(router) == level
        assert topology.first_switch[level] + w == router
    assert topology.level_of(np.arange(topology.routers)).tolist() == [i for i, _ in routers]
    for node in range(topology.nodes):
        for level, routers in enumerate(above(topology, node)):
            assert len(routers) == topology.breadths[level]
            first = topology.first_switch[level]
            prefixes = {(router - first) // topology.breadths[level] for router in routers}
            assert prefixes == {topology.prefix(node, level)}


@every
def test_lca_level_and_lca_switches_of_all_pairs(topology):
    reached = [above(topology, node) for node in range(topology.nodes)]
    counts = np.zeros(topology.levels, int)
    for s, t in product(range(topology.nodes), repeat=2):
        common = [a & b for a, b in zip(reached[s], reached[t], strict=True)]
        level = topology.lca_level(s, t)
        assert [bool(routers) for routers in common].index(True) == level
        assert len(common[level]) == topology.breadths[level]
        different = [
            i for i in range(topology.levels) if topology.digit(s, i) != topology.digit(t, i)
        ]
        assert level == max(different, default=0)
        counts[level] += 1
    assert topology.lca_counts.tolist() == counts.tolist()


@every
def test_paths_follow_their_words_over_links(topology):
    for s, t in product(range(0, topology.nodes, 3), range(topology.nodes)):
        level = topology.lca_level(s, t)
        paths = list(topology.paths(s, t))
        words = [word for word, _ in paths]
        assert words == sorted(set(words))
        assert len(words) == prod(topology.uppers[:level])
        assert len({tuple(way) for _, way in paths}) == topology.breadths[level]
        for word, way in paths:
            assert len(way) == 2 * level + 1
            assert (way[0], way[-1]) == (topology.router_of(s), topology.router_of(t))
            for i, k in enumerate(word):
                assert topology.neighbours[way[i], topology.up_port(k)] == way[i + 1]
            for router, after in zip(way[level:], way[level + 1 :], strict=False):
                assert router in ups(topology, after)


def switch_paths(topology, s, t, *, turns_up):
    """Every way from switch to switch that meets none twice, by search."""
    linked = [set(row[row >= 0].tolist()) for row in topology.neighbours]
    levels = topology.level_of(np.arange(topology.routers))
    goal, found = topology.router_of(t), []

    def go(way, falling):
        if way[-1] == goal:
            found.append(tuple(way))
            return  # with the destination's switch reached, going on would come back to it
        for after in linked[way[-1]] - set(way):
            down = levels[after] < levels[way[-1]]
            if down or turns_up or not falling:
                go([*way, after], down)

    go([topology.router_of(s)], False)
    return found


# Section 5: (d, u), levels, and the numbers of paths by LCA level with turns from down to up.
REDUNDANT = [
    (2, 2, 3, [1, 18, 16]),
    (3, 2, 2, [1, 4]),
    (4, 2, 2, [1, 6]),
    (3, 3, 2, [1, 9]),
    (3, 2, 3, [1, 196, 456]),
]


@pytest.mark.parametrize(("d", "u", "levels", "redundant"), REDUNDANT)
def test_switch_paths_are_as_many_as_lca_switches_without_turns_up(d, u, levels, redundant):
    topology = Lcan(d=d, u=u, levels=levels)
    for s, t in product(range(topology.nodes), repeat=2):
        expected = {tuple(way) for _, way in topology.paths(s, t)}
        assert set(switch_paths(topology, s, t, turns_up=False)) == expected
        assert len(expected) == u ** topology.lca_level(s, t)
    for t in (0, *(d**level for level in range(1, levels))):
        found = switch_paths(topology, 0, t, turns_up=True)
        assert len(found) == redundant[topology.lca_level(0, t)]


@pytest.mark.parametrize("d", [2, 3, 5])
def test_with_one_upper_a_complete_network_is_a_tree(d):
    complete = Lcan(d=d, u=1, levels=3)
    tree = Lcan(d=d, u=1, levels=3, interconnect="tree")
    assert (complete.neighbours == tree.neighbours).all()
    assert (complete.peer_ports == tree.peer_ports).all()


@every
def test_distances_are_those_of_a_search(topology):
    if topology.levels == 1:
        assert topology.diameter == topology.average_distance == 0
        return
    hops = metrics.distances(topology.neighbours)
    leaf = np.array([topology.router_of(node) for node in range(topology.nodes)])
    between = hops[np.ix_(leaf, leaf)]
    assert topology.distance_counts.tolist() == np.bincount(between.ravel()).tolist()
    assert topology.diameter == between.max() == 2 * (topology.levels - 1)
    mean = between.sum() / (topology.nodes * (topology.nodes - 1))
    assert topology.average_distance == pytest.approx(mean)
    assert topology.distance(0, topology.nodes - 1) == between[0, -1]
