"""Routings and broadcasts of WK-recursive networks: sections 3 to 6 of their specification."""

from collections import Counter, deque
from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest
import rustworkx as rx
from helpers.literal_wk import broadcast, corner_level, nodes_of, stack_broadcast, unicast
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Network, WkRecursive
from knotwork.routing import check_deadlock, routings_of, wk
from knotwork.routing.walks.all_pairs import summary
from knotwork.routing.walks.broadcasts import broadcast_tree, walk_broadcasts
from knotwork.routing.wk import AT, RuleNumbers, broadcasts_of, top_digit
from knotwork.topology import LOCAL, metrics

FEW = [(w, levels) for w in range(2, 6) for levels in range(1, 7) if w**levels <= 81]
SIZES = [
    pytest.param(w, levels, marks=[pytest.mark.slow] if w**levels > 32 else [])
    for w in range(2, 6)
    for levels in range(1, 10)
    if w**levels <= 625
]
CARRIED = ("label", "address", "mask", "stack")


@cache
def made(w, levels, **keys):
    return Network(WkRecursive(w=w, levels=levels), **{"broadcast": "no", **keys})


def tree_of(network, rule, source):
    routing = network.routing
    return broadcast_tree(
        network.topology, routing.broadcasts[rule].rule, routing.parameters, source
    )


def expected(deliveries, nodes):
    """Arrival and parent of each node, from the deliveries of a literal broadcast."""
    number = {node: index for index, node in enumerate(nodes)}
    arrival, parent = np.full(len(nodes), -1), np.full(len(nodes), -1)
    for node, sender, step, *_ in deliveries:
        arrival[number[node]], parent[number[node]] = step, number[sender]
    return arrival, parent


def assert_trees(network, source, node, nodes, *, stack):
    """Every rule makes the literal tree; the labels are those of the literal messages."""
    w, levels = network.topology.w, network.topology.levels
    deliveries = broadcast(node, w)
    received = Counter(delivery[0] for delivery in deliveries)
    assert received == Counter(set(nodes) - {node})  # one copy each, none at the source
    arrival, parent = expected(deliveries, nodes)
    arrival[source] = 0
    rules = [*CARRIED, *(["corner"] if corner_level(node) == levels else [])]
    for rule in rules:
        tree = tree_of(network, rule, source)
        assert tree.duplicates == 0
        assert (tree.arrival == arrival).all()
        assert (tree.parent == parent).all()
    labels = tree_of(network, "label", source).label
    for reached, _, _, m, t in deliveries:
        top = next(i for i, (a, b) in enumerate(zip(node, reached, strict=True)) if a != b)
        assert (m, t) == (levels - top - 1, node[top])  # (i - 1, s_i)
        assert labels[int(reached, w)] == m * w + int(t, w)
    if stack:
        found = expected(stack_broadcast(node, w), nodes)
        assert (found[0][np.arange(len(nodes)) != source] > 0).all()
        assert (found[1] == parent).all()


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_every_rule_makes_the_tree_of_the_paper_from_every_source(w, levels):
    network, nodes = made(w, levels), nodes_of(w, levels)
    for source, node in enumerate(nodes):
        assert_trees(network, source, node, nodes, stack=len(nodes) <= 81)


@settings(max_examples=10)
@given(st.sampled_from([(2, 10), (3, 6), (4, 5), (6, 3), (7, 3), (16, 2), (11, 2)]), st.data())
def test_larger_networks_from_random_sources(size, data):
    w, levels = size
    nodes = nodes_of(w, levels)
    source = data.draw(st.integers(0, len(nodes) - 1))
    assert_trees(made(w, levels), source, nodes[source], nodes, stack=True)


