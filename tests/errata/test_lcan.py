"""Errata of the paper on least-common-ancestor networks, by their numbers on the page."""

from fractions import Fraction
from itertools import pairwise, permutations, product
from math import gcd, log, prod, sqrt

import numpy as np
import pytest
from knotwork import FatTree, Lcan, Network, SwBanyan
from knotwork.routing.scheduling.minimum import minimum_rounds
from knotwork.routing.scheduling.on_line import Expectation

EIGHT = Lcan(d=2, u=2, levels=3)
COMPLETE = [(2, 2, 3), (3, 2, 3), (4, 2, 2), (2, 3, 3), (3, 3, 2)]


def first_fraction(nodes, d, u):
    """First level whose number of switches is no integer; None if there is none."""
    sizes = (Fraction(nodes, d) * Fraction(u, d) ** i for i in range(64))
    return next((i for i, size in enumerate(sizes) if size.denominator > 1), None)


def test_l1_a_level_with_a_fraction_of_a_switch_need_not_exist():
    for nodes, d, u in product((8, 27, 64, 81), (2, 3, 4), (1, 2, 3, 4, 6)):
        if nodes % d == 0:
            step = d // gcd(d, u)
            levels = 0 if step > 1 else None
            while levels is not None and nodes // d % step**levels == 0:
                levels += 1
            assert first_fraction(nodes, d, u) == levels
            assert (levels is None) == (u % d == 0)
    assert [first_fraction(*each) for each in ((64, 4, 2), (27, 3, 2), (64, 4, 4))] == [5, 3, None]


@pytest.mark.parametrize(
    ("r", "u"), [((4, 2), (2, 3)), ((4, 4, 2), (2, 2, 4)), ((3, 3, 3), (2, 2, 2))]
)
def test_l2_vectors_have_an_entry_per_level(r, u):
    tree = FatTree(r=r, u=u)
    assert tree.nodes == prod(r) != len(r) == len(u) == tree.levels


def test_l9_a_level_has_as_many_switches_as_its_children_divided():
    for k, levels in ((2, 3), (3, 3), (4, 2)):
        sizes = FatTree(r=(k,) * levels, u=(2,) * levels).level_sizes
        assert all(below == k * above and above != k * below for below, above in pairwise(sizes))


@pytest.mark.parametrize("levels", range(1, 7))
def test_l8_unfolding_at_the_top_skips_stages(levels):
    """Level 0 is next to the PEs here, and on top in the paper."""
    for lca in range(levels - 1):
        skipped = 2 * levels - 1 - (2 * lca + 2)
        from_top = levels - 1 - lca
        assert skipped == 1 + 2 * (from_top - 1)
        assert skipped != 1 + 2 * (lca - 1) or lca == from_top
        facts = Network(Lcan(d=2, u=2, levels=levels)).routing.pair_facts(0, 1 << lca)
        stages = {"stages": 2 * levels - 1, "used": 2 * lca + 2, "skipped": skipped}
        assert facts["unfolded"] == stages
    top = Network(Lcan(d=2, u=2, levels=levels)).routing.pair_facts(0, 1 << levels - 1)["unfolded"]
    assert top == {"stages": 2 * levels - 1, "used": 2 * levels - 1, "skipped": 0}


@pytest.mark.parametrize(("d", "u", "levels"), COMPLETE)
def test_l3_a_label_has_a_digit_less_than_a_pe(d, u, levels):
    nodes = d**levels
    for i, size in enumerate(Lcan(d=d, u=u, levels=levels).level_sizes):
        digits = [d] * (levels - 1 - i) + [u] * i
        assert prod(digits) == size == nodes // d * u**i // d**i
        assert len(digits) == levels - 1 == round(log(nodes, d)) - 1


@pytest.mark.parametrize(("d", "u", "levels"), COMPLETE)
def test_l4_ports_are_counted_from_0(d, u, levels):
    net = Lcan(d=d, u=u, levels=levels)
    for i in range(levels - 1):
        ends = {net.up(i, w, k) for w, k in product(range(net.level_sizes[i]), range(u))}
        assert ends == set(product(range(net.level_sizes[i + 1]), range(d)))  # downers 0..d-1
        assert all(net.down(i + 1, *net.up(i, w, k)) == (w, k) for w, k in ((0, 0), (0, u - 1)))
        # "the j + 1st downer" beside "the p0-th": counted one way or the other, one has no number.
        assert {j + 1 for _, j in ends} != {j for _, j in ends}


@pytest.mark.parametrize(
    ("d", "u", "levels"), [(4, 2, 3), (6, 3, 2), (4, 1, 3), (2, 2, 1), (6, 2, 3)]
)
def test_l5_size_and_levels_of_a_tree(d, u, levels):
    tree = Lcan(d=d, u=u, levels=levels, interconnect="tree")
    assert tree.nodes * u ** (levels - 1) == d**levels
    if d > u:
        assert round(log(tree.nodes / u, d / u), 9) == levels


