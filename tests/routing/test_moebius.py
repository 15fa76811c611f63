"""Routings of the thesis that are there to compare with, held to its tables and examples."""

from fractions import Fraction
from functools import reduce
from itertools import pairwise, product
from math import comb

import numpy as np
import pytest
import rustworkx as rx
from helpers.ring import NEXT, PREVIOUS, Ring, RingRouting
from helpers.streams import refusal
from helpers.thesis_tables import MISPRINTS, printed
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Fabric, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.routing import Hop, Turn, check_deadlock
from knotwork.routing.moebius import (
    SourceRouted,
    Term,
    approx_spr,
    distance,
    minimal_expansion,
    spr,
    with_other_top,
)
from knotwork.topology import LOCAL, metrics


@pytest.mark.parametrize("n", [1, 2, 4, pytest.param(7, marks=pytest.mark.slow)])
@pytest.mark.parametrize("twist", [0, 1])
def test_binomially_many_nodes_at_each_number_of_hops(n, twist):
    routing = Network(Moebius(n=n, twist=twist)).routing
    for source in {0, 1, 2**n - 1, 2**n // 3}:
        counts = [0] * (n + 1)
        for destination in range(2**n):
            counts[len(routing.path(source, destination)) - 1] += 1
        assert counts == [comb(n, k) for k in range(n + 1)]


def test_two_hops_by_hand():
    # 1-MC_4, 0010 to 1100: dimension 3 is twisted (all four bits), 1101; then dimension 0.
    assert Network(Moebius(n=4, twist=1)).routing.path(0b0010, 0b1100) == [0b0010, 0b1101, 0b1100]
    # Section 5 of the specification, "dfr needs 5".
    for n, source, destination in ((6, 0b000000, 0b110101), (8, 0b00100110, 0b11010011)):
        assert len(Network(Moebius(n=n)).routing.path(source, destination)) - 1 == 5


@pytest.mark.parametrize(
    ("n", "twist", "source", "destination", "dimensions"),
    # Section 5 of the specification, "Worked routes".
    [
        (6, 0, 0b000000, 0b110101, [5, 3, 1, 4]),
        (6, 1, 0b000000, 0b101010, [4, 2, 0, 5]),
        (8, 0, 0b00100110, 0b11010011, [7, 3, 6, 1]),
        (5, 0, 0b00000, 0b10110, [4, 1, 2]),
    ],
)
def test_worked_routes_of_spr(n, twist, source, destination, dimensions):
    routing = Network(Moebius(n=n, twist=twist), routing="spr").routing
    hops = routing.hops(source, destination)
    assert [hop.port - 1 for hop in hops[:-1]] == dimensions


@pytest.mark.parametrize("n", [3, 4, 6, pytest.param(7, marks=pytest.mark.slow)])
@pytest.mark.parametrize("twist", [0, 1])
def test_the_virtual_channel_of_spr_counts_the_ascents_up_to_the_last(n, twist):
    routing = Network(Moebius(n=n, twist=twist), routing="spr").routing
    seen = set()
    for source in range(0, 2**n, 5):
        for destination in range(2**n):
            hops = routing.hops(source, destination)[:-1]
            ascents = 0
            for place, hop in enumerate(hops):
                ascents += place > 0 and hop.port > hops[place - 1].port
                assert hop.virtual_channel == min(ascents, routing.classes - 1)
                seen.add(hop.virtual_channel)
    assert seen == set(range(routing.classes))


def escaping_walks(routing):
    """Waits and the longest walk, where every packet may escape at every router.

    Returns ({((router, port, class), (router, port, class))}, hops), by recursion over the rule.
    """
    topology, waits, longest = routing.topology, set(), 0
    for destination in range(topology.nodes):
        known = {}

        def walk(router, port, vc_class, held, known=known, destination=destination):
            if router == destination:
                return 0
            ways = {
                tuple(map(int, routing.rule(routing.parameters, router, port, asked, destination)))
                for asked in {vc_class, 1}
            }
            if held is not None:
                waits.update((held, (router, *way)) for way in ways)
            if (router, port, vc_class) not in known:
                known[router, port, vc_class] = 1 + max(
                    walk(
                        int(topology.neighbours[router, out]),
                        int(topology.peer_ports[router, out]),
                        out_class,
                        (router, out, out_class),
                    )
                    for out, out_class in ways
                )
            return known[router, port, vc_class]

        lengths = [walk(source, LOCAL, 0, None) for source in range(topology.nodes)]
        longest = max(longest, *lengths)
    return waits, longest


def is_acyclic(waits):
    graph = rx.PyDiGraph()
    numbers = dict.fromkeys(channel for wait in waits for channel in wait)
    numbers = dict(zip(numbers, graph.add_nodes_from(list(numbers)), strict=True))
    graph.add_edges_from_no_data([(numbers[a], numbers[b]) for a, b in waits])
    return rx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize(
    ("n", "longest"),
    # Section 6 of the specification, last row.
    [
        (3, (3, 3)),
        (4, (5, 4)),
        pytest.param(5, (6, 5), marks=pytest.mark.slow),
        pytest.param(6, (8, 6), marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("twist", [0, 1])
def test_the_escape_class_is_free_though_both_classes_together_are_not(n, longest, twist):
    network = Network(Moebius(n=n, twist=twist), routing="spr", vc_scheme="escape")
    routing = network.routing
    waits, hops = escaping_walks(routing)
    assert hops == longest[twist]
    assert not is_acyclic(waits)
    assert is_acyclic({wait for wait in waits if wait[0][2] == wait[1][2] == 1})
    report = network.deadlock_report
    assert report.deadlock_free
    assert report.dependencies == len(waits)
    assert report.reason == (
        f"all {2**n}^2 pairs walked: every blocked packet may escape to class 1, whose channel "
        "dependence graph is acyclic"
    )
    walked = {
        ((*divmod(link, n + 1), vc_class), port, out_class)
        for channel, port, out_class in np.argwhere(routing.walks.dependencies).tolist()
        for link, vc_class in [divmod(channel, 2)]
    }
    assert walked == {(held, *wanted[1:]) for held, wanted in waits}


@pytest.mark.parametrize(
    ("vc_scheme", "in_order", "escape_class"), [("ascents", True, None), ("escape", False, 1)]
)
def test_only_packets_that_can_escape_overtake_each_other(vc_scheme, in_order, escape_class):
    routing = Network(Moebius(n=4), routing="spr", vc_scheme=vc_scheme).routing
    assert routing.in_order == in_order
    assert routing.escape_class == escape_class
    assert Network(Moebius(n=4), routing="dfr").routing.in_order
    alone = Network(Moebius(n=4), routing="spr", vc_scheme=vc_scheme, virtual_channels=1)
    assert alone.routing.escape_class is None
    assert not alone.deadlock_report.deadlock_free


def test_ascents_up_to_ten_dimensions_and_escape_above(refused):
    for n, scheme in ((1, "ascents"), (10, "ascents"), (11, "escape"), (20, "escape")):
        network = Network(Moebius(n=n), routing="spr")
        assert network.parameters["vc_scheme"] == scheme
    assert refused(lambda: Network(Moebius(n=11), routing="spr", vc_scheme="ascents")) == (
        "moebius: vc_scheme must be escape above n=10, where the virtual channels that ascents "
        "needs are not known, not ascents with n=11"
    )


@pytest.mark.parametrize(
    ("vc_scheme", "virtual_channels", "classes"), [("ascents", 4, 3), ("escape", 3, 2)]
)
def test_the_virtual_channels_of_spr_are_whole_lanes(refused, vc_scheme, virtual_channels, classes):
    keys = {"vc_scheme": vc_scheme, "virtual_channels": virtual_channels}
    assert refused(lambda: Network(Moebius(n=7), routing="spr", **keys)) == (
        f"moebius: virtual_channels must be a multiple of {classes} for routing=spr, not "
        f"{virtual_channels}"
    )


NODES = 6


class RoundTheRing(SourceRouted):
    """By next links to the destination, whichever way is shorter."""

    name = "round"

    def routers(self, source, destination):
        nodes = self.topology.nodes
        return [(source + step) % nodes for step in range((destination - source) % nodes + 1)]


@pytest.fixture
def routing():
    return RoundTheRing(Ring(nodes=NODES))


def test_hops_are_the_path_with_its_ports(routing):
    assert routing.hops(4, 0) == [Hop(4, NEXT, 0), Hop(5, NEXT, 0), Hop(0, LOCAL, 0)]
    assert routing.hops(3, 3) == [Hop(3, LOCAL, 0)]
    assert routing.path(4, 0) == [4, 5, 0]


def test_a_flow_keeps_its_lane():
    routing = RoundTheRing(Ring(nodes=NODES), virtual_channels=2)
    unaltered_topology = RingRouting(Ring(nodes=NODES), virtual_channels=4)
    for source in range(NODES):
        destination = (source + 2) % NODES
        (lane,) = {hop.virtual_channel for hop in routing.hops(source, destination)[:-1]}
        assert lane == unaltered_topology.hops(source, destination)[0].virtual_channel // 2


def test_a_path_that_follows_no_link_is_refused():
    class Jump(RoundTheRing):
        def routers(self, source, destination):
            return [source, destination]

    with pytest.raises(ValueError) as refusal:
        Jump(Ring(nodes=NODES)).hops(1, 4)
    assert str(refusal.value) == "routing=round: a path must follow links, not go from 1 to 4"


def test_turns_are_those_of_the_paths(routing):
    ways = [(LOCAL, LOCAL), (LOCAL, NEXT), (PREVIOUS, LOCAL), (PREVIOUS, NEXT)]
    assert routing.class_turns(3) == {Turn(i, 0, o, 0) for i, o in ways}


def test_check_finds_the_ring(routing):
    report = check_deadlock(routing)
    assert not report.deadlock_free
    assert sorted(report.cycle) == [(i, (i + 1) % NODES, 0) for i in range(NODES)]
    assert (report.channels, report.dependencies) == (2 * NODES, NODES)
    assert report.reason == (
        "all 6^2 pairs walked: the channel dependence graph has a cycle of 6 channels"
    )


@pytest.mark.parametrize(
    "ask",
    [
        lambda routing: routing.first_hops(),
        lambda routing: routing.walk_lengths(),
        lambda routing: routing.class_turns(0),
        lambda routing: check_deadlock(routing, enumerate_pairs=True),
        lambda routing: check_deadlock(routing, enumerate_pairs=False),
    ],
)
def test_above_the_limit_all_pairs_are_refused(refused, ask, monkeypatch):
    monkeypatch.setattr(RoundTheRing, "walk_limit", 4)
    assert refused(lambda: ask(RoundTheRing(Ring(nodes=NODES)))) == (
        "loop: nodes must be at most 4 to walk all pairs with routing=round, not 6"
    )


def test_there_is_no_rule_and_it_is_not_built_whatever_the_user_says(refused, routing):
    assert refused(lambda: routing.rule) == (
        "loop: routing=round must be used for paths, not for a rule: its path is found at the "
        "source"
    )
    network = Network(Ring(nodes=NODES), routing=RoundTheRing, allow_deadlock="yes")
    assert refused(network.require_deadlock_free) == (
        "loop: routing=round must not be built in hardware: its path is found at the source"
    )


FIGURES = [("2.11", 0, "set_spr"), ("2.12", 1, "set_spr"), ("2.13", 0, "rsa"), ("2.14", 1, "rsa")]

OTHER_SHORTEST = {
    "2.11": set(),
    # Figure 2.11 prints the other next node for the same four pairs, though terms and links are the
    # same in both cubes there: bit 3 is 0 at both ends, and no path leaves that half.
    "2.12": {(2, 1), (3, 0), (6, 4), (7, 5)},
    "2.13": set(),
    "2.14": {(13, 4)},  # by dimension 2, though dimension 3 is on a shortest path too
}
"""Pairs whose printed next node is on a shortest path, but not on the one that is found."""


def compared_routing(twist, name, n=4):
    return Network(Moebius(n=n, twist=twist), routing=name).routing


@pytest.mark.parametrize(("figure", "twist", "name"), FIGURES)
def test_next_routers_are_those_of_the_thesis(figure, twist, name):
    differing = compared_routing(twist, name).first_hops() != printed(figure)
    assert {tuple(pair) for pair in np.argwhere(differing).tolist()} == (
        MISPRINTS[figure] | OTHER_SHORTEST[figure]
    )


@pytest.mark.parametrize(("figure", "twist", "name"), FIGURES)
def test_the_tables_lead_along_shortest_paths_but_for_their_misprints(figure, twist, name):
    neighbours, table = Moebius(n=4, twist=twist).neighbours, printed(figure)
    distances = metrics.distances(neighbours)
    wrong = set()
    for source, destination in product(range(16), repeat=2):
        after, hops = table[source, destination], distances[source, destination]
        if source == destination:
            assert after == -1
        elif not (after in neighbours[source, 1:] and distances[after, destination] == hops - 1):
            wrong.add((source, destination))
    assert wrong == MISPRINTS[figure]


@pytest.mark.parametrize(
    ("name", "twist", "path"),
    [
        ("approx_spr", 0, ["1110", "1001", "0001"]),  # example 1
        ("approx_spr", 1, ["0010", "0000", "1111"]),  # example 2
        ("approx_spr", 0, ["1000", "1010", "1101", "0101"]),  # example 3
        ("approx_spr", 0, ["0000", "1000", "1111", "1100"]),  # example 4, a hop too long
        ("set_spr", 0, ["1110", "1001", "0001"]),  # as example 1, "would remain unchanged"
        ("set_spr", 1, ["0010", "0000", "1111"]),
        ("set_spr", 0, ["0000", "0100", "1100"]),  # example 5
        ("set_spr", 0, ["1000", "1010", "1101", "0101"]),  # example 6
    ],
)
def test_the_examples_of_the_thesis(name, twist, path):
    routers = [int(label, 2) for label in path]
    assert compared_routing(twist, name).path(routers[0], routers[-1]) == routers


@pytest.mark.parametrize("twist", [0, 1])
@pytest.mark.parametrize("n", [3, 5])
def test_rsa_crosses_the_highest_dimension_that_a_search_finds_on_a_shortest_path(n, twist):
    near = Moebius(n=n, twist=twist).neighbours[:, 1:]
    distances = metrics.distances(Moebius(n=n, twist=twist).neighbours)
    closer = distances[near] == distances[:, None, :] - 1  # router, dimension, destination
    highest = n - 1 - closer[:, ::-1].argmax(axis=1)
    expected = np.take_along_axis(near, highest, axis=1)
    np.fill_diagonal(expected, -1)
    assert (compared_routing(twist, "rsa", n).first_hops() == expected).all()


SET = (
    "its path is found at the source, where the set of terms left would have to travel with the "
    "packet; use routing=spr"
)
RSA = "it compares the distances from all neighbours, which no gates compute; use routing=spr"


@pytest.mark.parametrize(("name", "why"), [("approx_spr", SET), ("set_spr", SET), ("rsa", RSA)])
def test_none_of_them_is_built(name, why):
    network = Network(Moebius(n=2), routing=name, allow_deadlock="yes")
    for build in (network.require_deadlock_free, lambda: Fabric(network)):
        assert (
            refusal(ConfigurationError, build)
            == f"moebius: routing={name} must not be built in hardware: {why}"
        )


# Section 4 of the specification, variant "approxSpr (i-1)": n -> ordered pairs of 0-MC_n and of
# 1-MC_n whose path is no shortest one.
APPROX_NONMINIMAL = {3: (8, 8), 4: (32, 32), 5: (176, 160), 6: (688, 656), 7: (2944, 2752)}


def plain(i):
    return Term(i, False)


def twisted(i):
    return Term(i, True)


def total(terms):
    return reduce(lambda value, term: value ^ term.mask, terms, 0)


def least_weights(n):
    """Fewest masks 0..010..0 and 0..011..1 that XOR to each string, by breadth-first search."""
    masks = {1 << i for i in range(n)} | {(1 << i) - 1 for i in range(1, n + 1)}
    weights, frontier = {0: 0}, {0}
    while frontier:
        level = weights[next(iter(frontier))] + 1
        frontier = {value ^ mask for value in frontier for mask in masks} - weights.keys()
        weights |= dict.fromkeys(frontier, level)
    return weights


WEIGHTS = least_weights(10)

cubes = st.builds(Moebius, n=st.integers(1, 20), twist=st.integers(0, 1))


def test_expansion_is_minimal_for_all_strings():
    assert len(WEIGHTS) == 1024
    assert [WEIGHTS[value] for value in (0b1, 0b101, 0b111, 0b10110)] == [1, 2, 1, 3]
    for value, weight in WEIGHTS.items():
        terms = minimal_expansion(value)
        assert total(terms) == value
        assert len(terms) == weight
        assert all(a.dimension - b.dimension >= 2 for a, b in pairwise(terms))


def test_expansions_by_hand():
    assert minimal_expansion(0) == []
    assert minimal_expansion(1) == [twisted(0)]
    assert minimal_expansion(0b1101) == [twisted(3), plain(1)]  # the thesis's example 6
    assert minimal_expansion(0b1100) == [twisted(3), twisted(1)]
    assert minimal_expansion(0b10110) == [plain(4), twisted(2), twisted(0)]


@pytest.mark.parametrize("n", range(1, 11))
def test_mean_weight(n):
    mean = Fraction(sum(len(minimal_expansion(value)) for value in range(2**n)), 2**n)
    assert mean == Fraction(n, 3) + (1 - Fraction(-1, 2) ** n) / 9


@given(n=st.integers(1, 64), data=st.data())
def test_complement_is_lighter_by_one_at_most(n, data):
    value = data.draw(st.integers(0, 2**n - 1))
    complement = value ^ (2**n - 1)
    assert len(minimal_expansion(value)) <= 1 + len(minimal_expansion(complement))


def test_other_top_is_found_wherever_it_costs_nothing():
    found = 0
    for value in range(2, 1024):
        top, *_ = terms = minimal_expansion(value)
        other = Term(top.dimension, not top.twisted)
        swapped = with_other_top(terms)
        # What `other` leaves is below it, and the search knows its least weight.
        assert (swapped is not None) == (1 + WEIGHTS[value ^ other.mask] == WEIGHTS[value])
        if swapped is not None:
            found += 1
            assert swapped[0] == other
            assert total(swapped) == value
            assert len(swapped) == len(terms)
    assert 0 < found < 1022


def test_other_top_by_hand():
    # E_0 and e_0 are one, and count as the twisted end.
    assert with_other_top([plain(2), twisted(0)]) == [twisted(2), plain(1)]
    assert with_other_top([twisted(6), plain(4), twisted(2), plain(0)]) == [
        *(plain(6), plain(5), plain(3), plain(0))
    ]
    assert with_other_top([plain(4), plain(2)]) is None
    assert with_other_top([plain(4), twisted(1)]) is None
    assert with_other_top([plain(4)]) is None


@pytest.mark.parametrize("twist", [0, 1])
@pytest.mark.parametrize(
    "n", [1, 2, 3, 4, 5, *(pytest.param(n, marks=pytest.mark.slow) for n in (6, 7))]
)
def test_paths_and_distances_of_all_pairs(n, twist):
    cube = Moebius(n=n, twist=twist)
    searched = metrics.distances(cube.neighbours)
    near = [set(row) for row in cube.neighbours[:, 1:].tolist()]
    nonminimal = 0
    for source, destination in product(range(2**n), repeat=2):
        hops = searched[source, destination]
        assert distance(cube, source, destination) == hops
        shortest = spr(cube, source, destination)
        approximate = approx_spr(cube, source, destination)
        for path in (shortest, approximate):
            assert (path[0], path[-1]) == (source, destination)
            assert all(after in near[here] for here, after in pairwise(path))
        assert len(shortest) - 1 == hops
        nonminimal += len(approximate) - 1 > hops
    assert nonminimal == APPROX_NONMINIMAL.get(n, (0, 0))[twist]


def test_a_plain_link_is_crossed_from_the_far_end():
    # 0-MC_3 has no E_2, so e_2 and E_1. E_1 is there where bit 2 is 1: before e_2, or after it.
    cube = Moebius(n=3)
    assert spr(cube, 0b110, 0b001) == [0b110, 0b101, 0b001]
    assert spr(cube, 0b010, 0b101) == [0b010, 0b110, 0b101]
    # In 1-MC_3, e_2 and E_0 from 000: the plain link is not there, so E_2, E_1, E_0. None of the
    # lower two is there at 000; at 111, E_1 is, and so is E_0, which goes first: a hop too long.
    path = approx_spr(Moebius(n=3, twist=1), 0b000, 0b101)
    assert path == [0b000, 0b111, 0b110, 0b101]


@settings(max_examples=50)
@given(cube=cubes, data=st.data())
def test_spr_takes_as_many_hops_as_the_formula_says(cube, data):
    source, destination = (data.draw(st.integers(0, cube.nodes - 1)) for _ in range(2))
    hops = distance(cube, source, destination)
    assert len(spr(cube, source, destination)) - 1 == hops <= cube.known_diameter()
    assert len(approx_spr(cube, source, destination)) - 1 >= hops
    assert distance(cube, destination, source) == hops
