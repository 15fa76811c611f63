from itertools import combinations, pairwise, product
from random import Random

import pytest
import rustworkx as rx
from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Moebius, Network
from knotwork.routing import check_deadlock
from knotwork.routing.multicast import ORDERS, Send, chain_of, contention, multicast_rounds
from knotwork.routing.walks.channel_graph import ChannelGraph


def networks_of(n):
    topologies = Moebius(n=n), Moebius(n=n, twist=1), Hypercube(n=n)
    return [Network(topology) for topology in topologies]


def sets_of_three(network):
    """Every source with every set of other nodes."""
    for source, size in product(range(8), range(1, 8)):
        for members in combinations([node for node in range(8) if node != source], size):
            yield network, source, members


def random_sets(networks, count):
    random = Random(1)
    for number in range(count):
        network = networks[number % len(networks)]
        nodes = list(range(network.topology.nodes))
        source, *members = random.sample(nodes, random.randint(2, len(nodes)))
        yield network, source, tuple(members)


def links(path):
    return set(pairwise(path))


def shares_a_link(routing, rounds):
    """Whether two paths of a round have a directed link in common: every pair of them compared."""
    return any(
        a & b
        for sends in rounds
        for a, b in combinations([links(routing.path(*send[:2])) for send in sends], 2)
    )


def check_rounds(network, source, members, order="xor"):
    """Hold a multicast to all that it promises, with nothing but its packets and their paths."""
    rounds = multicast_rounds(network.routing, source, members, order)
    assert 2 ** (len(rounds) - 1) < len(members) + 1 <= 2 ** len(rounds)
    informed, left = {source}, {}
    for sends in rounds:
        senders = [send.source for send in sends]
        receivers = [send.destination for send in sends]
        assert set(senders) <= informed
        assert len({*senders, *receivers}) == 2 * len(sends)  # one send or one receive each
        for send in sends:
            # What it hands over, it does no more reach itself.
            before = left.get(send.source, set(members) if send.source == source else set())
            assert {send.destination, *send.chain} <= before
            left[send.source] = before - {send.destination, *send.chain}
            left[send.destination] = set(send.chain)
        informed |= set(receivers)
    received = [send.destination for sends in rounds for send in sends]
    assert sorted(received) == sorted(members)
    assert not any(left.values())
    assert not shares_a_link(network.routing, rounds)
    assert contention(network.routing, rounds) is None


def pairs(rounds):
    return [[(send.source, send.destination) for send in sends] for sends in rounds]


def test_worked_examples():
    # Section 7 of the specification, orders B and A.
    routing = Network(Moebius(n=4)).routing
    members = (0, 2, 3, 8, 11, 14, 15)
    assert chain_of(routing, 5, members) == [0, 3, 2, 15, 14, 8, 11]
    rounds = multicast_rounds(routing, 5, members)
    assert rounds == [
        [Send(5, 15, (14, 8, 11))],
        [Send(5, 3, (2,)), Send(15, 8, (11,))],
        [Send(5, 0, ()), Send(3, 2, ()), Send(15, 14, ()), Send(8, 11, ())],
    ]
    assert rounds == multicast_rounds(routing, 5, members[::-1])
    assert multicast_rounds(routing, 5, members, "address") == [
        [Send(5, 8, (11, 14, 15))],
        [Send(5, 2, (0,)), Send(8, 14, (15,))],
        [Send(5, 3, ()), Send(2, 0, ()), Send(8, 11, ()), Send(14, 15, ())],
    ]


def test_the_chain_of_the_thesis():
    # Definition 4: 0100, 0101, 1000, 1011 ascend. From its ends all packets go one way.
    chain = [0b0100, 0b0101, 0b1000, 0b1011]
    routing = Network(Hypercube(n=4)).routing
    up = multicast_rounds(routing, chain[0], chain[1:], "address")
    down = multicast_rounds(routing, chain[3], chain[:3], "address")
    assert pairs(up) == [[(4, 8)], [(4, 5), (8, 11)]]
    assert pairs(down) == [[(11, 5)], [(11, 8), (5, 4)]]


