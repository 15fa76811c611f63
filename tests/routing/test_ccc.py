import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import CubeConnectedCycles, Network
from knotwork.routing import Routing
from knotwork.routing.walks.all_pairs import summary
from knotwork.topology import LOCAL, metrics
from knotwork.topology.ccc import BACKWARD, FORWARD, LATERAL


def unicast(n, **keys):
    return Network(CubeConnectedCycles(n=n), routing="unicast", **keys)


def way_round(length, here, there, *, may_pass_seam=True):
    """Hops on the line of a cycle: the shorter way round, or the one that keeps off the seam."""
    direct = abs(there - here)
    return min(direct, length - direct) if may_pass_seam else direct


def hops_of_sweeps(topology, seam, source, destination):
    """Hops by the three parts of a path, from positions on the line and no rule."""
    length = topology.cycle_length
    cycles = (source ^ destination) >> topology.cycle_bits
    links = [(p - seam) % length for p in range(topology.cube_bits) if cycles >> p & 1]
    here, there = ((node - seam) % length for node in (source, destination))
    last, first = max([here, *links]), min([here, *links])
    crossings = len(links)
    if not links or first == here:  # nothing is behind
        return crossings + last - here + way_round(length, last, there)
    tour = crossings + last - here + last - first
    # Crossed backward, the seam is passed backward only.
    on = first - there if there <= first else min(there - first, length - there + first)
    return tour + on


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, pytest.param(7, marks=pytest.mark.slow)])
def test_paths_are_two_sweeps_and_the_shorter_way(n):
    routing = unicast(n).routing
    topology, lengths = routing.topology, routing.walk_lengths()
    expected = [
        [hops_of_sweeps(topology, routing.seam, a, b) for b in range(2**n)] for a in range(2**n)
    ]
    assert lengths.tolist() == expected
    assert (lengths >= metrics.distances(topology.neighbours)).all()


@pytest.mark.parametrize(
    ("n", "stretch"), [(2, 1), (3, 1), (4, 1), (5, 1.042), (6, 1.122), (7, 1.03), (8, 1.05)]
)
def test_how_much_longer_than_shortest_paths_they_are(n, stretch):
    topology = CubeConnectedCycles(n=n)
    found = summary(unicast(n).routing.walk_lengths(), metrics.distances(topology.neighbours))
    assert 1 <= found.mean / topology.average_distance < stretch + 1e-12


def test_a_path_by_hand():
    # Place 2 of cycle 0 to place 2 of cycle 3, of sixteen nodes: both lateral links, at places
    # 0 and 1, are behind; the seam is between places 2 and 3.
    hops = unicast(4).routing.hops(0b0010, 0b1110)
    assert [(hop.router, hop.port, hop.virtual_channel) for hop in hops] == [
        (0b0010, BACKWARD, 0),
        (0b0001, LATERAL, 1),
        (0b1001, BACKWARD, 0),
        (0b1000, LATERAL, 1),
        (0b1100, FORWARD, 1),
        (0b1101, FORWARD, 1),
        (0b1110, LOCAL, 0),
    ]


def test_the_seam_is_passed_in_class_1():
    # The seam of eight places with five lateral links is between places 6 and 7.
    routing = unicast(8).routing
    assert routing.seam == 7
    hops = [(hop.port, hop.virtual_channel) for hop in routing.hops(0b101, 0b000)[:-1]]
    assert hops == [(FORWARD, 0), (FORWARD, 1), (FORWARD, 1)]
    hops = [(hop.port, hop.virtual_channel) for hop in routing.hops(0b000, 0b101)[:-1]]
    assert hops == [(BACKWARD, 0), (BACKWARD, 1), (BACKWARD, 1)]


@settings(max_examples=50)
@given(n=st.integers(2, 20), data=st.data())
def test_xor_on_the_number_of_the_cycle_moves_paths_with_their_ends(n, data):
    routing = unicast(n, virtual_channels=2).routing
    a, b = (data.draw(st.integers(0, 2**n - 1)) for _ in range(2))
    topology = routing.topology
    constant = data.draw(st.integers(0, 2**topology.cube_bits - 1)) << topology.cycle_bits
    here, moved = routing.hops(a, b), routing.hops(a ^ constant, b ^ constant)
    assert [(hop.router ^ constant, *hop[1:]) for hop in here] == [tuple(hop) for hop in moved]


@pytest.mark.parametrize("n", [2, 3, 6, *(pytest.param(n, marks=pytest.mark.slow) for n in (5, 8))])
@pytest.mark.parametrize("virtual_channels", [1, 2])
def test_packets_to_one_cycle_take_all_turns(n, virtual_channels, monkeypatch):
    every = unicast(n, virtual_channels=virtual_channels).routing
    monkeypatch.setattr(Routing, "walk_limit", 2)
    few = unicast(n, virtual_channels=virtual_channels).routing
    assert few.group_turns == every.walks.turns
    assert "walks" not in vars(few)


def test_routers_are_alike_along_the_line():
    # Eight places, five lateral links; the line begins with place 7 and ends with place 6.
    network = unicast(8)
    kinds = network.router_kinds
    number = network.router_number.reshape(-1, 8)
    assert (number == number[0]).all()
    names = [kinds[place].role for place in number[0]]
    assert names[:4] == ["router_place0"] * 4
    assert names[4:] == [f"router_place{place}" for place in range(4, 8)]


def test_where_the_class_changes():
    """Beside the seam, and at lateral links that are crossed backward."""
    routing = unicast(8).routing
    backward = {(FORWARD, LATERAL), (LATERAL, BACKWARD)}
    expected = [backward] * 5 + [set(), {(BACKWARD, FORWARD)}, {(FORWARD, BACKWARD)}]
    assert expected == [
        {(i, o) for i, a, o, b in routing.class_turns(place) if LOCAL not in (i, o) and a != b}
        for place in range(8)
    ]
