from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import WkRecursive
from knotwork.drawing.curves import closest
from knotwork.topology import metrics

# Section 1 of the specification: w, levels, nodes, links, diameter, sum of distances over ordered
# pairs, mean of the self-routed paths, bisection.
TABLE = [
    (3, 2, 9, 12, 3, 144, 2.0000, 3),
    (3, 3, 27, 39, 7, 2838, 4.0769, 4),
    (3, 4, 81, 120, 15, 53160, 8.3000, 5),
    (3, 5, 243, 363, 31, 975678, 16.8017, 6),
    (4, 2, 16, 30, 3, 528, 2.2000, 4),
    (4, 3, 64, 126, 7, 18864, 4.7143, 4),
    (4, 4, 256, 510, 15, 634656, 9.8235, 4),
    (4, 5, 1024, 2046, 31, 20814144, 20.0909, 4),
    (5, 2, 25, 60, 3, 1400, 2.3333, 10),
    (5, 3, 125, 310, 7, 79020, 5.1290, 14),
    (5, 4, 625, 1560, 15, 4175440, 10.7949, None),
    (6, 3, 216, 645, 7, 250440, 5.4186, 9),
]

SIZES = [(w, levels) for w in range(2, 8) for levels in range(1, 6) if w**levels <= 700]
wks = st.sampled_from(SIZES).map(lambda size: WkRecursive(w=size[0], levels=size[1]))


@pytest.mark.parametrize(
    ("w", "levels", "nodes", "links", "diameter", "distances", "route", "bisection"), TABLE
)
def test_the_table_of_the_specification(
    w, levels, nodes, links, diameter, distances, route, bisection
):
    wk = WkRecursive(w=w, levels=levels)
    assert wk.nodes == wk.routers == nodes
    assert metrics.link_counts(wk.neighbours) == (links, links)
    assert metrics.degrees(wk.neighbours) == (w - 1, w)
    assert wk.diameter == diameter
    assert wk.average_distance == distances / (nodes * (nodes - 1))
    facts = wk.extra_facts()
    assert facts["average_route"] == pytest.approx(route, abs=5e-5)
    assert wk.bisection == bisection
    assert facts["free_links"] == w


def far_ends(digits, w):
    """Neighbours of a string of digits, the lowest last, by the text of section 1: ends by port."""
    low, found = digits[-1], {}
    for h in range(w):
        if h != low:
            found[h] = ((*digits[:-1], h), low)
    run = len(digits)
    for length in range(1, len(digits)):
        if digits[-length - 1] != low:
            run = length
            break
    if run < len(digits):
        above = digits[-run - 1]
        far = (*digits[: -run - 1], low, *(above,) * run)
        found[low] = (far, far[-1])
    return found


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_the_links_of_every_node(w, levels):
    wk = WkRecursive(w=w, levels=levels)
    strings = list(product(range(w), repeat=levels))
    number = {digits: node for node, digits in enumerate(strings)}
    near = np.full((len(strings), 1 + w), -1)
    peers = near.copy()
    for node, digits in enumerate(strings):
        for port, (far, peer) in far_ends(digits, w).items():
            near[node, 1 + port], peers[node, 1 + port] = number[far], 1 + peer
    assert wk.neighbours.tolist() == near.tolist()
    assert wk.peer_ports.tolist() == peers.tolist()
    free = [strings[node] for node in np.nonzero((near[:, 1:] < 0).any(axis=1))[0]]
    assert free == [(digit,) * levels for digit in range(w)]