@pytest.mark.parametrize(("w", "levels"), [(2, 4), (3, 3), (5, 2)])
def test_a_copy_goes_the_way_of_a_packet(w, levels):
    network, nodes = made(w, levels), nodes_of(w, levels)
    for source, node in enumerate(nodes):
        tree = tree_of(network, "label", source)
        for reached in range(len(nodes)):
            path = [reached]
            while path[-1] != source:
                path.append(int(tree.parent[path[-1]]))
            path.reverse()
            assert path == [int(at, w) for at in unicast(node, nodes[reached])]
            assert path == network.routing.path(source, reached)
            assert tree.arrival[reached] == len(path) - 1


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_the_depth_is_the_eccentricity(w, levels):
    network = made(w, levels)
    farthest = metrics.distances(network.topology.neighbours).max(axis=1)
    for source, node in enumerate(nodes_of(w, levels)):
        depth = tree_of(network, "label", source).arrival.max()
        weights = Counter({str(digit): 0 for digit in range(w)})
        for place, digit in enumerate(reversed(node)):
            weights[digit] += 1 << place
        assert depth == farthest[source] == 2**levels - 1 - min(weights.values())
        assert (depth == 2**levels - 1) == (len(set(node)) < w)


@pytest.mark.parametrize(
    ("w", "levels", "depths"), [(3, 3, {7: 21, 6: 6}), (4, 4, {15: 232, 14: 24}), (2, 5, None)]
)
def test_depths_of_the_specification(w, levels, depths):
    network = made(w, levels)
    found = Counter(
        int(tree_of(network, "address", source).arrival.max()) for source in range(w**levels)
    )
    if depths is None:
        assert (min(found), max(found)) == (16, 31)
    else:
        assert found == depths


def test_the_order_of_arrivals_is_of_no_account():
    random = Random(1)
    for run in range(2 * len(FEW)):
        w, levels = FEW[run % len(FEW)]
        node = random.choice(nodes_of(w, levels))
        assert sorted(broadcast(node, w, random)) == sorted(broadcast(node, w))


# Section 3: copies from 201 in WK(4,3), and every node but the source of WK(3,3) from 012.
COPIES = [("201", "200 202 203", 0, 1), ("201", "210", 1, 0), ("202", "220", 1, 0)]
COPIES += [("203", "230", 1, 0), ("200", "022", 2, 2), ("211", "122", 2, 2), ("233", "322", 2, 2)]
COPIES += [("020", "002", 2, 2), ("021", "012", 2, 2), ("023", "032", 2, 2)]
LISTING = """
000<001@3(1,1) 001<010@2(1,1) 002<001@3(1,1) 010<012@1(0,2) 011<012@1(0,2) 020<021@2(1,1)
021<012@1(1,1) 022<021@2(1,1) 100<011@2(2,0) 101<100@3(2,0) 102<100@3(2,0) 110<101@4(2,0)
111<110@5(2,0) 112<110@5(2,0) 120<102@4(2,0) 121<120@5(2,0) 122<120@5(2,0) 200<022@3(2,0)
201<200@4(2,0) 202<200@4(2,0) 210<201@5(2,0) 211<210@6(2,0) 212<210@6(2,0) 220<202@5(2,0)
221<220@6(2,0) 222<220@6(2,0)
"""


def test_worked_examples():
    network = made(4, 3)
    tree = tree_of(network, "label", int("201", 4))
    for sender, nodes, m, t in COPIES:
        for node in nodes.split():
            assert tree.parent[int(node, 4)] == int(sender, 4)
            assert tree.label[int(node, 4)] == 4 * m + t
    for source, new in {
        "201": [1, 4, 6, 10, 7, 15, 12, 9],
        "011": [1, 4, 6, 12, 11, 6, 6, 18],
        "000": [1, 3, 3, 9, 3, 9, 9, 27],
    }.items():
        found = tree_of(network, "label", int(source, 4)).arrival
        assert np.bincount(found).tolist() == new


