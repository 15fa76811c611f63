from itertools import pairwise, product
from math import comb

import numpy as np
import pytest
import rustworkx as rx
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Fabric, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.routing.walks.lengths import summary
from knotwork.topology import LOCAL, metrics

APPROX_REFUSED = (
    "moebius: routing=approx_spr must not be built: its path is found at the source, where the set "
    "of terms left would have to travel with the packet; use routing=spr"
)

networks = st.builds(
    lambda n, twist: Network(Moebius(n=n, twist=twist), routing="dfr"),
    st.integers(1, 12),
    st.integers(0, 1),
)


@given(network=networks, data=st.data())
def test_dfr_leaves_by_the_highest_differing_bit_and_dimensions_fall(network, data):
    nodes = network.topology.nodes
    source, destination = (data.draw(st.integers(0, nodes - 1)) for _ in range(2))
    hops = network.routing.hops(source, destination)
    for hop in hops[:-1]:
        difference = hop.router ^ destination
        assert difference >> (hop.port - 1) == 1  # port i + 1 is dimension i
    dimensions = [hop.port for hop in hops]
    assert dimensions == sorted(set(dimensions), reverse=True)
    assert dimensions[-1] == 0


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("twist", [0, 1])
def test_binomially_many_nodes_at_each_number_of_hops(n, twist):
    routing = Network(Moebius(n=n, twist=twist)).routing
    for source in {0, 1, 2**n - 1, 2**n // 3}:
        counts = [0] * (n + 1)
        for destination in range(2**n):
            counts[len(routing.path(source, destination)) - 1] += 1
        assert counts == [comb(n, k) for k in range(n + 1)]


@pytest.mark.parametrize(
    ("n", "twist", "source", "destination", "hops"),
    # Section 5 of the specification, "dfr needs 5".
    [(6, 0, 0b000000, 0b110101, 5), (8, 0, 0b00100110, 0b11010011, 5)],
)
def test_worked_routes(n, twist, source, destination, hops):
    routing = Network(Moebius(n=n, twist=twist)).routing
    assert len(routing.path(source, destination)) - 1 == hops


def test_two_hops_by_hand():
    # 1-MC_4, 0010 to 1100: dimension 3 is twisted (all four bits), 1101; then dimension 0.
    assert Network(Moebius(n=4, twist=1)).routing.path(0b0010, 0b1100) == [0b0010, 0b1101, 0b1100]


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("twist", [0, 1])
def test_one_virtual_channel_is_free_of_deadlock(n, twist):
    report = Network(Moebius(n=n, twist=twist), virtual_channels=1).deadlock_report
    assert report.deadlock_free
    assert report.cycle is None
    assert report.channels == n * 2**n
    assert report.virtual_channels == 1


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("twist", [0, 1])
def test_dfr_walks_as_far_as_e_cube(n, twist):
    topology = Moebius(n=n, twist=twist)
    lengths = Network(topology, routing="dfr").routing.walk_lengths()
    found = summary(lengths, metrics.distances(topology.neighbours))
    assert found.mean == pytest.approx(n * 2 ** (n - 1) / (2**n - 1))
    assert found.max == n


@pytest.mark.parametrize(
    ("n", "nonminimal"),
    # Section 4 of the specification, variant "approxSpr (i-1)": 0-MC and 1-MC.
    [(1, (0, 0)), (2, (0, 0)), (3, (8, 8)), (4, (32, 32)), (5, (176, 160)), (6, (688, 656))],
)
@pytest.mark.parametrize("twist", [0, 1])
def test_approx_spr_is_not_always_shortest(n, nonminimal, twist):
    topology = Moebius(n=n, twist=twist)
    routing = Network(topology, routing="approx_spr").routing
    found = summary(routing.walk_lengths(), metrics.distances(topology.neighbours))
    assert found.nonminimal == nonminimal[twist]
    assert found.max <= topology.diameter + 1


def test_approx_spr_is_checked_by_its_own_paths():
    network = Network(Moebius(n=4, twist=1), routing="approx_spr")
    routing, topology = network.routing, network.topology
    marks = np.zeros_like(routing.walks.dependencies)
    for a, b in product(range(16), repeat=2):
        hops = routing.hops(a, b)
        assert [hop.router for hop in hops] == routing.routers(a, b)
        for here, after in pairwise(hops):
            assert topology.neighbours[here.router, here.port] == after.router
        for hold, want in pairwise(hops[:-1]):
            marks[hold.router * 5 + hold.port, want.port, 0] = True
    assert (routing.walks.dependencies == marks).all()


@pytest.mark.parametrize("twist", [0, 1])
def test_approx_spr_can_deadlock(twist):
    network = Network(Moebius(n=4, twist=twist), routing="approx_spr")
    cycle = network.deadlock_report.cycle
    turns = set()
    for source in range(16):
        for destination in range(16):
            path = network.routing.path(source, destination)
            turns |= set(zip(path, path[1:], path[2:], strict=False))
    for (a, b, _), (c, d, _) in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        assert b == c
        assert (a, b, d) in turns


def test_approx_spr_is_not_built():
    network = Network(Moebius(n=2), routing="approx_spr", allow_deadlock="yes")
    with pytest.raises(ConfigurationError) as refusal:
        network.require_deadlock_free()
    assert str(refusal.value) == APPROX_REFUSED
    with pytest.raises(ConfigurationError) as refusal:
        Fabric(network)
    assert str(refusal.value) == APPROX_REFUSED


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("twist", [0, 1])
@pytest.mark.parametrize("vc_scheme", ["ascents", "escape"])
def test_spr_walks_the_shortest_distance_between_all_pairs(n, twist, vc_scheme):
    topology = Moebius(n=n, twist=twist)
    routing = Network(topology, routing="spr", vc_scheme=vc_scheme).routing
    assert (routing.walk_lengths() == metrics.distances(topology.neighbours)).all()


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


@pytest.mark.parametrize(
    ("n", "virtual_channels"),
    # Section 6 of the specification, "the same, clamped"; n=1 has no turns, "n = 2 is fine".
    [
        *[(1, (1, 1)), (2, (1, 1)), (3, (2, 2)), (4, (2, 2)), (5, (2, 2)), (6, (2, 3))],
        *[(7, (3, 3)), (8, (3, 3)), (9, (4, 3)), (10, (4, 4))],
    ],
)
@pytest.mark.parametrize("twist", [0, 1])
def test_spr_takes_the_least_virtual_channels_that_are_free_of_deadlock(n, virtual_channels, twist):
    network = Network(Moebius(n=n, twist=twist), routing="spr", vc_scheme="ascents")
    assert network.parameters["virtual_channels"] == virtual_channels[twist]
    report = network.deadlock_report
    assert report.deadlock_free
    assert report.virtual_channels == virtual_channels[twist]
    if virtual_channels[twist] > 1:
        fewer = virtual_channels[twist] - 1
        cyclic = Network(network.topology, routing="spr", virtual_channels=fewer)
        assert not cyclic.deadlock_report.deadlock_free


@pytest.mark.parametrize("n", range(3, 8))
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


@pytest.mark.parametrize("n", range(3, 7))
@pytest.mark.parametrize("twist", [0, 1])
def test_with_one_virtual_channel_fewer_the_packets_of_a_cycle_wait_for_each_other(n, twist):
    topology = Moebius(n=n, twist=twist)
    classes = Network(topology, routing="spr").routing.classes
    network = Network(topology, routing="spr", virtual_channels=classes - 1)
    waits = set()
    for source, destination in product(range(2**n), repeat=2):
        path = network.routing.hops(source, destination)
        channels = [(a.router, b.router, a.virtual_channel) for a, b in pairwise(path)]
        waits |= set(pairwise(channels))
    cycle = network.deadlock_report.cycle
    assert set(zip(cycle, [*cycle[1:], cycle[0]], strict=True)) <= waits


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
    graph, number = rx.PyDiGraph(), {}
    for channel in {channel for wait in waits for channel in wait}:
        number[channel] = graph.add_node(channel)
    graph.add_edges_from_no_data([(number[a], number[b]) for a, b in waits])
    return rx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize(
    ("n", "longest"),
    # Section 6 of the specification, last row.
    [(3, (3, 3)), (4, (5, 4)), (5, (6, 5)), (6, (8, 6))],
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


@pytest.mark.parametrize("n", [11, 12, 13])
@pytest.mark.parametrize("twist", [0, 1])
def test_large_cubes_are_free_by_escape(n, twist):
    network = Network(Moebius(n=n, twist=twist), routing="spr")
    assert network.parameters["vc_scheme"] == "escape"
    report = network.deadlock_report
    assert report.deadlock_free
    assert report.virtual_channels == 2
    assert report.channels == 2 * n * 2**n
    assert ("pairs walked" in report.reason) == (n <= 12)


def test_without_its_class_the_escape_is_none():
    network = Network(
        Moebius(n=4), routing="spr", vc_scheme="escape", virtual_channels=1, allow_deadlock="yes"
    )
    assert network.routing.escape_class is None
    assert not network.deadlock_report.deadlock_free


@pytest.mark.parametrize(
    ("vc_scheme", "in_order", "escape_class"), [("ascents", True, None), ("escape", False, 1)]
)
def test_only_packets_that_can_escape_overtake_each_other(vc_scheme, in_order, escape_class):
    routing = Network(Moebius(n=4), routing="spr", vc_scheme=vc_scheme).routing
    assert routing.in_order == in_order
    assert routing.escape_class == escape_class
    assert Network(Moebius(n=4), routing="dfr").routing.in_order


def test_ascents_up_to_ten_dimensions_and_escape_above():
    for n, scheme in ((1, "ascents"), (10, "ascents"), (11, "escape"), (20, "escape")):
        network = Network(Moebius(n=n), routing="spr")
        assert network.parameters["vc_scheme"] == scheme
    with pytest.raises(ConfigurationError) as refusal:
        Network(Moebius(n=11), routing="spr", vc_scheme="ascents")
    assert str(refusal.value) == (
        "moebius: vc_scheme must be escape above n=10, where the virtual channels that ascents "
        "needs are not known, not ascents with n=11"
    )


@pytest.mark.parametrize(
    ("vc_scheme", "virtual_channels", "classes"), [("ascents", 4, 3), ("escape", 3, 2)]
)
def test_the_virtual_channels_of_spr_are_whole_lanes(vc_scheme, virtual_channels, classes):
    keys = {"vc_scheme": vc_scheme, "virtual_channels": virtual_channels}
    with pytest.raises(ConfigurationError) as refusal:
        Network(Moebius(n=7), routing="spr", **keys)
    assert str(refusal.value) == (
        f"moebius: virtual_channels must be a multiple of {classes} for routing=spr, not "
        f"{virtual_channels}"
    )