@given(wk=wks)
def test_links_between_clusters_exchange_digit_and_flip_and_are_of_their_level(wk):
    own = wk.digits[:, 0]
    inside = wk.flips >= 0
    far = wk.neighbours[np.arange(wk.nodes), 1 + own]
    assert ((far >= 0) == inside).all()
    assert (wk.corner_levels[far[inside]] == wk.corner_levels[inside]).all()
    assert (wk.flips[far[inside]] == own[inside]).all()
    assert (own[far[inside]] == wk.flips[inside]).all()
    assert len(wk.link_kinds) == 1 + wk.levels
    for router, port in np.argwhere(wk.neighbours >= 0).tolist():
        far = int(wk.neighbours[router, port])
        different = (wk.digits[router] != wk.digits[far]).sum()
        kind = wk.link_kind(router, port)
        assert kind == (1 if router // wk.w == far // wk.w else different)
        assert kind == wk.link_kind(far, int(wk.peer_ports[router, port]))


def test_twenty_seven_nodes_by_hand_and_many_by_formula():
    wk = WkRecursive(w=3, levels=3)
    assert wk.ports == ("local", "digit0", "digit1", "digit2")
    ends = {"011": ["010", "100", "012"], "211": ["210", "122", "212"], "222": ["220", "221", None]}
    for label, far in ends.items():
        found = wk.neighbours[int(label, 3), 1:]
        assert [wk.label(end) if end >= 0 else None for end in found] == far
    assert wk.corner_levels[[int("011", 3), int("101", 3), 0]].tolist() == [2, 1, 3]
    assert wk.flips[[int("011", 3), int("101", 3), 0]].tolist() == [0, 0, -1]
    assert WkRecursive(w=4, levels=7).distance_counts.sum() == 4**14
    assert WkRecursive(w=4, levels=8).average_distance is None
    assert WkRecursive(w=4, levels=8).diameter == 255
    path = WkRecursive(w=2, levels=16)
    assert path.average_distance == (2**16 + 1) / 3


def cut(wk, half):
    """Links between some nodes and the others."""
    inside = np.zeros(wk.nodes, bool)
    inside[list(half)] = True
    near = wk.neighbours[inside]
    return int(((near >= 0) & ~inside[near]).sum())


@pytest.mark.parametrize(
    ("w", "levels"), [(2, 1), (2, 3), (2, 4), (3, 1), (3, 2), (4, 1), (4, 2), (5, 1), (8, 1)]
)
def test_no_halves_have_fewer_links_between_them(w, levels):
    wk = WkRecursive(w=w, levels=levels)
    halves = combinations(range(wk.nodes), wk.nodes // 2)
    assert min(cut(wk, half) for half in halves) == wk.bisection


def self_routed(source, destination, w):
    """Strings and ports of a path, by the text of section 5.1."""
    while source != destination:
        port = next(b for a, b in zip(source, destination, strict=True) if a != b)
        yield source, port
        source = far_ends(source, w)[port][0]


@pytest.mark.parametrize(("w", "levels"), [(4, 1), (4, 2), (4, 3), (4, 4), (6, 2), (6, 3), (8, 2)])
def test_the_bisection_of_even_w_has_a_bound_below_and_one_above(w, levels):
    wk = WkRecursive(w=w, levels=levels)
    strings = list(product(range(w), repeat=levels))
    load = Counter(hop for a in strings for b in strings for hop in self_routed(a, b, w))
    # N^2 / 4 ordered pairs cross from one half to the other, each by a channel of the cut.
    assert max(load.values()) == wk.nodes**2 // w**2
    assert wk.bisection == wk.nodes**2 // 4 // max(load.values())
    assert cut(wk, range(wk.nodes // 2)) == wk.bisection
    mean = Fraction(load.total(), wk.nodes * (wk.nodes - 1))
    assert wk.average_route == mean


@pytest.mark.parametrize(
    ("w", "levels", "bisection"), [(3, 6, 7), (3, 7, None), (5, 4, None), (7, 1, 12), (7, 2, None)]
)
def test_a_bisection_that_nobody_proved_is_not_told(w, levels, bisection):
    assert WkRecursive(w=w, levels=levels).bisection == bisection


DRAWN = [(w, levels) for w in range(2, 9) for levels in range(1, 5) if w**levels <= 700]


@pytest.mark.parametrize(("w", "levels"), DRAWN)
def test_subnetworks_are_drawn_apart(w, levels):
    layout = WkRecursive(w=w, levels=levels).layout()
    assert closest(layout) > 0.6
    if w == 2:
        return
    gaps = [closest(layout)]
    for size in (w**level for level in range(1, levels)):
        blocks = layout.reshape(-1, size, 2)
        middles = blocks.mean(axis=1)
        radius = np.hypot(*(blocks - middles[:, None]).transpose(2, 0, 1)).max()
        between = np.hypot(*(middles[:, None] - middles).transpose(2, 0, 1))
        np.fill_diagonal(between, np.inf)
        away = np.hypot(*(layout[:, None] - layout).transpose(2, 0, 1))
        block = np.arange(len(layout)) // size
        gaps.append(away[block[:, None] != block].min())
        assert w <= 4 or between.min() > 2.3 * radius
    # Triangles and squares stand side to side, farther apart with each level.
    assert w > 4 or gaps[1:] == sorted(set(gaps[1:]))


@pytest.mark.parametrize(("w", "levels"), [size for size in DRAWN if size[0] > 2])
def test_links_between_subnetworks_are_drawn_from_where_they_face(w, levels):
    wk = WkRecursive(w=w, levels=levels)
    layout = wk.layout()
    for router, port in np.argwhere(wk.neighbours >= 0).tolist():
        kind = wk.link_kind(router, port)
        if kind > 1:
            size = w ** (kind - 1)
            first, parent = router // size * size, router // size // w * size * w
            there = parent + router % w * size
            whole, other = layout[parent : parent + size * w], layout[there : there + size]
            away = other.mean(axis=0) - whole.mean(axis=0)
            assert (layout[first : first + size] @ away).argmax() == router - first
