"""KYKLOS: copies of a tree, each with the PEs in another order."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.topology import Kyklos, Lcan
from knotwork.topology.kyklos import digits_differ, levels_of_sets


def pe_digits(p, k, levels):
    """Digits of a PE, the lowest first."""
    return [p // k**place % k for place in range(levels)]


def place(p, k, levels, copy):
    """Place of a PE in a copy: digits reversed in odd copies, rotated by one for each pair."""
    digits = pe_digits(p, k, levels)
    digits = digits[copy // 2 % levels :] + digits[: copy // 2 % levels]
    digits = digits[::-1] if copy % 2 else digits
    return sum(digit * k**level for level, digit in enumerate(digits))


def lca_level(s, t, k):
    level = 0
    while s // k ** (level + 1) != t // k ** (level + 1):
        level += 1
    return level


@pytest.mark.parametrize(("copies", "mean"), [(1, 17 / 8), (2, 13 / 8)])
def test_a_second_tree_in_bit_reversed_order_brings_pes_together(copies, mean):
    """Section 4 of the specification: 16 PEs, k = 2."""
    topology = Kyklos(k=2, levels=4, copies=copies)
    assert topology.extra_facts()["mean_lca_level"] == mean
    pairs = [topology.lca_level(s, t) for s in range(16) for t in range(16)]
    assert np.mean(pairs) == mean


@settings(max_examples=15)
@given(k=st.integers(2, 4), levels=st.integers(1, 3), copies=st.integers(1, 8))
def test_places_and_levels(k, levels, copies):
    topology = Kyklos(k=k, levels=levels, copies=copies)
    assert topology.nodes == k**levels
    tree = sum(k**level for level in range(levels))
    assert (topology.switches, topology.routers) == (tree, copies * tree)
    nodes = np.arange(topology.nodes)
    for copy in range(copies):
        places = [place(p, k, levels, copy) for p in nodes.tolist()]
        assert topology.position_in_copy(copy, nodes).tolist() == places
        assert (topology.pe_at_position(copy, np.array(places)) == nodes).all()
    counted = Counter()
    for s in range(topology.nodes):
        for t in range(0, topology.nodes, 3):
            found = [
                lca_level(place(s, k, levels, copy), place(t, k, levels, copy), k)
                for copy in range(copies)
            ]
            assert topology.lca_level(s, t) == min(found)
            assert topology.nearest_copy(s, t) == found.index(min(found))
    every = topology.lca_level(*np.meshgrid(nodes, nodes))
    counted = np.bincount(every.ravel(), minlength=levels)
    assert counted.tolist() == topology.lca_counts.tolist()


@pytest.mark.parametrize("copies", [1, 3])
def test_each_copy_is_a_tree_of_switches_above_all_pes(copies):
    """A k-ary tree is T-LCAN(k, 1)."""
    topology, tree = Kyklos(k=3, levels=3, copies=copies), Lcan(d=3, u=1, levels=3)
    for copy in range(copies):
        rows = slice(copy * tree.routers, (copy + 1) * tree.routers)
        near = topology.neighbours[rows]
        assert (np.where(near >= 0, near - copy * tree.routers, -1) == tree.neighbours).all()
        assert (topology.peer_ports[rows] == tree.peer_ports).all()
        attached, plain = topology.attached[rows], tree.attached
        for router, port in np.argwhere(plain >= 0).tolist():
            assert place(int(attached[router, port]), 3, 3, copy) == plain[router, port]
        assert (attached >= 0).sum() == topology.nodes
        for router in range(tree.routers):
            number = copy * tree.routers + router
            assert topology.level_of(number) == tree.level_of(router)
            assert topology.node_link(number) == copy
            assert topology.router_label(number) == f"{copy}_{tree.router_label(router)}"
    assert topology.links_per_node == copies


def test_facts_levels_and_drawing_of_copies():
    one, two = (Kyklos(k=2, levels=3, copies=copies).extra_facts() for copies in (1, 2))
    assert two["crosspoints"]["built"] == 2 * one["crosspoints"]["built"]
    assert two["level_sizes"] == [4, 2, 1]
    assert "cuts" not in two
    topology = Kyklos(k=2, levels=3, copies=4)
    down = topology.layout()[:, 1].reshape(4, -1)
    pes = topology.node_layout()[0, 1]
    assert (down[[0, 2]] < pes).all()
    assert (down[[1, 3]] > pes).all()
    assert len({tuple(spot) for spot in topology.layout().tolist()}) == topology.routers
    orders = [(0, 1, 2), (2, 1, 0), (1, 2, 0)]
    found = levels_of_sets(orders)
    for bits in itertools.product((0, 1), repeat=3):
        number = sum(bit << place for place, bit in enumerate(bits))
        levels = [max((n for n in range(3) if bits[order[n]]), default=0) for order in orders]
        assert found[number] == min(levels)
        assert digits_differ(3)[number] == sum(bits)