@pytest.mark.parametrize(("s", "f", "levels"), [(2, 3, 2), (2, 4, 2), (3, 2, 3)])
def test_l6_a_banyan_has_levels_by_its_fan_out(s, f, levels):
    net = SwBanyan(f=f, s=s, levels=levels)
    assert net.nodes == f**levels == Lcan(d=f, u=s, levels=levels).nodes
    assert round(log(net.nodes, f), 9) == levels
    # The other letter of the paper's triple, (f, s, log_d N), stands for no number of a banyan.
    assert s != f
    assert round(log(net.nodes, s), 9) != levels


def switch_paths(net, source, target, *, turns_up):
    """Paths from PE to PE without a switch twice; with or without turns from down to up."""

    def up(i, w):
        return {(i + 1, net.up(i, w, k)[0]) for k in range(net.u)} if i + 1 < net.levels else set()

    def down(i, w):
        return {(i - 1, net.down(i, w, c)[0]) for c in range(net.d)} if i else set()

    end = (0, target // net.d)
    found = 0

    def walk(at, falling, seen):
        nonlocal found
        if at == end:
            found += 1
            return
        ways = [(to, True) for to in down(*at)]
        if turns_up or not falling:
            ways += [(to, False) for to in up(*at)]
        for to, falls in ways:
            if to not in seen:
                walk(to, falls, seen | {to})

    walk((0, source // net.d), False, {(0, source // net.d)})
    return found


@pytest.mark.parametrize(
    ("d", "u", "levels", "target", "right", "all_simple"),
    [(2, 2, 3, 1, 1, 1), (2, 2, 3, 2, 2, 18), (2, 2, 3, 4, 4, 16), (3, 2, 2, 3, 2, 4),
     (4, 2, 2, 4, 2, 6), (3, 3, 2, 3, 3, 9)],
)  # fmt: skip
def test_l7_paths_are_as_many_as_lca_switches_without_turns_up(
    d, u, levels, target, right, all_simple
):
    net = Lcan(d=d, u=u, levels=levels)
    assert switch_paths(net, 0, target, turns_up=False) == right == u ** net.lca_level(0, target)
    assert switch_paths(net, 0, target, turns_up=True) == all_simple


def test_l11_the_worst_case_grows_as_the_root():
    """A complete (4, 2) network, whose upper links carry half of what lies below them."""
    for levels in range(2, 7):
        nodes = 4**levels
        load = Fraction(4 ** (levels - 1), 2 ** (levels - 1))
        assert load == sqrt(nodes) / 2
        assert load > log(nodes, 2) / 2 or levels < 4


def test_l13_half_a_network_has_too_few_settings():
    """Section 8.4: what the left half of eight PEs sends up takes 16 of 24 arrangements."""
    arrangements = set()
    for low, high in product(product(range(2), repeat=2), repeat=2):
        reached = {}  # `low` and `high`: which upper each switch of levels 0 and 1 gives first
        for pe in range(4):
            switch, came = EIGHT.up(0, pe // 2, low[pe // 2] ^ pe % 2)
            reached[EIGHT.up(1, switch, high[switch] ^ came)[0]] = pe
        arrangements.add(tuple(reached[switch] for switch in range(4)))
    assert (len(arrangements), len(list(permutations(range(4))))) == (16, 24)


def test_l14_the_worst_case_set_does_not_have_the_greatest_mean():
    straight, crossed = [4, 5, 6, 7], [4, 6, 5, 7]
    members = {  # up to exchanges of PEs and switches, with how many permutations are like it
        (*straight, *(t - 4 for t in straight)): 64,
        (*straight, *(t - 4 for t in crossed)): 256,
        (*crossed, *(t - 4 for t in crossed)): 256,
    }
    known = Expectation(EIGHT)
    means = [known.cycles(np.arange(8), np.array(each)) for each in members]
    assert means == [1, Fraction(3, 2), Fraction(7, 4)]
    both = zip(means, members.values(), strict=True)
    assert sum(mean * count for mean, count in both) / 576 == Fraction(14, 9)
    shuffle = [2 * s % 8 + s // 4 for s in range(8)]
    for outside, mean in ((shuffle, Fraction(7, 4)), ([6, 2, 0, 7, 4, 1, 5, 3], Fraction(15, 8))):
        assert any(s // 4 == t // 4 for s, t in enumerate(outside))
        assert known.cycles(np.arange(8), np.array(outside)) == mean


MESSAGES = [(0, 3), (12, 4), (9, 0), (10, 18), (1, 19), (18, 6), (19, 7)]


@pytest.mark.parametrize("levels", [3, 4])
def test_l15_a_network_may_need_more_cycles_than_its_fat_tree(levels):
    def fewest(net, messages):
        return minimum_rounds(net, *np.array(messages).T)

    net = Lcan(d=3, u=2, levels=levels)
    assert fewest(net, MESSAGES) == 2
    assert fewest(FatTree.equivalent(net), MESSAGES) == 1
    assert all(fewest(net, MESSAGES[:i] + MESSAGES[i + 1 :]) == 1 for i in range(7))
    assert fewest(Lcan(d=3, u=3, levels=levels), MESSAGES) == 1
