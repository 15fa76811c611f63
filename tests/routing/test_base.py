from itertools import pairwise

import pytest
from helpers.ring import CyclicRingRouting, Ring, RingRouting
from hypothesis import given
from hypothesis import strategies as st
from knotwork import CubeConnectedCycles, Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.routing import Hop, Routing, Turn, lane, routings_of
from knotwork.topology import LOCAL, TOPOLOGIES


def fold(value: int) -> int:
    """Four-bit fold by hexadecimal digits, as the hardware's drawing has it."""
    result = 0
    for digit in f"{value:x}":
        result ^= int(digit, 16)
    return result


@given(
    source=st.integers(0, 2**20 - 1),
    destination=st.integers(0, 2**20 - 1),
    lanes=st.integers(1, 8),
)
def test_lane_folds_the_two_addresses(source, destination, lanes):
    bits = f"{fold(source):04b}"
    turned = int(bits[1:] + bits[0], 2)
    assert lane(source, destination, lanes) == (turned ^ fold(destination)) % lanes


def test_each_dimension_carries_both_lanes():
    # A lane that were the parity of source xor destination would be one lane for each dimension.
    routing = routings_of("hypercube")["ecube"](Hypercube(n=4), virtual_channels=2)
    taken = set()
    for source in range(16):
        for destination in range(16):
            hops = routing.hops(source, destination)
            taken |= {(hop.port, hop.virtual_channel) for hop in hops[:-1]}
    assert taken == {(port, vc) for port in range(1, 5) for vc in range(2)}


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_network_has_a_module_of_routings(name):
    routings = routings_of(name)
    assert routings
    assert all(routing.name == key for key, routing in routings.items())


def test_default_routings():
    assert next(iter(routings_of("hypercube"))) == "ecube"
    assert next(iter(routings_of("moebius"))) == "dfr"
    assert next(iter(routings_of("ccc"))) == "unicast"
    assert routings_of("loop") == {}


def test_hops_carry_ports_and_virtual_channels():
    routing = RingRouting(Ring(nodes=6))
    # 4 to 1: three links to the next; the link from 5 to 0 is the dateline and needs class 1.
    assert routing.hops(4, 1) == [Hop(4, 1, 0), Hop(5, 1, 1), Hop(0, 1, 1), Hop(1, LOCAL, 0)]
    assert routing.hops(2, 0) == [Hop(2, 2, 0), Hop(1, 2, 0), Hop(0, LOCAL, 0)]
    assert routing.hops(3, 3) == [Hop(3, LOCAL, 0)]
    assert routing.path(4, 1) == [4, 5, 0, 1]


def test_a_lane_has_virtual_channels_of_its_own():
    routing = RingRouting(Ring(nodes=6), virtual_channels=4)
    assert (routing.classes, routing.lanes) == (2, 2)
    assert routing.path(4, 1) == [4, 5, 0, 1]
    # 4 = 0100 turned is 1000, xor 1 is odd: lane 1. 5 = 0101 turned is 1010, xor 0 even: lane 0.
    assert [hop.virtual_channel for hop in routing.hops(4, 1)] == [2, 3, 3, 0]
    assert [hop.virtual_channel for hop in routing.hops(5, 0)] == [1, 0]


def test_turns_are_copied_for_each_lane():
    single = CyclicRingRouting(Ring(nodes=6)).turns(0)
    double = CyclicRingRouting(Ring(nodes=6), virtual_channels=2).turns(0)
    assert single == [Turn(0, 0, 0, 0), Turn(0, 0, 1, 0), Turn(2, 0, 0, 0), Turn(2, 0, 1, 0)]
    assert double == sorted(
        [*single, Turn(0, 1, 0, 0), Turn(0, 1, 1, 1), Turn(2, 1, 0, 0), Turn(2, 1, 1, 1)]
    )


def enumerated_turns(routing: Routing) -> list[set[Turn]]:
    """Turns that packets of all pairs take at the routers of the same group as each."""
    topology, groups = routing.topology, routing.router_groups.tolist()
    taken: list[set[Turn]] = [set() for _ in groups]
    for source in range(topology.nodes):
        for destination in range(topology.nodes):
            port, vc_class, router = LOCAL, 0, source
            for hop in routing.hops(source, destination):
                out_class = 0 if hop.port == LOCAL else hop.virtual_channel % routing.classes
                taken[groups[router]].add(Turn(port, vc_class, hop.port, out_class))
                port, vc_class = int(topology.peer_ports[router, hop.port]), out_class
                router = int(topology.neighbours[router, hop.port])
    return [taken[group] for group in groups]


NETWORKS = [
    *(Network(Hypercube(n=n)) for n in range(1, 7)),
    *(
        Network(Moebius(n=n, twist=twist), routing=r)
        for n in range(1, 7)
        for twist in (0, 1)
        for r in ("dfr", "spr", "approx_spr", "set_spr", "rsa")
    ),
    *(Network(CubeConnectedCycles(n=n)) for n in (2, 3, 4)),
    Network(CubeConnectedCycles(n=4), virtual_channels=1),
    *(Network(Ring(nodes=n), routing=RingRouting) for n in (5, 6, 7)),
    Network(Ring(nodes=6), routing=RingRouting, virtual_channels=1),
    Network(Ring(nodes=6), routing=CyclicRingRouting),
]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_declared_turns_are_those_that_packets_take(network):
    taken = enumerated_turns(network.routing)
    for router, turns in enumerate(taken):
        assert network.routing.class_turns(router) == turns
        for turn in turns:
            assert {turn.input_port, turn.output_port} <= {
                *network.topology.connected_ports(router)
            }


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_every_path_follows_links_to_its_destination(network):
    topology, routing = network.topology, network.routing
    for source in range(topology.nodes):
        for destination in range(topology.nodes):
            path = routing.path(source, destination)
            assert (path[0], path[-1]) == (source, destination)
            assert all(b in topology.neighbours[a] for a, b in pairwise(path))


@pytest.mark.parametrize("count", [3, 5, 7])
def test_virtual_channels_must_be_whole_lanes(count):
    with pytest.raises(ConfigurationError) as refusal:
        RingRouting(Ring(nodes=6), virtual_channels=count)
    assert str(refusal.value) == (
        f"loop: virtual_channels must be a multiple of 2 for routing=shortest, not {count}"
    )


def test_a_rule_that_never_arrives_is_refused():
    class Lost(CyclicRingRouting):
        name = "lost"

        @property
        def rule(self):
            return lambda parameters, router, port, channel_class, destination: (1, 0)

    with pytest.raises(ConfigurationError) as refusal:
        Lost(Ring(nodes=6)).path(1, 4)
    assert str(refusal.value) == (
        "loop: routing=lost must bring a packet from 0 to 0, not round in a loop by port next of "
        "router 2"
    )
