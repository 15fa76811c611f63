from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Network, WkRecursive
from knotwork.routing import Turn, check_deadlock
from knotwork.routing.walks.lengths import summary
from knotwork.routing.wk.unicast import Shortest, Unicast
from knotwork.topology import LOCAL, metrics

SMALL = [
    *((2, levels) for levels in range(1, 8)),
    *((3, levels) for levels in range(1, 7)),
    *((4, levels) for levels in range(1, 5)),
    *((5, 1), (5, 2), (5, 3), (6, 2), (6, 3), (7, 2)),
]
ROUTINGS = ("unicast", "shortest")
RANKED = "every turn raises the declared rank of its channels"


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


def shorter(source, destination):
    """Hops of section 5.2, by all third subnetworks and not only those of the next digits."""
    place = max(
        (i for i in range(len(source)) if source[-1 - i] != destination[-1 - i]), default=-1
    )
    through = [length(source, destination)]
    for z in {*range(max(*source, *destination) + 1)} if place >= 0 else ():
        if z not in (source[-1 - place], destination[-1 - place]):
            saved = weight(source, z, place) + weight(destination, z, place)
            through.append(2 ** (place + 1) - 1 + 2**place - saved)
    return min(through)


def all_lengths(w, levels, formula):
    strings = list(product(range(w), repeat=levels))
    return [[formula(a, b) for b in strings] for a in strings]


class TestPaths:
    def test_the_examples_of_the_specification(self):
        unicast, shortest = routed(4, 3), routed(3, 3, "shortest")
        assert labels(unicast, "201", "330") == "201 203 230 233 322 323 332 330"
        assert labels(unicast, "000", "333") == "000 003 030 033 300 303 330 333"
        assert labels(shortest, "011", "211") == "011 100 102 120 122 211"
        assert len(routed(3, 3).path(int("011", 3), int("211", 3))) == 1 + 7

    @pytest.mark.parametrize(("w", "levels"), [(2, 5), (3, 4), (4, 3), (5, 2), (6, 2)])
    def test_self_routing_has_the_length_of_the_formula(self, w, levels):
        assert routed(w, levels).walk_lengths().tolist() == all_lengths(w, levels, length)

    @pytest.mark.parametrize(("w", "levels"), [(2, 5), (3, 3), (3, 4), (4, 3), (5, 3), (6, 3)])
    def test_shortest_paths_are_those_of_a_search(self, w, levels):
        routing = routed(w, levels, "shortest")
        distances = metrics.distances(routing.topology.neighbours)
        assert routing.walk_lengths().tolist() == distances.tolist()

    @pytest.mark.parametrize(("w", "levels"), [(2, 3), (3, 4), (4, 3)])
    def test_no_other_subnetwork_makes_a_path_shorter(self, w, levels):
        found = routed(w, levels, "shortest").walk_lengths()
        assert found.tolist() == all_lengths(w, levels, shorter)

    @pytest.mark.parametrize(
        ("w", "levels", "pairs", "worst", "stretch"),
        [
            (3, 3, 18, 2, 1.0085),
            (3, 4, 294, 6, 1.0117),
            (3, 5, 3372, 14, 1.0127),
            (4, 3, 120, 2, 1.0076),
            (4, 4, 3504, 6, 1.0104),
            (5, 3, 420, 2, 1.0061),
        ],
    )
    def test_how_much_longer_self_routing_is(self, w, levels, pairs, worst, stretch):
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
    def test_permuted_digits_take_permuted_paths(self, data, routing):
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

    def test_classes_by_hand(self):
        # Top crossings: from 233 to 322, and on the way down from 323 to 332.
        nodes = [int(label, 4) for label in ("201", "330")]
        for routing, classes in (
            ("unicast", [0] * 3 + [1] * 4),
            ("shortest", [0, 0, 0, 1, 1, 2, 2]),
        ):
            hops = routed(4, 3, routing).hops(*nodes)
            assert [hop.virtual_channel for hop in hops[:-1]] == classes