@pytest.mark.parametrize(
    ("source", "destination"),
    # Figure 4.3: of five nodes 0 to 4 the source keeps the smaller part where it can, and the
    # receiver is the node of the other part next to the cut; the middle cannot, and keeps the left.
    [(0, 2), (1, 2), (2, 3), (3, 2), (4, 2)],
)
def test_in_address_order_the_source_keeps_the_smaller_part_where_it_can(source, destination):
    members = [node for node in range(5) if node != source]
    first = multicast_rounds(Network(Hypercube(n=3)).routing, source, members, "address")[0]
    assert [(send.source, send.destination) for send in first] == [(source, destination)]


@pytest.mark.parametrize("network", networks_of(4), ids=lambda network: network.name)
def test_in_address_order_packets_left_of_the_source_go_left_and_those_right_of_it_right(network):
    for _, source, members in random_sets([network], 60):
        rounds = multicast_rounds(network.routing, source, members, "address")
        for send in [send for sends in rounds for send in sends]:
            if send.source != source:
                assert (send.destination > send.source) == (send.source > source)


@pytest.mark.parametrize("members", [1, 2, 3, 4, 5, 6, 7])
def test_the_left_part_is_the_larger(members):
    # From node 0 the chain is 1, 2, ...: the first node of the right half by the definition.
    chain = list(range(1, members + 1))
    first = multicast_rounds(Network(Hypercube(n=3)).routing, 0, chain)[0]
    left = -(-(members + 1) // 2)
    assert first == [Send(0, left, tuple(chain[left:]))]


@pytest.mark.parametrize("network", networks_of(3), ids=lambda network: network.name)
@pytest.mark.parametrize("order", ORDERS)
def test_every_source_and_set_of_three_dimensions(network, order):
    for case in sets_of_three(network):
        check_rounds(*case, order)


@pytest.mark.parametrize(
    ("n", "count"),
    [(1, 6), (2, 30), (4, 150), *(pytest.param(n, 670, marks=pytest.mark.slow) for n in (4, 5, 6))],
)
@pytest.mark.parametrize("order", ORDERS)
def test_random_sources_and_sets(n, count, order):
    for case in random_sets(networks_of(n), count):
        check_rounds(*case, order)


@pytest.mark.parametrize(
    ("topology", "source", "members"),
    [
        (Moebius(n=3), 4, (0, 2, 3)),  # section 7 of the specification: 0 -> 2 and 4 -> 0 -> 2 -> 3
        (Hypercube(n=3), 4, (0, 2, 3)),
        (Moebius(n=3, twist=1), 6, (1, 2, 3)),  # 4 -> 3 is one link there; 1 -> 3 -> 2, 6 -> 1 -> 3
    ],
    ids=lambda value: getattr(value, "instance_name", None),
)
def test_the_lowest_address_as_receiver_meets_on_a_link(topology, source, members):
    low, middle, high = members
    rounds = [[Send(source, low, (middle,))], [Send(low, middle, ()), Send(source, high, ())]]
    routing = Network(topology).routing
    assert contention(routing, rounds[:1]) is None
    assert shares_a_link(routing, rounds)
    assert contention(routing, rounds) is not None


def test_two_ways_on_one_link_do_not_meet():
    routing = Network(Hypercube(n=3)).routing
    assert contention(routing, [[Send(0, 1, ()), Send(1, 0, ())]]) is None
    assert contention(routing, [[Send(0, 1, ())], [Send(0, 1, ())]]) is None


@pytest.mark.parametrize(
    ("source", "members", "complaint"),
    [
        (5, [], "a multicast must have 1 destination or more, not 0"),
        (5, [3, 5], "a destination must be another node than the source, not 5"),
        (5, [3, 2, 3, 2], "destinations must be distinct, not 3 twice"),
        (5, [3, 16], "a node must be an index in 0..15, not 16"),
        (16, [3], "a node must be an index in 0..15, not 16"),
        (5, [-1], "a node must be an index in 0..15, not -1"),
    ],
)
@pytest.mark.parametrize("order", ORDERS)
def test_what_is_no_multicast_is_refused(refused, source, members, complaint, order):
    assert (
        refused(lambda: multicast_rounds(Network(Moebius(n=4)).routing, source, members, order))
        == f"moebius_n4_twist0: {complaint}"
    )


def test_a_routing_whose_packets_would_meet_is_refused(refused):
    routing = Network(Moebius(n=3)).routing
    ring = RingRouting(Ring())
    assert refused(lambda: chain_of(ring, 0, [1])) == (
        "loop: routing must be one that crosses dimensions in falling order for a multicast, "
        "not shortest"
    )

    class Shortest(type(routing)):
        name = "shortest"
        multicasts = False

    assert refused(lambda: chain_of(Shortest(routing.topology), 0, [1])) == (
        "moebius: routing must be one of dfr for a multicast, not shortest"
    )


@pytest.mark.parametrize(
    ("max_packet", "given", "rounds"), [(2, 3, 1), (4, 4, 2), (8, 6, 3), (16, 8, 4)]
)
def test_virtual_channels_are_whole_lanes_of_the_rounds(max_packet, given, rounds):
    keys = {"multicast": "yes", "max_packet": max_packet}
    routing = Network(Hypercube(n=4), virtual_channels=given, **keys).routing
    assert (routing.classes, routing.lanes) == (rounds, given // rounds)
    assert check_deadlock(routing).deadlock_free
    assert check_deadlock(routing, enumerate_pairs=False).deadlock_free


def test_chains_are_as_short_as_the_lanes_that_were_named_unless_max_packet_was():
    assert Network(Hypercube(n=3), multicast="yes", virtual_channels=4).routing.chain_limit == 3
    assert Network(Hypercube(n=3), multicast="yes", virtual_channels=6).routing.chain_limit == 7
    assert Network(Hypercube(n=3), multicast="yes", virtual_channels=2).routing.chain_limit == 3
    two = Network.from_word("hypercube:n=3,multicast=yes,nodes_per_router=2,virtual_channels=8")
    assert (two.routing.chain_limit, two.routing.lanes) == (15, 2)


@pytest.mark.parametrize(
    "keys", [{"virtual_channels": 5}, {"virtual_channels": 4, "max_packet": 8}]
)
def test_channels_that_are_no_whole_lanes_are_refused(refused, keys):
    given = keys["virtual_channels"]
    assert refused(lambda: Network(Hypercube(n=3), multicast="yes", **keys)) == (
        f"hypercube: virtual_channels must be a multiple of 3 for routing=ecube, not {given}"
    )


def test_all_lanes_with_their_shared_stores_have_no_ring():
    """The graph of every lane at once, which the check folds into one."""
    routing = Network(Hypercube(n=3), multicast="yes", virtual_channels=6).routing
    graph, classes = ChannelGraph(routing, routing.walks), routing.classes

    def places(number):
        place = graph.place(number)
        lanes = (0,) if place.kind == "store" else range(routing.lanes)
        return [(place, lane) for lane in lanes]

    full = rx.PyDiGraph(multigraph=False)
    numbers = {}
    for before, after in graph.edges():
        for one in places(before):
            for other in places(after):
                kinds = {one[0].kind, other[0].kind}
                if "store" in kinds or one[1] == other[1]:
                    for each in (one, other):
                        if each not in numbers:
                            numbers[each] = full.add_node(each)
                    full.add_edge(numbers[one], numbers[other], None)
    assert {place.vc_class for place, _ in numbers} == set(range(classes))
    assert rx.is_directed_acyclic_graph(full)
