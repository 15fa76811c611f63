"""Errata of the paper on least-common-ancestor networks, by their numbers on the page."""

from fractions import Fraction
from itertools import pairwise, permutations, product
from math import gcd, log, prod, sqrt

import pytest
from knotwork import FatTree, Lcan, SwBanyan

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
    ("r", "u"), [((4, 2), (2, 3)), ((4, 4, 2), (2, 2, 4)), ((2, 3, 2), (1, 1, 1))]
)
def test_l2_vectors_have_an_entry_per_level(r, u):
    tree = FatTree(r=r, u=u)
    assert tree.nodes == prod(r) != len(r) == len(u) == tree.levels


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


@pytest.mark.parametrize("levels", range(2, 7))
def test_l8_unfolding_at_the_top_skips_stages(levels):
    """Level 0 is next to the PEs here, and on top in the paper."""
    for lca in range(levels - 1):
        skipped = 2 * levels - 1 - (2 * lca + 2)
        from_top = levels - 1 - lca
        assert skipped == 1 + 2 * (from_top - 1)
        assert skipped != 1 + 2 * (lca - 1) or lca == from_top


@pytest.mark.parametrize(("k", "levels"), [(2, 3), (3, 3), (4, 2)])
def test_l9_a_level_has_as_many_switches_as_its_children_divided(k, levels):
    sizes = FatTree(r=(k,) * levels, u=(2,) * levels).level_sizes
    assert all(below == k * above for below, above in pairwise(sizes))
    assert all(above != k * below for below, above in pairwise(sizes))


def test_l11_the_worst_case_grows_as_the_root():
    """A complete (4, 2) network, whose upper links carry half of what lies below them."""
    for levels in range(2, 7):
        nodes = 4**levels
        load = Fraction(4 ** (levels - 1), 2 ** (levels - 1))
        assert load == sqrt(nodes) / 2
        assert load > log(nodes, 2) / 2 or levels < 4


def test_l13_half_a_network_has_too_few_settings():
    """Four PEs under two switches of two levels: what leaves through the four upper links."""
    arrangements = set()
    for low in product((0, 1), repeat=2):
        for high in product((0, 1), repeat=2):
            below = [(0, 1)[:: -1 if low[0] else 1], (2, 3)[:: -1 if low[1] else 1]]
            pairs = [(below[0][k], below[1][k])[:: -1 if high[k] else 1] for k in (0, 1)]
            arrangements.add(tuple(sum(pairs, ())))
    assert (len(arrangements), len(list(permutations(range(4))))) == (16, 24)