class TestVirtualChannels:
    @pytest.mark.parametrize(
        ("levels", "unicast", "shortest"), [(1, 2, 2), (2, 2, 2), (3, 3, 3), (4, 4, 4), (6, 6, 6)]
    )
    def test_as_many_as_levels_where_there_are_broadcasts(self, levels, unicast, shortest):
        assert routed(3, levels).needed_virtual_channels() == unicast
        assert routed(3, levels, "shortest").needed_virtual_channels() == shortest
        alone = [routed(3, levels, name, broadcast="no").classes for name in ROUTINGS]
        assert alone == [2, 2 if levels <= 2 else 3]

    @pytest.mark.parametrize("w", [3, 4, 5])
    @pytest.mark.parametrize("levels", [1, 2, 3])
    def test_which_are_free_of_deadlock(self, w, levels):
        """Table of section 5.3."""
        free = {("unicast", 1): levels == 1, ("unicast", 2): True}
        free |= {("shortest", 1): levels == 1, ("shortest", 2): levels <= 2, ("shortest", 3): True}
        for (routing, channels), expected in free.items():
            if levels <= 2 and channels == 3:
                continue
            rule = routed(w, levels, routing, broadcast="no", virtual_channels=channels)
            assert rule.classes == channels
            assert check_deadlock(rule).deadlock_free == expected

    @pytest.mark.parametrize(("w", "levels"), [(3, 4), (4, 4)])
    def test_which_are_free_of_deadlock_on_four_levels(self, w, levels):
        for routing, channels, expected in (
            *(("unicast", 1, False), ("unicast", 2, True)),
            *(("shortest", 2, False), ("shortest", 3, True)),
        ):
            rule = routed(w, levels, routing, broadcast="no", virtual_channels=channels)
            assert check_deadlock(rule).deadlock_free == expected

    @pytest.mark.parametrize(("w", "levels"), [(3, 2), (4, 2), (3, 3), (4, 3), (3, 4)])
    @pytest.mark.parametrize("routing", ROUTINGS)
    def test_unicasts_and_broadcasts_together_are(self, w, levels, routing):
        report = check_deadlock(routed(w, levels, routing))
        assert report.deadlock_free
        assert report.virtual_channels == max(2, levels)
        assert report.reason == (
            f"all {w**levels}^2 pairs and all broadcasts walked: "
            "the channel dependence graph is acyclic"
        )

    @pytest.mark.parametrize(
        ("w", "levels", "routing", "channels"),
        [(3, 2, "unicast", 1), (4, 3, "unicast", 1), (3, 3, "shortest", 2), (5, 2, "shortest", 1)],
    )
    def test_on_fewer_a_ring_of_packets_wait_for_each_other(self, w, levels, routing, channels):
        rule = routed(w, levels, routing, broadcast="no", virtual_channels=channels)
        waits = set()
        for source, destination in product(range(w**levels), repeat=2):
            hops = rule.hops(source, destination)
            way = [(a.router, b.router, a.virtual_channel) for a, b in pairwise(hops)]
            waits |= set(pairwise(way))
        cycle = check_deadlock(rule).cycle
        assert len(cycle) > 2
        assert set(pairwise([*cycle, cycle[0]])) <= waits


