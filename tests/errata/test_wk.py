"""Errata of the paper on WK-recursive networks, by their numbers on the page.

What is printed is computed beside what is right; the broadcasts are those of `helpers.literal_wk`.
"""

from itertools import permutations

import pytest
from helpers.literal_wk import (
    DIGITS,
    broadcast,
    corner_level,
    flip,
    neighbour,
    nodes_of,
    receive,
    stack_broadcast,
)
from knotwork import WkRecursive
from knotwork.topology import metrics

SIZES = [(2, 3), (3, 2), (3, 3), (4, 2), (4, 3), (2, 5)]


def reached(source, w, **rule):
    return [node for node, *_ in broadcast(source, w, **rule)]


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_w1_a_source_sends_its_flip_to_other_clusters(w, levels):
    nodes = nodes_of(w, levels)
    for source in nodes:
        everyone = sorted(set(nodes) - {source})
        assert sorted(reached(source, w)) == everyone
        fails = sorted(reached(source, w, printed=True)) != everyone
        assert fails == (2 <= corner_level(source) <= levels - 1)


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_w2_a_link_between_clusters_leads_to_another_node(w, levels):
    near = WkRecursive(w=w, levels=levels).neighbours
    nodes = nodes_of(w, levels)
    for place, node in enumerate(nodes):
        if (end := neighbour(node, node[-1])) is None:
            continue
        prefix, run = node[: -corner_level(node) - 1], corner_level(node)
        assert end[0] == prefix + node[-1] + flip(node) * run
        assert nodes.index(end[0]) in near[place]
        assert place not in near[place]  # as printed, the far end is the node itself


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_w3_steps_are_fewer_from_sources_that_have_every_digit(w, levels):
    for source in nodes_of(w, levels):
        steps = max(step for _, _, step, *_ in broadcast(source, w))
        assert steps <= 2**levels - 1
        assert (steps == 2**levels - 1) == (set(source) != set(DIGITS[:w]))


def test_w4_the_steps_of_the_induction_add_up():
    for k in range(1, 20):
        assert 2 * (2**k - 1) + 1 == 2 ** (k + 1) - 1 != 2 * 2**k + 1


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_w5_a_corner_broadcast_takes_two_to_the_levels_less_one(w, levels):
    steps = max(step for _, _, step, *_ in broadcast("0" * levels, w))
    assert steps == 2**levels - 1 == WkRecursive(w=w, levels=levels).diameter
    assert levels < 3 or steps != 2 * levels - 1


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_w6_stages_are_parted_by_the_subnetwork_of_their_own_level(w, levels):
    nodes, source = nodes_of(w, levels), nodes_of(w, levels)[1]

    def stage(node, inside, outside):
        """Whether a node is in the source's subnetwork of one level, not in that of another."""
        same = [node[: levels - level] == source[: levels - level] for level in (inside, outside)]
        return same == [True, False]

    for i in range(1, levels + 1):
        right = [node for node in nodes if stage(node, i, i - 1)]
        printed = [node for node in nodes if stage(node, 1, i - 1)]
        assert len(right) == (w - 1) * w ** (i - 1)
        assert i == 1 or printed == []


def test_w7_the_corner_rule_is_for_nodes_below_the_label():
    def deliveries(forwards):
        found = set()
        waiting = [
            ("201", port, m, t) for port, m, t in (("0", 0, "1"), ("2", 0, "1"), ("3", 0, "1"))
        ]
        waiting.append(("201", "1", 1, flip("201")))
        while waiting:
            sender, port, m, t = waiting.pop()
            node, arrival = neighbour(sender, port)
            found.add(node)
            for message in receive(node, 4, arrival, m, t):
                below = arrival != node[-1] and corner_level(node) < m
                if not below or forwards(corner_level(node), m):
                    waiting.append((node, *message))
        return found

    everyone = set(nodes_of(4, 3)) - {"201"}
    assert deliveries(lambda level, m: level < m) == everyone
    # In stage i the label is m = i - 1, so that "m less than i - 1" never holds.
    assert deliveries(lambda level, m: False) != everyone