def survivors(targets, waiting, bits):
    """What may be left of eight PEs' packets after a network cycle, with its probabilities.

    `bits` swaps the uppers of the four switches of levels 0 and 1 each. Where two packets want a
    child at once, either wins; one that turns on a lower level comes first.
    """
    first = {s: (s // 2, s % 2 ^ bits[s // 2]) for s in waiting}  # level-0 switch, its upper
    groups = []
    for turn, asks in ((1, {}), (2, {})):
        for s in waiting:
            t, (low, k) = targets[s], first[s]
            if (s ^ t).bit_length() - 1 != turn:
                continue
            if turn == 1:
                asks.setdefault((low // 2, k, t // 2 % 2), []).append(s)
            else:
                high = low % 2 ^ bits[4 + 2 * (low // 2) + k]
                asks.setdefault((k, high, t // 4), []).append(s)
        groups.append(asks)
    outcomes = [(Fraction(1), {}, set())]  # probability, children taken on level 1, and by whom
    for child, rivals in groups[0].items():
        outcomes = [(p / len(rivals), taken | {child: s}, won | {s})
                    for p, taken, won in outcomes for s in rivals]  # fmt: skip
    for rivals in groups[1].values():
        outcomes = [(p / len(rivals), taken, won | {(s,)})
                    for p, taken, won in outcomes for s in rivals]  # fmt: skip
    found = {}
    for p, taken, won in outcomes:
        asks = {}
        for (s,) in [each for each in won if isinstance(each, tuple)]:
            child = (targets[s] // 4, first[s][1], targets[s] // 2 % 2)
            if child not in taken:
                asks.setdefault(child, []).append(s)
        done = {s for s in won if isinstance(s, int)} | {
            s for s in waiting if s // 2 == targets[s] // 2
        }
        for winners in product(*asks.values()):
            left = frozenset(waiting) - done - set(winners)
            share = p / prod(map(len, asks.values()))
            found[left] = found.get(left, 0) + share
    return found


def mean_cycles(targets):
    """Expected network cycles of a permutation of eight PEs on the (2, 2) network, exactly."""
    known = {frozenset(): Fraction(0)}

    def mean(waiting):
        if waiting not in known:
            after = {}
            for bits in product((0, 1), repeat=8):
                for left, p in survivors(targets, sorted(waiting), bits).items():
                    after[left] = after.get(left, 0) + p / 256
            assert waiting not in after
            known[waiting] = 1 + sum(p * mean(left) for left, p in after.items())
        return known[waiting]

    return mean(frozenset(range(8)))


def test_l14_the_worst_case_set_does_not_have_the_greatest_mean():
    straight, crossed = [4, 5, 6, 7], [4, 6, 5, 7]
    members = {  # up to exchanges of PEs and switches, with how many permutations are like it
        (*straight, *(t - 4 for t in straight)): 64,
        (*straight, *(t - 4 for t in crossed)): 256,
        (*crossed, *(t - 4 for t in crossed)): 256,
    }
    means = [mean_cycles(targets) for targets in members]
    assert means == [1, Fraction(3, 2), Fraction(7, 4)]
    both = zip(means, members.values(), strict=True)
    assert sum(mean * count for mean, count in both) / 576 == Fraction(14, 9)
    shuffle = [2 * s % 8 + s // 4 for s in range(8)]
    assert mean_cycles(shuffle) == Fraction(7, 4)
    assert mean_cycles([6, 2, 0, 7, 4, 1, 5, 3]) == Fraction(15, 8)


MESSAGES = [(0, 3), (12, 4), (9, 0), (10, 18), (1, 19), (18, 6), (19, 7)]


def links_of(net, source, target, word):
    """One-way links of a circuit: level, prefix and beginning of its up-word, both ways."""
    top = net.lca_level(source, target)
    return {
        (way, i, net.prefix(end, i), word[: i + 1])
        for way, end in (("up", source), ("down", target))
        for i in range(top)
    }


def fits_in_one_cycle(net, messages):
    """Whether words exist by which no two circuits share a link."""

    def place(rest, taken):
        if not rest:
            return True
        (source, target), *others = rest
        top = net.lca_level(source, target)
        return any(
            not links & taken and place(others, taken | links)
            for word in product(range(net.u), repeat=top)
            for links in [links_of(net, source, target, word)]
        )

    return place(messages, set())


@pytest.mark.parametrize("levels", [3, 4])
def test_l15_a_network_may_need_more_cycles_than_its_fat_tree(levels):
    net = Lcan(d=3, u=2, levels=levels)
    loads = {}
    for source, target in MESSAGES:
        for i in range(net.lca_level(source, target)):
            for key in (("up", i, net.prefix(source, i)), ("down", i, net.prefix(target, i))):
                loads[key] = loads.get(key, 0) + 1
    assert all(load <= 2 ** (key[1] + 1) for key, load in loads.items())  # the tree: one cycle
    assert not fits_in_one_cycle(net, MESSAGES)
    assert all(fits_in_one_cycle(net, MESSAGES[:i] + MESSAGES[i + 1 :]) for i in range(7))
    assert fits_in_one_cycle(Lcan(d=3, u=3, levels=levels), MESSAGES)