def test_the_listing_of_the_specification():
    label = made(3, 3).topology.label
    tree = tree_of(made(3, 3), "label", int("012", 3))
    found = [
        f"{label(node)}<{label(tree.parent[node])}@{tree.arrival[node]}"
        f"({tree.label[node] // 3},{tree.label[node] % 3})"
        for node in range(27)
        if node != int("012", 3)
    ]
    assert found == LISTING.split()


@pytest.mark.parametrize(("w", "levels"), SIZES)
def test_the_printed_rule_misses_nodes_from_corner_levels_between(w, levels):
    network, nodes = made(w, levels), nodes_of(w, levels)
    failing = 0
    for source, node in enumerate(nodes):
        tree = tree_of(network, "printed", source)
        arrival, parent = expected(broadcast(node, w, printed=True), nodes)
        arrival[source] = 0
        assert (tree.arrival == arrival).all()
        assert (tree.parent == parent).all()
        assert tree.duplicates == 0
        fails = bool((tree.arrival < 0).any())
        assert fails == (2 <= corner_level(node) <= levels - 1)
        failing += fails
    assert failing == (w ** (levels - 1) - w if levels >= 2 else 0)


def test_labels_fit_their_widths():
    for w, levels in FEW:
        for rule in ("label", "mask"):
            for channels in (None, 1):
                network = made(w, levels, broadcast=rule, virtual_channels=channels)
                chosen, topology = network.routing.broadcast, network.topology
                assert 0 <= chosen.label_width <= topology.address_width
                if rule == "mask":
                    assert tree_of(network, rule, 1).label.max() < 1 << chosen.label_width
                else:
                    alone = network.routing.classes >= levels
                    bits = (w - 1).bit_length() + (0 if alone else (levels - 1).bit_length())
                    assert chosen.label_width == bits


# In flight: at most L entries (section 4), of which L at the bottom is implied; ceil(log2(L + 1))
# bits for each, so that none can be told apart from level 0.
STACKED = {(3, 1): 0, (3, 2): 2, (2, 3): 4, (3, 3): 4, (2, 4): 9, (2, 5): 12}


@pytest.mark.parametrize(("size", "bits"), STACKED.items(), ids=str)
def test_a_stack_in_flight_fits_its_width_and_fills_it(size, bits):
    network = made(*size, broadcast="stack")
    assert network.routing.broadcast.label_width == bits
    nodes = range(network.topology.nodes)
    most = max(tree_of(network, "stack", source).label.max() for source in nodes)
    field = size[1].bit_length()
    assert most < 1 << bits
    assert size[1] < 3 or most >= 1 << bits - field  # some stack has an entry in its last field


# Section 4 of the specification: stack, mask, label.
BITS = {(3, 3): (8, 2, 4), (4, 4): (15, 3, 4), (4, 5): (18, 4, 5), (4, 8): (36, 7, 5)}


@pytest.mark.parametrize(("size", "bits"), BITS.items(), ids=str)
def test_header_bits(size, bits):
    broadcasts = made(*size).routing.broadcasts
    assert tuple(broadcasts[rule].header_bits for rule in ("stack", "mask", "label")) == bits
    assert broadcasts["address"].header_bits == broadcasts["address"].label_width == 0
    assert broadcasts["printed"].header_bits == bits[2]


def test_a_stack_that_no_integer_holds_is_not_offered():
    assert "stack" not in made(2, 16).routing.broadcasts
    network = made(2, 15)
    for source in (0, 12345):
        assert (
            tree_of(network, "stack", source).arrival == tree_of(network, "label", source)[0]
        ).all()


def test_a_flit_carries_of_a_label_what_its_class_does_not_tell():
    # A label is m w + t: here m = 2 and t = 1, or m = 0, where there is no t.
    told, untold = (broadcasts_of(WkRecursive(w=3, levels=3), n)["label"] for n in (3, 2))
    assert (told.field(7), told.field(1)) == (0b01, 0)
    assert (untold.field(7), untold.field(1)) == (0b10_01, 0)
    mask = broadcasts_of(WkRecursive(w=3, levels=3), 3)["mask"]
    assert mask.field(0b10) == 0b10


