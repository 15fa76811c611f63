"""Packets of WK-recursive networks: sections 5.1 to 5.3 of their specification."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Network, WkRecursive
from knotwork.routing.walks.all_pairs import summary
from knotwork.routing.wk.broadcast import AT, RuleNumbers, corner_level, top_digit
from knotwork.topology import LOCAL, metrics

ROUTINGS = ("unicast", "shortest")


def slow(*rows):
    return [pytest.param(*row, marks=pytest.mark.slow) for row in rows]


def routed(w, levels, routing="unicast", **keys):
    return Network(WkRecursive(w=w, levels=levels), routing=routing, **keys).routing


def labels(routing, source, destination):
    topology = routing.topology
    ends = [int(label, topology.w) for label in (source, destination)]
    return " ".join(map(topology.label, routing.path(*ends)))


def weight(node, digit, places):
    """M of section 5.1, of a string of digits whose last is place 1."""
    return sum(2**i for i in range(places) if node[-1 - i] == digit)


def length(source, destination):
    """Hops of self-routing by section 5.1."""
    place = max(
        (i for i in range(len(source)) if source[-1 - i] != destination[-1 - i]), default=-1
    )
    if place < 0:
        return 0
    climb = weight(source, destination[-1 - place], place)
    return 2 ** (place + 1) - 1 - climb - weight(destination, source[-1 - place], place)


def test_the_examples_of_the_specification():
    unicast, shortest = routed(4, 3), routed(3, 3, "shortest")
    assert labels(unicast, "201", "330") == "201 203 230 233 322 323 332 330"
    assert labels(unicast, "000", "333") == "000 003 030 033 300 303 330 333"
    assert labels(shortest, "011", "211") == "011 100 102 120 122 211"
    assert len(routed(3, 3).path(int("011", 3), int("211", 3))) == 1 + 7


@pytest.mark.parametrize(
    ("w", "levels"), [(2, 4), (3, 3), (5, 2), *slow((2, 5), (3, 4), (4, 3), (6, 2))]
)
def test_self_routing_has_the_length_of_the_formula(w, levels):
    strings = list(product(range(w), repeat=levels))
    expected = [[length(source, destination) for destination in strings] for source in strings]
    assert routed(w, levels).walk_lengths().tolist() == expected


@pytest.mark.parametrize(
    ("w", "levels", "pairs", "worst", "stretch"),
    [
        *((3, 3, 18, 2, 1.0085), (3, 4, 294, 6, 1.0117), (4, 3, 120, 2, 1.0076)),
        *slow((3, 5, 3372, 14, 1.0127), (4, 4, 3504, 6, 1.0104), (5, 3, 420, 2, 1.0061)),
    ],
)
def test_how_much_longer_self_routing_is(w, levels, pairs, worst, stretch):
    routing = routed(w, levels)
    lengths = routing.walk_lengths()
    distances = metrics.distances(routing.topology.neighbours)
    found = summary(lengths, distances)
    assert found.nonminimal == pairs
    assert (lengths - distances).max() == worst
    assert found.mean / routing.topology.average_distance == pytest.approx(stretch, abs=5e-5)
    assert found.mean == pytest.approx(float(routing.topology.average_route))
    assert found.max == routing.topology.diameter


@given(data=st.data(), routing=st.sampled_from(ROUTINGS))
def test_permuted_digits_take_permuted_paths(data, routing):
    w, levels = data.draw(st.sampled_from([(3, 5), (4, 4), (5, 4), (8, 4), (3, 7)]))
    rule = routed(w, levels, routing)
    turned = data.draw(st.permutations(range(w)))
    ends = [data.draw(st.tuples(*[st.integers(0, w - 1)] * levels)) for _ in range(2)]

    def node(digits, names):
        return sum(names[digit] * w**i for i, digit in enumerate(digits))

    here, there = ([node(end, names) for end in ends] for names in (range(w), turned))
    hops, others = rule.hops(*here), rule.hops(*there)
    for hop, other in zip(hops, others, strict=True):
        assert other.router == node(rule.topology.digits_of(hop.router), turned)
        assert other.port == (LOCAL if hop.port == LOCAL else 1 + turned[hop.port - 1])
        assert other.virtual_channel == hop.virtual_channel


def test_classes_by_hand():
    # Top crossings: from 233 to 322, and on the way down from 323 to 332.
    nodes = [int(label, 4) for label in ("201", "330")]
    for routing, classes in (("unicast", [0] * 3 + [1] * 4), ("shortest", [0, 0, 0, 1, 1, 2, 2])):
        hops = routed(4, 3, routing).hops(*nodes)
        assert [hop.virtual_channel for hop in hops[:-1]] == classes


@pytest.mark.parametrize(
    ("levels", "unicast", "shortest"), [(1, 2, 2), (2, 2, 2), (3, 3, 3), (4, 4, 4), (6, 6, 6)]
)
def test_as_many_as_levels_where_there_are_broadcasts(levels, unicast, shortest):
    assert routed(3, levels).needed_virtual_channels() == unicast
    assert routed(3, levels, "shortest").needed_virtual_channels() == shortest
    alone = [routed(3, levels, name, broadcast="no").classes for name in ROUTINGS]
    assert alone == [2, 2 if levels <= 2 else 3]


def test_the_rank_by_hand():
    # 0211, place 1 last: digit 1 in places 1 and 2, digit 2 in place 3, digit 0 in place 4.
    rule = routed(3, 4)
    rank = rule.rank()[int("0211", 3)]
    assert rank[1:, 0].tolist() == [8, 1 + 2, 4]
    # By port 0 to 0210 it arrives on port 1: M(0210, 1) = 2. By its own to 0122: 2 + 1.
    assert rank[1, :].tolist() == [8, 32 - 2, 64 - 2, 96 - 2]
    assert rank[2, 1:].tolist() == [32 - 3, 64 - 3, 96 - 3]


@pytest.mark.parametrize(("w", "levels"), [(2, 1), (2, 5), (3, 3), (4, 2), (5, 3)])
def test_groups_are_of_one_digit_level_and_flip(w, levels):
    rule = routed(w, levels)
    topology = rule.topology
    facts = np.stack([topology.digits[:, 0], topology.corner_levels, topology.flips])
    for groups, rows in ((rule.router_groups, facts), (rule.module_groups, facts[:2])):
        different = len(np.unique(rows, axis=1).T)
        assert groups.max() + 1 == different
        assert len(np.unique(np.vstack([rows, groups]), axis=1).T) == different


def test_routers_are_modules_by_digit_and_level():
    network = Network(WkRecursive(w=3, levels=2))
    names = [kind.role for kind in network.router_kinds]
    assert sorted(names) == [f"router_digit{d}_level{c}" for d in range(3) for c in (1, 2)]


@pytest.mark.parametrize(("w", "levels"), [(2, 4), (3, 3), (5, 2)])
def test_digits_are_those_of_the_written_address(w, levels):
    written = ["".join(map(str, digits)) for digits in product(range(w), repeat=levels)]
    for number, text in enumerate(written):
        assert corner_level(w, levels, number) == levels - len(text.rstrip(text[-1]))
        for other, there in enumerate(written):
            differing = [levels - i for i in range(levels) if text[i] != there[i]]
            place, digit = top_digit(w, number, other)
            assert place == max(differing, default=0)
            assert not differing or digit == int(there[levels - place])


def test_the_rules_numbers_have_names():
    routing = Network(WkRecursive(w=3, levels=4), routing="shortest").routing
    numbers = RuleNumbers(*routing.parameters.tolist())
    assert numbers == RuleNumbers(w=3, levels=4, last_unicast_class=2, last_broadcast_class=3)
    assert routing.parameters[AT.last_broadcast_class] == 3
    assert (np.array(AT) == np.arange(4)).all()
