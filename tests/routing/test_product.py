"""What the routings of all product networks have in common."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Mesh, Network, Petersen, Rp, Tcpg, Torus
from knotwork.routing import Turn, check_deadlock
from knotwork.routing.mesh import DimensionOrder
from knotwork.routing.product import unicast_crossings
from knotwork.topology import LOCAL, metrics
from knotwork.topology.rings import LONG, Line, OneWayRing, Ring

NETWORKS = [
    *(Torus(x=x, y=y) for x in range(2, 8) for y in (2, 3, 4, 7)),
    *(Torus(x=x, y=y, directions="one") for x in range(2, 5) for y in (2, 3, 5)),
    *(Mesh(x=x, y=y) for x in range(2, 5) for y in (2, 3, 5)),
    *(Rp(k=k) for k in (*range(1, 10), 12)),
    Petersen(),
    *(Tcpg(k=k, m=m) for k in (1, 2, 3) for m in (1, 2)),
]
every = pytest.mark.parametrize("topology", NETWORKS, ids=lambda topology: topology.instance_name)


def has_long_rings(topology):
    one_way = any(isinstance(f, OneWayRing) and f.size > 2 for f in topology.factors)
    return one_way or any(isinstance(f, Ring) and f.size > 4 for f in topology.factors)


@every
def test_paths_are_shortest(topology):
    lengths = Network(topology).routing.walk_lengths()
    assert lengths.tolist() == metrics.distances(topology.neighbours).tolist()


@every
def test_factors_are_settled_in_order(topology):
    routing = Network(topology).routing
    bounds = [0]
    for factor in topology.factors:
        bounds.append(bounds[-1] + len(factor.ports))
    for source in range(0, topology.nodes, 3):
        for destination in range(topology.nodes):
            ports = [hop.port for hop in routing.hops(source, destination)[:-1]]
            number = [sum(port > bound for bound in bounds) for port in ports]
            assert number == sorted(number)


@every
def test_as_many_virtual_channels_as_keep_it_free_of_deadlock(topology):
    network = Network(topology)
    two = has_long_rings(topology) or topology.name in {"petersen", "rp", "tcpg"}
    assert network.routing.virtual_channels == (2 if two else 1)
    assert network.deadlock_report.deadlock_free
    if two:
        report = Network(topology, virtual_channels=1).deadlock_report
        assert not report.deadlock_free
        assert len(report.cycle) >= 3


@every
@pytest.mark.parametrize("virtual_channels", [1, 2])
def test_turns_put_together_are_those_of_all_pairs(topology, virtual_channels):
    routing = Network(topology, virtual_channels=virtual_channels).routing
    walks, groups = routing.walks, routing.router_groups
    for router in range(topology.routers):
        assert routing.class_turns(router) == walks.turns[groups[router]]
        assert routing.broadcast_class_turns(router) == walks.broadcast_turns[groups[router]]


@every
def test_rank_and_walk_agree(topology):
    routing = Network(topology).routing
    walked = check_deadlock(routing, enumerate_pairs=True)
    ranked = check_deadlock(routing, enumerate_pairs=False)
    assert walked.deadlock_free
    assert ranked.deadlock_free
    assert walked.dependencies <= ranked.dependencies
    assert walked.channels == ranked.channels


def test_no_rank_is_declared_for_too_few_classes():
    routing = Network(Torus(x=5, y=4), virtual_channels=1).routing
    assert routing.rank() is None


def test_a_turn_back_is_caught_by_the_rank():
    class Turning(DimensionOrder):
        def class_turns(self, router):
            back = {Turn(3, 0, 1, 0)} if router == 4 else set()
            return super().class_turns(router) | back

    report = check_deadlock(Turning(Mesh(x=3, y=3)), enumerate_pairs=False)
    assert report.reason == (
        "the turn U (class 0) -> L (class 0) at router 4 does not raise the declared rank"
    )


@pytest.mark.parametrize("shape", [Ring, partial(Ring, ties_back=True), Line], ids=str)
@pytest.mark.parametrize("size", [*range(LONG, 41), 63, 100])
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


LARGE = [Torus(x=1024, y=1024), Torus(x=33, y=512), Mesh(x=1024, y=9), Rp(k=4096), Tcpg(k=16, m=16)]


@pytest.mark.parametrize("topology", LARGE, ids=lambda topology: topology.instance_name)
def test_large_networks_are_checked_by_rank(topology):
    network = Network(topology)
    report = network.deadlock_report
    assert report.deadlock_free
    assert report.reason == "every turn raises the declared rank of its channels"
    assert "walks" not in vars(network.routing)


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