class TestRank:
    @pytest.mark.parametrize(("w", "levels"), SMALL)
    @pytest.mark.parametrize("routing", ROUTINGS)
    def test_rank_and_walk_agree(self, w, levels, routing):
        for broadcast, lanes in (("label", 1), ("no", 2)):
            needed = routed(w, levels, routing, broadcast=broadcast).classes
            rule = routed(w, levels, routing, broadcast=broadcast, virtual_channels=lanes * needed)
            walked = check_deadlock(rule, enumerate_pairs=True)
            ranked = check_deadlock(rule, enumerate_pairs=False)
            assert walked.deadlock_free
            assert ranked.deadlock_free
            assert walked.channels == ranked.channels
            assert walked.dependencies <= ranked.dependencies
            assert ranked.reason == RANKED

    @pytest.mark.parametrize(("w", "levels"), SMALL)
    @pytest.mark.parametrize("routing", ROUTINGS)
    def test_every_wait_of_a_packet_raises_the_rank(self, w, levels, routing):
        rule = routed(w, levels, routing)
        topology, rank = rule.topology, rule.rank()
        held, port, vc_class = np.nonzero(rule.walks.dependencies)
        link, held_class = np.divmod(held, rule.classes)
        router, held_port = np.divmod(link, len(topology.ports))
        after = topology.neighbours[router, held_port]
        assert (rank[router, held_port, held_class] < rank[after, port, vc_class]).all()

    def test_the_rank_by_hand(self):
        # 0211, place 1 last: digit 1 in places 1 and 2, digit 2 in place 3, digit 0 in place 4.
        rule = routed(3, 4)
        rank = rule.rank()[int("0211", 3)]
        assert rank[1:, 0].tolist() == [8, 1 + 2, 4]
        # By port 0 to 0210 it arrives on port 1: M(0210, 1) = 2. By its own to 0122: 2 + 1.
        assert rank[1, :].tolist() == [8, 32 - 2, 64 - 2, 96 - 2]
        assert rank[2, 1:].tolist() == [32 - 3, 64 - 3, 96 - 3]

    @pytest.mark.parametrize("routing", ROUTINGS)
    def test_with_fewer_classes_none_is_declared(self, routing):
        rule = routed(3, 3, routing, virtual_channels=2)
        assert rule.rank() is None
        assert not check_deadlock(rule, enumerate_pairs=False).deadlock_free

    def test_a_turn_back_down_is_caught(self):
        class Turning(Unicast):
            def class_turns(self, router):
                return super().class_turns(router) | {Turn(1, 1, 2, 0)}

        report = check_deadlock(Turning(WkRecursive(w=3, levels=2)), enumerate_pairs=False)
        assert not report.deadlock_free
        assert "digit0 (class 1) -> digit1 (class 0)" in report.reason

    @pytest.mark.parametrize(("w", "levels"), [(2, 13), (3, 8), (4, 7), (9, 4), (16, 4)])
    @pytest.mark.parametrize("routing", ROUTINGS)
    def test_large_networks_are_checked_by_it(self, w, levels, routing):
        keys = {"broadcast": "no"} if levels > 8 else {}
        network = Network(WkRecursive(w=w, levels=levels), routing=routing, **keys)
        assert network.deadlock_report.deadlock_free
        assert network.deadlock_report.reason == RANKED
        assert "walks" not in vars(network.routing)


class TestTurns:
    @pytest.mark.parametrize(("w", "levels"), SMALL)
    @pytest.mark.parametrize("routing", [Unicast, Shortest])
    def test_the_closed_form_is_what_packets_do(self, w, levels, routing):
        topology = WkRecursive(w=w, levels=levels)
        for channels in range(1, routing(topology).classes + 1):
            rule = routing(topology, virtual_channels=channels)
            assert rule.classes == channels
            of_group = {group: router for router, group in enumerate(rule.router_groups.tolist())}
            for group, router in of_group.items():
                assert rule.class_turns(router) == rule.walks.turns[group]
                copies = rule.broadcast_class_turns(router)
                assert copies == rule.walks.broadcast_turns[group]

    @pytest.mark.parametrize(("w", "levels"), SMALL)
    def test_groups_are_of_one_digit_level_and_flip(self, w, levels):
        rule = routed(w, levels)
        topology = rule.topology
        facts = np.stack([topology.digits[:, 0], topology.corner_levels, topology.flips])
        for groups, rows in ((rule.router_groups, facts), (rule.module_groups, facts[:2])):
            different = len(np.unique(rows, axis=1).T)
            assert groups.max() + 1 == different
            assert len(np.unique(np.vstack([rows, groups]), axis=1).T) == different

    def test_routers_are_modules_by_digit_and_level(self):
        network = Network(WkRecursive(w=3, levels=2))
        names = [kind.role for kind in network.router_kinds]
        assert sorted(names) == [f"router_digit{d}_level{c}" for d in range(3) for c in (1, 2)]
