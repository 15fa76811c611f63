from itertools import pairwise
from math import prod

from hypothesis import given
from hypothesis import strategies as st
from knotwork.topology import FatTree


@given(levels=st.lists(st.tuples(st.integers(2, 4), st.integers(1, 6)), min_size=1, max_size=4))
def test_sizes_and_wires_of_any_vectors(levels):
    r, u = zip(*levels, strict=True)
    tree = FatTree(r=r, u=u)
    assert tree.nodes == prod(r)
    assert tree.level_sizes == tuple(prod(r[level + 1 :]) for level in range(len(r)))
    assert tree.wires == (1, *u[:-1])
    assert tree.downers == tuple(a * b for a, b in zip(r, (1, *u), strict=False))
    assert tree.capacities == u
    assert tree.breadths == (1,) * len(r)


def test_a_k_ary_fat_tree_has_k_times_as_many_switches_below():
    sizes = FatTree(r=(3, 3, 3), u=(2, 2, 2)).level_sizes
    assert [a // b for a, b in pairwise(sizes)] == [3, 3]


def test_parallel_wires_lead_to_one_parent():
    tree = FatTree(r=(2, 3), u=(4, 1))
    for switch in range(3):
        ends = [tree.up(0, switch, k) for k in range(4)]
        assert ends == [(0, switch * 4 + k) for k in range(4)]