def test_w8_it_is_the_flip_that_the_corner_rule_compares():
    stopping = ["02", "03", "20", "23", "30", "32"]
    passing = ["10", "12", "13"]
    assert all(flip(node) != "1" for node in stopping)
    assert all(flip(node) == "1" for node in passing)
    # The corner identifier would stop those that must pass the message on.
    assert all(node[-1] != "1" for node in passing)


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_w9_links_inside_clusters_are_labelled_too(w, levels):
    def without_zero(source):
        """The printed rule: an arrival over a link of level 0 changes no stack."""
        waiting, found = [(source, port, [levels]) for port in ports(source, [levels])], []
        while waiting and len(found) <= 4 * w**levels:
            sender, port, stack = waiting.pop(0)
            node, arrival = neighbour(sender, port)
            found.append(node)
            level = corner_level(node) if arrival == node[-1] else 0
            stack = list(stack)
            if level >= 1:
                while stack[-1] <= level:
                    stack.pop()
                stack.append(level)
            waiting += [(node, each, stack) for each in ports(node, stack)]
        return found

    def ports(node, stack):
        level = {port: corner_level(node) if port == node[-1] else 0 for port in DIGITS[:w]}
        return [port for port in DIGITS[:w] if level[port] not in stack]

    for source in nodes_of(w, levels)[: w + 1]:
        everyone = sorted(set(nodes_of(w, levels)) - {source})
        assert sorted(node for node, *_ in stack_broadcast(source, w)) == everyone
        assert sorted(without_zero(source)) != everyone


def test_w10_a_label_is_two_numbers():
    labels = {(m, t) for source in nodes_of(4, 3) for *_, m, t in broadcast(source, 4)}
    assert len(labels) == 3 * 4  # neither number alone tells the other
    # None at all is needed where the source's address travels.
    for source in nodes_of(3, 3):
        for node, _, _, m, t in broadcast(source, 3):
            differ = next(i for i, (a, b) in enumerate(zip(source, node, strict=True)) if a != b)
            assert (m, t) == (2 - differ, source[differ])


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_w12_a_source_sends_as_by_rule_2_2_2_with_m_of_zero(w, levels):
    for source in nodes_of(w, levels):
        if corner_level(source) == levels:
            continue
        inner = next(digit for digit in DIGITS if digit != source[-1])
        own = [(m, t) for node, sender, _, m, t in broadcast(source, w)
               if sender == source and node == neighbour(source, source[-1])[0]]  # fmt: skip
        assert own == [(m, t) for _, m, t in receive(source, w, inner, 0, "0")]


@pytest.mark.parametrize(("w", "levels"), SIZES[1:5])
def test_w13_corners_have_a_link_less_and_nodes_are_not_alike(w, levels):
    near = WkRecursive(w=w, levels=levels).neighbours
    degrees = (near[:, 1:] >= 0).sum(axis=1).tolist()
    assert degrees.count(w - 1) == w
    assert degrees.count(w) == w**levels - w
    far = metrics.distances(near).max(axis=1).tolist()
    alike = len(set(far)) == 1
    assert alike == all(set(node) != set(DIGITS[:w]) for node in nodes_of(w, levels))


def test_w13_digits_may_be_exchanged():
    rows = WkRecursive(w=3, levels=2).neighbours.tolist()
    near = [sorted(n for n in row[1:] if n >= 0) for row in rows]
    for order in permutations(range(3)):
        moved = [order[node // 3] * 3 + order[node % 3] for node in range(9)]
        assert all(sorted(moved[n] for n in near[v]) == near[moved[v]] for v in range(9))


@pytest.mark.parametrize("w", [3, 4])
def test_w14_a_corner_reaches_its_own_part_in_a_step_less_than_a_power_of_two(w):
    for k in range(1, 4):
        steps = WkRecursive(w=w, levels=k)
        far = int(metrics.distances(steps.neighbours)[0].max())
        assert far == 2**k - 1
        assert 2 * far + 1 == 2 ** (k + 1) - 1  # the sum of the proof
        assert (2 ** (k - 1) == far) == (k == 1)
