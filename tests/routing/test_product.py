"""Routings of product networks: what they have in common, and their paths by hand."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Mesh, Network, Petersen, Ring, Rp, Torus
from knotwork.routing.mesh import DimensionOrder
from knotwork.routing.petersen import Shortest as PetersenShortest
from knotwork.routing.product import unicast_crossings
from knotwork.routing.ring import DimensionOrder as RoundTheRing
from knotwork.routing.rp import Shortest as RpShortest
from knotwork.routing.tcpg import PetersenFirst
from knotwork.routing.torus import DimensionOrder as TorusOrder
from knotwork.topology import LOCAL, factors
from knotwork.topology.factors import LONG, Line


def channels(network, source, destination):
    ports = network.topology.ports
    hops = network.routing.hops(source, destination)[:-1]
    return [(ports[hop.port], hop.virtual_channel) for hop in hops]


@pytest.mark.parametrize(
    ("routing", "word"),
    [
        (DimensionOrder, "mesh:x=3,y=3"),
        (TorusOrder, "torus:x=3,y=4"),
        (TorusOrder, "torus:x=3,y=4,directions=one"),
        (RoundTheRing, "ring:n=5"),
        (PetersenShortest, "petersen"),
        (RpShortest, "rp:k=3"),
        (PetersenFirst, "tcpg:k=1,m=1"),
    ],
)
def test_factors_are_settled_in_order(routing, word):
    network = Network.from_word(word)
    assert type(network.routing) is routing
    bounds = [0]
    for factor in network.topology.factors:
        bounds.append(bounds[-1] + len(factor.ports))
    for source in range(network.topology.nodes):
        for destination in range(network.topology.nodes):
            hops = network.routing.hops(source, destination)
            assert hops[-1].port == LOCAL
            number = [sum(hop.port > bound for bound in bounds) for hop in hops[:-1]]
            assert number == sorted(number)


@pytest.mark.parametrize(
    "shape", [factors.Ring, partial(factors.Ring, ties_back=True), Line], ids=str
)
@pytest.mark.parametrize(
    "size",
    [
        *range(LONG, LONG + 6),
        *(pytest.param(size, marks=pytest.mark.slow) for size in (*range(LONG + 6, 41), 63, 100)),
    ],
)
def test_a_long_ring_or_line_has_the_turns_of_a_shorter_one(shape, size):
    factor = shape(size, ("L", "R"))
    shorter = unicast_crossings(factor, 1, 1)
    assert shorter == enumerated(factor)


def enumerated(factor):
    """Starts, ends and ways on, hop by hop along the shorter way."""
    starts, ends, throughs = ([set(), set(), set()] for _ in range(3))
    group = [0, *[1] * (factor.size - 2), 2]
    for here in range(factor.size):
        for there in range(factor.size):
            ahead = (there - here) % factor.size
            if isinstance(factor, Line):
                step = 1 if there > here else -1
                hops, crossed = abs(there - here), True
            else:
                half_forward = not factor.ties_back and here % 2 == 0
                step = 1 if 2 * ahead < factor.size + half_forward else -1
                hops = ahead if step == 1 else factor.size - ahead
                crossed = (there > here) == (step == 1)
            position, came = here, None
            for hop in range(hops * (here != there)):
                port = 2 if step == 1 else 1
                vc_class = 0 if isinstance(factor, Line) else int(crossed)
                if hop == 0:
                    starts[group[position]].add((port, vc_class))
                else:
                    throughs[group[position]].add((*came, port, vc_class))
                after = (position + step) % factor.size
                crossed = crossed or abs(after - position) > 1
                position, came = after, (3 - port, vc_class)
            if came:
                ends[group[position]].add(came)
    return starts, ends, throughs


@settings(max_examples=40)
@given(
    x=st.integers(2, 1024),
    y=st.integers(2, 1024),
    data=st.data(),
    network=st.sampled_from([Torus, Mesh]),
)
def test_a_path_has_the_length_of_the_distance(x, y, data, network):
    topology = network(x=x, y=y)
    ends = [data.draw(st.integers(0, x * y - 1)) for _ in range(2)]
    here, hops = ends[0], 0
    routing = Network(topology).routing
    while here != ends[1]:
        port, _ = routing.rule(routing.parameters, here, LOCAL, 0, ends[1])
        row, column = divmod(here, x)
        if port in {1, 2}:
            column = (column + (1 if port == 2 else -1)) % x
        else:
            row = (row + (1 if port == 4 else -1)) % y
        here, hops = row * x + column, hops + 1
        assert hops <= x + y
    assert hops == topology.distance(*ends)


@pytest.mark.parametrize(
    ("topology", "kinds"),
    [
        *((Petersen(), 1), (Rp(k=1), 1), (Rp(k=8), 3), (Torus(x=6, y=5), 9), (Mesh(x=3, y=3), 9)),
        (Torus(x=4, y=5), 12),  # packets go on one way only at each position of a ring of four,
        (Torus(x=4, y=4), 4),  # the same at every second one if there is one class
    ],
    ids=lambda value: getattr(value, "instance_name", value),
)
def test_routers_differ_by_where_rings_and_lines_end(topology, kinds):
    network = Network(topology)
    assert len(network.router_kinds) == kinds
    assert len({kind.name for kind in network.router_kinds}) == kinds


@pytest.mark.parametrize(
    ("topology", "words"),
    [(Torus(x=6, y=5), ("first", "inner", "last")), (Torus(x=4, y=4), ("first", "second"))],
    ids=lambda value: getattr(value, "instance_name", ""),
)
def test_modules_are_named_by_where_they_are_on_rings(topology, words):
    names = {kind.name for kind in Network(topology).router_kinds}
    module = f"{topology.instance_name}_router"
    assert names == {f"{module}_LR_{row}_UD_{column}" for row in words for column in words}


@pytest.mark.parametrize(
    ("topology", "path"),
    [
        (Mesh(x=4, y=3), [8, 9, 10, 11, 7, 3]),  # along the row and then the column
        (Mesh(x=4, y=3), [3, 2, 1, 0, 4, 8]),
        (Mesh(x=3, y=2, z=2), [0, 1, 2, 5, 11]),  # through the layers at last
        (Mesh(x=3, y=2, z=2), [11, 10, 9, 6, 0]),
        (Torus(x=6, y=4), [0, 1, 2, 3, 9, 15]),
        (Torus(x=6, y=4, ring_code="johnson"), [0, 1, 2, 3, 9, 15]),
        (Ring(n=6, directions="one"), [4, 5, 0, 1]),
        (Rp(k=6), [0, 10, 20, 30]),  # half-way round: forward from even positions,
        (Rp(k=6), [10, 0, 50, 40]),  # and back from odd ones
        (Petersen(petersen_code="word"), [3]),
    ],
    ids=lambda value: getattr(value, "instance_name", value),
)
def test_paths_by_hand(topology, path):
    assert Network(topology).routing.path(path[0], path[-1]) == path


def test_class_0_up_to_the_dateline_and_class_1_after_it():
    network = Network(Torus(x=8, y=5))
    assert channels(network, 6, 1) == [("R", 0), ("R", 0), ("R", 1)]
    assert channels(network, 1, 6) == [("L", 0), ("L", 0), ("L", 1)]
    assert channels(network, 1, 4) == [("R", 1)] * 3
    assert channels(network, 4 * 8 + 7, 0) == [("R", 0), ("D", 0)]
    # Half-way round, paths lead both ways.
    assert channels(network, 2, 6) == [("R", 1)] * 4
    assert channels(network, 1, 5) == [("L", 0)] * 2 + [("L", 1)] * 2
    # u0 of graph 5 to v2 of graph 1: spoke, inner link, and over the dateline.
    assert channels(Network(Rp(k=6)), 50, 17) == [("S", 0), ("Pplus", 1), ("R", 0), ("R", 1)]
    assert [hop.router for hop in Network(Rp(k=6)).routing.hops(50, 17)] == [50, 55, 57, 7, 17]


def test_the_two_nodes_of_a_side_of_two_use_one_of_its_two_links():
    network = Network(Torus(x=2, y=2))
    used = [
        {port for there in range(4) for port, _ in channels(network, here, there)}
        for here in range(4)
    ]
    assert used == [{"R", "D"}, {"L", "D"}, {"R", "U"}, {"L", "U"}]


def test_in_a_petersen_graph_the_last_hop_is_in_class_1():
    network = Network(Petersen())
    for source in range(10):
        for destination in range(10):
            classes = [vc_class for _, vc_class in channels(network, source, destination)]
            assert classes == [0, 1][2 - len(classes) :]
    with pytest.raises(ValueError, match="virtual_channels must be a multiple of 2"):
        Network(Petersen(), virtual_channels=3)
