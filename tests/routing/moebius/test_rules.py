from math import comb

import numpy as np
import pytest
import rustworkx as rx
from knotwork import Moebius, Network
from knotwork.topology import LOCAL


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