def copies_of(network, rule, source):
    """Copies of a broadcast by calls of the rule: ``(router, sender, class, label)``."""
    topology, parameters = network.topology, network.routing.parameters
    function, queue = network.routing.broadcasts[rule].rule, deque([(source, LOCAL, 0, 0)])
    while queue:
        router, port, vc_class, label = queue.popleft()
        for output in range(1, len(topology.ports)):
            sent, out_class = function(parameters, router, port, vc_class, label, source, output)
            if sent < 0:
                continue
            far = int(topology.neighbours[router, output])
            assert far >= 0  # none by the free link, even if asked
            peer = int(topology.peer_ports[router, output])
            yield far, router, int(out_class), int(sent)
            queue.append((far, peer, int(out_class), int(sent)))


def slow(*sizes):
    return [pytest.param(*size, marks=pytest.mark.slow) for size in sizes]


@pytest.mark.parametrize(("w", "levels"), [(2, 4), (3, 3), (4, 2), (3, 1)])
@pytest.mark.parametrize("channels", [None, 1, 2])
def test_the_class_of_a_copy_is_the_highest_level_crossed(w, levels, channels):
    network = made(w, levels, broadcast="label", virtual_channels=channels)
    last = network.routing.classes - 1
    for source, node in enumerate(nodes_of(w, levels)):
        highest = {
            (int(reached, w), int(sender, w), min(m, last))
            for reached, sender, _, m, _ in broadcast(node, w)
        }
        rules = ["label", "address", "mask", "stack"]
        for rule in [*rules, *(["corner"] if corner_level(node) == levels else [])]:
            found = [copy[:3] for copy in copies_of(network, rule, source)]
            assert len(found) == w**levels - 1
            assert set(found) == highest


@pytest.mark.parametrize(("w", "levels"), [(2, 4), (3, 3), (4, 2)])
@pytest.mark.parametrize("channels", [None, 1, 2])
def test_from_one_input_a_link_is_left_to_in_one_class(w, levels, channels):
    routing = made(w, levels, broadcast="mask", virtual_channels=channels).routing
    for turns in routing.walks.broadcast_turns:
        assert len({turn[:3] for turn in turns}) == len(turns)


def dependence_graph(routing):
    """Graph of the channels of broadcasts alone."""
    neighbours = routing.topology.neighbours
    routers, ports = neighbours.shape
    classes, groups = routing.classes, int(routing.router_groups.max()) + 1
    marks = np.zeros((routers * ports * classes, ports, classes), np.bool_)
    turns = np.zeros((groups, ports, classes, ports, classes), np.bool_)
    walk_broadcasts(routing, routing.router_groups, marks, turns, np.arange(routers))
    graph = rx.PyDiGraph()
    graph.add_nodes_from(range(len(marks)))
    for holder, output, vc_class in np.argwhere(marks).tolist():
        reached = int(neighbours.flat[holder // classes])
        graph.add_edge(holder, (reached * ports + output) * classes + vc_class, None)
    return graph


@pytest.mark.parametrize(
    ("w", "levels"), [(3, 2), (4, 2), (3, 3), *slow((5, 2), (4, 3), (5, 3), (3, 4), (4, 4))]
)
def test_a_class_a_level_and_no_fewer_keeps_broadcasts_free(w, levels):
    for channels in range(1, levels + 1):
        routing = made(w, levels, broadcast="label", virtual_channels=channels).routing
        assert RuleNumbers(*routing.parameters).last_broadcast_class == channels - 1
        free = rx.is_directed_acyclic_graph(dependence_graph(routing))
        assert free == (channels == levels)


@pytest.mark.parametrize("levels", [1, 2, 4])
def test_on_a_line_broadcasts_are_always_free(levels):
    routing = made(2, levels, broadcast="label", virtual_channels=1).routing
    assert rx.is_directed_acyclic_graph(dependence_graph(routing))


@pytest.mark.parametrize("routing", routings_of("wk"))
@pytest.mark.parametrize("rule", ["label", "address", "mask"])
@pytest.mark.parametrize(("w", "levels"), [(3, 2), (3, 3), *slow((4, 2), (4, 3), (3, 4), (2, 4))])
def test_broadcasts_and_packets_together_are_free(w, levels, rule, routing):
    assert check_deadlock(made(w, levels, broadcast=rule, routing=routing).routing).deadlock_free


@pytest.mark.parametrize("rule", ["label", "address", "mask"])
def test_with_fewer_channels_the_check_finds_a_ring(rule):
    network = made(3, 3, broadcast=rule, virtual_channels=2)
    report = check_deadlock(network.routing)
    assert not report.deadlock_free
    ends = [(channel[0], channel[1]) for channel in report.cycle]
    assert all(a[1] == b[0] for a, b in zip(ends, [*ends[1:], ends[0]], strict=True))
    assert check_deadlock(made(3, 3, broadcast="no", virtual_channels=2).routing).deadlock_free


@pytest.mark.parametrize(
    ("words", "rule", "longest"),
    [
        ("", "label", 16),
        ("broadcast=mask buffer_depth=4", "mask", 4),
        ("broadcast=address max_packet=9", "address", 9),
        ("max_packet=4 buffer_depth=4", "label", 4),
        ("broadcast=no", "no", None),
    ],
)
def test_keys_of_broadcasts(words, rule, longest):
    network = Network.from_words(["wk", "w=3", "levels=2", *words.split()])
    assert network.parameters["broadcast"] == rule
    assert network.parameters.get("max_packet") == longest
    chosen = network.routing.broadcast
    assert (chosen.name if chosen else "no") == rule


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            "levels=3 max_packet=17 buffer_depth=16",
            "wk: buffer_depth must be at least max_packet with broadcast=label, 17, not 16",
        ),
        (
            "levels=3 broadcast=mask max_packet=5 buffer_depth=4",
            "wk: buffer_depth must be at least max_packet with broadcast=mask, 5, not 4",
        ),
        (
            "levels=3 broadcast=no max_packet=5",
            "wk: max_packet must be used with a broadcast, because other packets have any length, "
            "not 5 with broadcast=no",
        ),
        (
            "levels=9 broadcast=label",
            "wk: levels must be at most 8 with broadcast=label, one virtual channel per level, not "
            "9; more need broadcast=no",
        ),
        (
            "levels=3 broadcast=corner",
            "routing: broadcast must be one of label, address, mask, stack, no, not 'corner'",
        ),
        ("levels=3 max_packet=0", "routing: max_packet must be an integer in 1..1024, not 0"),
    ],
)
def test_what_no_buffer_or_channel_is_for_is_refused(refused, words, complaint):
    assert refused(lambda: Network.from_words(["wk", "w=2", *words.split()])) == complaint


ROUTINGS = ("unicast", "shortest")


def slow_rows(*rows):
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
    ("w", "levels"), [(2, 4), (3, 3), (5, 2), *slow_rows((2, 5), (3, 4), (4, 3), (6, 2))]
)
def test_self_routing_has_the_length_of_the_formula(w, levels):
    strings = list(product(range(w), repeat=levels))
    expected = [[length(source, destination) for destination in strings] for source in strings]
    assert routed(w, levels).walk_lengths().tolist() == expected


@pytest.mark.parametrize(
    ("w", "levels", "pairs", "worst", "stretch"),
    [
        *((3, 3, 18, 2, 1.0085), (3, 4, 294, 6, 1.0117), (4, 3, 120, 2, 1.0076)),
        *slow_rows((3, 5, 3372, 14, 1.0127), (4, 4, 3504, 6, 1.0104), (5, 3, 420, 2, 1.0061)),
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
        assert wk.corner_level(w, levels, number) == levels - len(text.rstrip(text[-1]))
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
